//! The parts of failures that Armada's rules compare (semantics.md, section 4), and those that a rule requires.

use armada_retry::engine::Evaluator;
use armada_retry::engine::{OF_EXPIRED_LEASES, Outcome};
use armada_retry::policy::{AntiAffinity, Condition, Matcher, RetryPolicy, Rule};
use replay::history::{ArmadaRun, RunRecord};
use replay::simulate::{Absence, MAX_PARTS, Need, Part, Parts, PolicyNeeds, Without};

pub(super) static CATEGORY: Part =
    Part { field: "category", noun: "a category", absence: Absence::Mistake };
pub(super) static SUBCATEGORY: Part =
    Part { field: "subcategory", noun: "a subcategory", absence: Absence::Mistake };
pub(super) static EXIT_CODE: Part =
    Part { field: "containers[].exitCode", noun: "an exit code", absence: Absence::Usual };
pub(super) static MESSAGE: Part =
    Part { field: "containers[].message", noun: "a message", absence: Absence::Usual };
pub(super) static NODE: Part = Part { field: "node", noun: "a node", absence: Absence::Usual };
pub(super) static CONDITION: Part =
    Part { field: "conditions", noun: "the condition", absence: Absence::Usual };
pub(super) static CONTAINER: Part =
    Part { field: "containers[].name", noun: "a container", absence: Absence::Named };

/// The bits of the parts; those of the conditions and of the containers follow.
const HAS_CATEGORY: Parts = Parts::of(0);
const HAS_SUBCATEGORY: Parts = Parts::of(1);
const HAS_EXIT_CODE: Parts = Parts::of(2);
const HAS_MESSAGE: Parts = Parts::of(3);
const HAS_NODE: Parts = Parts::of(4);
const HAS_CONTAINER: Parts = Parts::of(5);
const CONDITIONS: usize = 6;
const CONTAINERS: usize = CONDITIONS + Condition::ALL.len();

/// A part of a failed run that a rule may compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FailurePart<'r> {
    ExitCode(i64),
    Condition(Condition),
    Message,
    Category(&'r str),
    Subcategory(&'r str),
    Container(&'r str),
    Node(&'r str),
}

/// Passes each part of a failed run on, some of them more than once. It has a part where one of its containers has:
/// whether a rule reads that container is not compared.
pub(super) fn each_part<'r>(run: &'r RunRecord, mut take: impl FnMut(FailurePart<'r>)) {
    let ArmadaRun { outcome, conditions, containers, category, subcategory, .. } = &run.own;
    // Armada gives such an end a category, which a record from elsewhere may lack.
    let is_expired = *outcome == Outcome::LeaseExpired && category.is_empty();
    let own = (category.as_str(), subcategory.as_str());
    let (category, subcategory) = if is_expired { OF_EXPIRED_LEASES } else { own };
    let mut take_some = |name: &'r str, part: fn(&'r str) -> FailurePart<'r>| {
        if !name.is_empty() {
            take(part(name));
        }
    };
    take_some(category, FailurePart::Category);
    take_some(subcategory, FailurePart::Subcategory);
    take_some(run.node.as_deref().unwrap_or_default(), FailurePart::Node);
    let named = conditions.iter().filter_map(|name| Condition::from_name(name));
    named.for_each(|condition| take(FailurePart::Condition(condition)));
    if *outcome == Outcome::Preempted {
        take(FailurePart::Condition(Condition::Preempted));
    }
    // No container failed, whatever the record holds (semantics.md, section 4).
    if outcome.is_bare() {
        return;
    }
    for container in containers.iter() {
        take(FailurePart::Container(&container.name));
        if let Some(code) = container.exit_code.filter(|code| *code > 0) {
            take(FailurePart::ExitCode(code));
        }
        if !container.message.is_empty() {
            take(FailurePart::Message);
        }
        if container.reason == Condition::OomKilled.as_str() {
            take(FailurePart::Condition(Condition::OomKilled));
        }
    }
}

/// The requirements of the rules of all policies.
#[derive(Debug)]
pub(super) struct ArmadaNeeds {
    pub(super) by_policy: Vec<PolicyNeeds>,
    /// The containers that rules name; those beyond the size of a set are not looked for.
    containers: Vec<String>,
    /// Whether a rule lists subcategories.
    pub(super) has_subcategories: bool,
}

impl ArmadaNeeds {
    pub(super) fn new(evaluator: &Evaluator) -> Self {
        let policies = evaluator.policies();
        let named = policies.iter().flat_map(|policy| &policy.rules);
        let mut containers: Vec<String> = named.filter_map(|rule| rule.container.clone()).collect();
        containers.sort();
        containers.dedup();
        // Parts are the bits of one word.
        containers.truncate(MAX_PARTS - CONTAINERS);
        let mut rules = policies.iter().flat_map(|policy| &policy.rules);
        let has_subcategories = rules.any(|rule| !rule.subcategories.is_empty());
        let mut needs = Self { by_policy: Vec::new(), containers, has_subcategories };
        let mut first = 0;
        for policy in policies {
            let rules = policy.rules.iter().enumerate();
            let all = rules.flat_map(|(index, rule)| needs.rule_needs(policy, rule, first + index));
            let all: PolicyNeeds = all.collect();
            needs.by_policy.push(all);
            // The default has a number too.
            first += policy.rules.len() + 1;
        }
        needs
    }

    fn rule_needs(&self, policy: &RetryPolicy, rule: &Rule, number: usize) -> Vec<Need> {
        let need = |part, any_of, without| Need {
            rule: number,
            part,
            values: Vec::new(),
            names: Vec::new(),
            any_of,
            any_value: any_of,
            without,
        };
        let mut all: Vec<Need> = rule
            .matchers()
            .into_iter()
            .map(|matcher| {
                let part = match matcher {
                    Matcher::ExitCodes(_) => (&EXIT_CODE, HAS_EXIT_CODE),
                    Matcher::Message(_) => (&MESSAGE, HAS_MESSAGE),
                    Matcher::Categories(_) => (&CATEGORY, HAS_CATEGORY),
                    Matcher::Subcategories(_) => (&SUBCATEGORY, HAS_SUBCATEGORY),
                    Matcher::Conditions(names) => return conditions_need(number, names),
                };
                let names = match matcher {
                    Matcher::Categories(names) | Matcher::Subcategories(names) => names.to_vec(),
                    _ => Vec::new(),
                };
                Need { names, ..need(part.0, part.1, Without::NeverMatches) }
            })
            .collect();
        all.extend(self.container_need(rule, number));
        let avoids = rule.anti_affinity.or(policy.anti_affinity) == Some(AntiAffinity::Node);
        if avoids || rule.avoid_same_node {
            all.push(need(&NODE, HAS_NODE, Without::NoAvoidance));
        }
        all
    }

    /// The need of a rule that names a container. Categories do not depend on it.
    fn container_need(&self, rule: &Rule, number: usize) -> Option<Need> {
        let name = rule.container.as_ref()?;
        let compares = |matcher: Matcher<'_>| !matcher.is_of_category();
        let place = self.containers.iter().position(|one| one == name);
        rule.matchers().into_iter().any(compares).then_some(Need {
            rule: number,
            part: &CONTAINER,
            values: vec![name.clone()],
            names: Vec::new(),
            any_of: place.map(|place| Parts::of(CONTAINERS + place)).unwrap_or_default(),
            any_value: HAS_CONTAINER,
            without: Without::NeverMatches,
        })
    }

    /// The parts of a failed run.
    pub(super) fn parts(&self, run: &RunRecord) -> Parts {
        let mut parts = Parts::default();
        each_part(run, |part| parts = parts.with(self.bits(part), true));
        parts
    }

    fn bits(&self, part: FailurePart<'_>) -> Parts {
        match part {
            FailurePart::ExitCode(_) => HAS_EXIT_CODE,
            FailurePart::Condition(condition) => condition_bit(condition),
            FailurePart::Message => HAS_MESSAGE,
            FailurePart::Category(_) => HAS_CATEGORY,
            FailurePart::Subcategory(_) => HAS_SUBCATEGORY,
            FailurePart::Node(_) => HAS_NODE,
            FailurePart::Container(name) => {
                let place = self.containers.iter().position(|one| one == name);
                let named = place.map(|place| Parts::of(CONTAINERS + place)).unwrap_or_default();
                HAS_CONTAINER.with(named, true)
            }
        }
    }
}

fn condition_bit(condition: Condition) -> Parts {
    Parts::of(CONDITIONS + condition as usize)
}

fn conditions_need(rule: usize, names: &[Condition]) -> Need {
    Need {
        rule,
        part: &CONDITION,
        values: names.iter().map(|name| name.as_str().to_owned()).collect(),
        names: Vec::new(),
        any_of: names.iter().copied().map(condition_bit).collect(),
        any_value: Condition::ALL.into_iter().map(condition_bit).collect(),
        without: Without::NeverMatches,
    }
}
