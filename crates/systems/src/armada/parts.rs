//! The parts of failures that Armada's rules compare (semantics.md, section 4), and those that a rule requires.

use armada_retry::engine::Evaluator;
use armada_retry::engine::{Container, Outcome};
use armada_retry::policy::{AntiAffinity, Condition, Matcher, RetryPolicy, Rule};
use replay::history::{ArmadaRun, RunRecord};
use replay::simulate::{Absence, MAX_PARTS, Need, Part, Parts, PolicyNeeds, Without};

static CATEGORY: Part = Part { field: "category", noun: "a category", absence: Absence::Mistake };
static SUBCATEGORY: Part =
    Part { field: "subcategory", noun: "a subcategory", absence: Absence::Mistake };
static EXIT_CODE: Part =
    Part { field: "containers[].exitCode", noun: "an exit code", absence: Absence::Usual };
static MESSAGE: Part =
    Part { field: "containers[].message", noun: "a message", absence: Absence::Usual };
static NODE: Part = Part { field: "node", noun: "a node", absence: Absence::Usual };
static CONDITION: Part =
    Part { field: "conditions", noun: "the condition", absence: Absence::Usual };
static CONTAINER: Part =
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
        containers.truncate(MAX_PARTS - CONTAINERS);
        let mut rules = policies.iter().flat_map(|policy| &policy.rules);
        let has_subcategories = rules.any(|rule| !rule.subcategories.is_empty());
        let mut needs = Self { by_policy: Vec::new(), containers, has_subcategories };
        let mut first = 0;
        for policy in policies {
            let rules = policy.rules.iter().enumerate();
            let all = rules.flat_map(|(index, rule)| needs.of_rule(policy, rule, first + index));
            let all: PolicyNeeds = all.collect();
            needs.by_policy.push(all);
            // The default has a number too.
            first += policy.rules.len() + 1;
        }
        needs
    }

    fn of_rule(&self, policy: &RetryPolicy, rule: &Rule, number: usize) -> Vec<Need> {
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
                    Matcher::Conditions(names) => return of_conditions(number, names),
                };
                let names = match matcher {
                    Matcher::Categories(names) | Matcher::Subcategories(names) => names.to_vec(),
                    _ => Vec::new(),
                };
                Need { names, ..need(part.0, part.1, Without::NeverMatches) }
            })
            .collect();
        all.extend(self.of_container(rule, number));
        let avoids = rule.anti_affinity.or(policy.anti_affinity) == Some(AntiAffinity::Node);
        if avoids || rule.avoid_same_node {
            all.push(need(&NODE, HAS_NODE, Without::NoAvoidance));
        }
        all
    }

    /// The need of a rule that names a container. Categories do not depend on it.
    fn of_container(&self, rule: &Rule, number: usize) -> Option<Need> {
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

    /// The parts of a failed run. It has a part where one of its containers has: whether a rule reads that container
    /// is not compared.
    pub(super) fn parts(&self, run: &RunRecord) -> Parts {
        let ArmadaRun { outcome, conditions, containers, category, subcategory, .. } = &run.own;
        // An expired lease has a category and a subcategory of its own (semantics.md, section 8).
        let is_expired = *outcome == Outcome::LeaseExpired;
        let condition = |name: &str| Condition::from_name(name).map(of_condition);
        let named: Parts = conditions.iter().filter_map(|name| condition(name)).collect();
        let parts = named
            .with(HAS_CATEGORY, is_expired || !category.is_empty())
            .with(HAS_SUBCATEGORY, is_expired || !subcategory.is_empty())
            .with(HAS_NODE, run.node.is_some())
            .with(of_condition(Condition::Preempted), *outcome == Outcome::Preempted);
        if outcome.is_bare() {
            return parts;
        }
        containers.iter().fold(parts, |parts, container| self.with_container(parts, container))
    }

    fn with_container(&self, parts: Parts, container: &Container) -> Parts {
        let place = self.containers.iter().position(|name| *name == *container.name);
        let named = place.map(|place| Parts::of(CONTAINERS + place)).unwrap_or_default();
        let is_oom = container.reason == Condition::OomKilled.as_str();
        parts
            .with(HAS_EXIT_CODE, container.exit_code.is_some_and(|code| code > 0))
            .with(HAS_MESSAGE, !container.message.is_empty())
            .with(of_condition(Condition::OomKilled), is_oom)
            .with(HAS_CONTAINER.with(named, true), true)
    }
}

fn of_condition(condition: Condition) -> Parts {
    Parts::of(CONDITIONS + condition as usize)
}

fn of_conditions(rule: usize, names: &[Condition]) -> Need {
    Need {
        rule,
        part: &CONDITION,
        values: names.iter().map(|name| name.as_str().to_owned()).collect(),
        names: Vec::new(),
        any_of: names.iter().copied().map(of_condition).collect(),
        any_value: Condition::ALL.into_iter().map(of_condition).collect(),
        without: Without::NeverMatches,
    }
}
