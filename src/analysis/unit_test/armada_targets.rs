//! The targets of Armada's policies.

use super::armada_examples::coverages;
use super::coverage::LONGEST_SEQUENCE;
use armada_retry::engine::{Counting, Evaluator};
use armada_retry::policy::{Action, Coverage, Documents, Form, PolicyDocument, RetryPolicy, Rule};
use document::diag::{Place, plural};
use document::{Document, Node};
use std::collections::{HashMap, HashSet};
use systems::{CoverageTarget, TargetKind};

/// Why rules decide nothing, by the numbers of the policy and of the rule in it.
type DeadRules = HashMap<(usize, usize), String>;

/// The policies of an evaluator, their documents, and the lists of policies that apply to jobs of the tests.
pub struct ArmadaPolicies<'p> {
    /// The evaluator.
    pub evaluator: &'p Evaluator,
    /// The documents, in the order of the evaluator's policies.
    pub documents: &'p Documents,
    /// The lists of policies, by their numbers, that apply to the jobs.
    pub routes: &'p [Vec<usize>],
    /// The place of `globalMaxRetries`, or of the tests if they do not set it.
    pub global: Place,
}

impl ArmadaPolicies<'_> {
    /// All rules, defaults and limits, in the order of the policies; the limit of a whole job last.
    pub fn targets(&self) -> Vec<CoverageTarget> {
        let policies = self.evaluator.policies().iter().zip(&self.documents.policies).enumerate();
        let dead = self.dead_rules();
        let mut targets: Vec<CoverageTarget> = policies
            .flat_map(|(number, (policy, document))| {
                self.targets_of(number, policy, document, &dead)
            })
            .collect();
        let global = self.global_limit();
        let names = self.routes.first().cloned().unwrap_or_default();
        let policies = self.evaluator.policies();
        let names: Vec<&str> =
            names.iter().filter_map(|it| Some(policies.get(*it)?.name.as_str())).collect();
        let kind = TargetKind::Limit { source: "global", value: global.into() };
        targets.push(
            CoverageTarget::new(&names.join(", "), None, kind, self.global.clone())
                .unreachable_if(self.global_is_unreachable(global, &dead)),
        );
        let off = (!self.is_enabled()).then(|| "the retry engine is disabled".to_owned());
        targets.into_iter().map(|target| target.unreachable_if(off.clone())).collect()
    }

    fn is_enabled(&self) -> bool {
        self.evaluator.settings().at(None).enabled
    }

    fn global_limit(&self) -> u32 {
        self.evaluator.settings().at(None).global_max_retries
    }

    fn targets_of(
        &self,
        number: usize,
        policy: &RetryPolicy,
        document: &PolicyDocument,
        dead: &DeadRules,
    ) -> Vec<CoverageTarget> {
        let name = policy.name.as_str();
        let root = &document.document;
        let global = self.global_limit();
        let stops_all = (global == 0).then(|| "globalMaxRetries is 0".to_owned());
        let mut targets = Vec::new();
        for (index, rule) in policy.rules.iter().enumerate() {
            let place = place_of(root, document.rule(index));
            let target = CoverageTarget::new(name, Some(index), TargetKind::Rule, place.clone());
            let is_dead = dead.get(&(number, index));
            targets.push(target.unreachable_if(stops_all.clone()).unreachable_if(is_dead.cloned()));
            let own = rule.retry_limit.filter(|_| rule.action == Action::Retry);
            if let Some(limit) = own {
                let node = document.rule(index).and_then(|rule| rule.get("retryLimit"));
                let place = node.map_or(place, |node| root.place(node.span));
                let kind = TargetKind::Limit { source: "rule", value: limit.into() };
                let target = CoverageTarget::new(name, Some(index), kind, place);
                let target = target.unreachable_if(limit_is_unreachable(limit, global));
                targets.push(target.unreachable_if(is_dead.cloned()));
            }
        }
        let is_first = self.routes.iter().any(|route| route.first() == Some(&number));
        let other = (!is_first).then(|| "the default of another policy applies".to_owned());
        let default = CoverageTarget::new(
            name,
            None,
            TargetKind::Default,
            place_in(document, "defaultAction"),
        );
        targets.push(default.unreachable_if(stops_all).unreachable_if(other));
        targets.extend(self.policy_limit((number, policy), document, is_first, dead));
        targets
    }

    /// The limit of a policy, if a rule or its default is subject to it.
    fn policy_limit(
        &self,
        (number, policy): (usize, &RetryPolicy),
        document: &PolicyDocument,
        is_first: bool,
        dead: &DeadRules,
    ) -> Option<CoverageTarget> {
        let limit = policy.limit()?;
        let subject = |rule: &Rule| rule.action == Action::Retry && rule.retry_limit.is_none();
        let mut of_rules =
            policy.rules.iter().enumerate().filter(|(_, rule)| subject(rule)).peekable();
        let of_default = is_first && policy.default_action() == Action::Retry;
        if of_rules.peek().is_none() && !of_default {
            return None;
        }
        let are_dead =
            !of_default && of_rules.all(|(index, _)| dead.contains_key(&(number, index)));
        let are_dead = are_dead.then(|| "no failure reaches a rule that it limits".to_owned());
        let kind = TargetKind::Limit { source: "policy", value: limit.into() };
        let place = place_in(document, "retryLimit");
        let target = CoverageTarget::new(policy.name.as_str(), None, kind, place);
        let target = target.unreachable_if(limit_is_unreachable(limit, self.global_limit()));
        Some(target.unreachable_if(are_dead))
    }

    /// The rules that decide nothing in any list of policies that they are in, each with the reason.
    fn dead_rules(&self) -> DeadRules {
        let mut dead = DeadRules::new();
        let mut reached = HashSet::new();
        for route in self.routes {
            let numbers: Vec<(usize, usize)> = route
                .iter()
                .filter_map(|&policy| Some((policy, self.evaluator.policies().get(policy)?)))
                .flat_map(|(policy, it)| (0..it.rules.len()).map(move |index| (policy, index)))
                .collect();
            for (rule, coverage) in numbers.iter().zip(coverages(self.evaluator, route)) {
                match coverage {
                    Coverage::Covered(by) => {
                        let by = by.iter().filter_map(|&number| numbers.get(number));
                        dead.entry(*rule).or_insert_with(|| self.covered_by(by));
                    }
                    Coverage::Reached | Coverage::Unknown => _ = reached.insert(*rule),
                }
            }
        }
        dead.retain(|rule, _| !reached.contains(rule));
        dead
    }

    /// Why a rule decides nothing that others cover.
    fn covered_by<'n>(&self, by: impl Iterator<Item = &'n (usize, usize)>) -> String {
        let name = |(policy, index): &(usize, usize)| {
            Some(format!("{}[{index}]", self.evaluator.policies().get(*policy)?.name))
        };
        let names: Vec<String> = by.filter_map(name).collect();
        match names.as_slice() {
            [] => "it matches no failure".to_owned(),
            [one] => format!("{one} matches all of its failures first"),
            [first, second] => format!("{first} and {second} match all of its failures first"),
            [first, rest @ ..] => {
                let more = plural(rest.len(), "other rule", "other rules");
                format!("{first} and {more} match all of its failures first")
            }
        }
    }

    /// Why no job can have as many retries as `globalMaxRetries`, if none can.
    fn global_is_unreachable(&self, global: u32, dead: &DeadRules) -> Option<String> {
        let most =
            self.routes.iter().map(|route| self.most_retries(route, dead)).max().unwrap_or(0);
        if most < u64::from(global) {
            return Some(format!("the policies grant at most {most} retries"));
        }
        too_long(global)
    }

    /// The most retries that the rules and the default of a list of policies grant, if a job has any failures.
    fn most_retries(&self, route: &[usize], dead: &DeadRules) -> u64 {
        let policy = |number: &usize| Some((*number, self.evaluator.policies().get(*number)?));
        let policies = route.iter().filter_map(policy);
        let limit = |own: Option<u32>, policy: &RetryPolicy| {
            own.or_else(|| policy.limit()).map_or(u64::from(u32::MAX), u64::from)
        };
        let mut limits = Vec::new();
        for (position, (number, policy)) in policies.enumerate() {
            let rules = policy.rules.iter().enumerate().filter(|(index, rule)| {
                rule.action == Action::Retry && !dead.contains_key(&(number, *index))
            });
            limits.extend(rules.map(|(_, rule)| limit(rule.retry_limit, policy)));
            if position == 0 && policy.default_action() == Action::Retry {
                limits.push(limit(None, policy));
            }
        }
        match self.evaluator.profile().counting {
            Counting::GrantedRetries => limits.iter().sum(),
            // One count is compared with every limit.
            Counting::FailuresLessOne => limits.into_iter().max().unwrap_or(0),
        }
    }
}

/// Why a limit on one rule's retries cannot be reached, if it cannot: each of them counts towards the global limit too.
fn limit_is_unreachable(limit: u32, global: u32) -> Option<String> {
    if limit >= global {
        return Some(format!("globalMaxRetries ({global}) is reached first"));
    }
    too_long(limit)
}

/// Why no test reaches a limit that more failures would reach than a test holds.
fn too_long(limit: u32) -> Option<String> {
    (limit as usize >= LONGEST_SEQUENCE)
        .then(|| format!("it needs more than {LONGEST_SEQUENCE} failures"))
}

/// The place of a field of a policy; of its name if the policy does not have it.
fn place_in(document: &PolicyDocument, key: &str) -> Place {
    let root = &document.document.root;
    let fields = match document.policy.form {
        Form::V1 => root.get("spec"),
        Form::V1beta1 => Some(root),
    };
    let name = || root.at(&["metadata", "name"]).or_else(|| root.get("name"));
    place_of(&document.document, fields.and_then(|fields| fields.get(key)).or_else(name))
}

fn place_of(document: &Document, node: Option<&Node>) -> Place {
    let span = node.map_or(document.root.span, |node| node.span);
    document.place(span.first_line(document.source.text()))
}
