//! The match of a pod failure policy's rules with a failed pod (`pkg/controller/job/pod_failure_policy.go`).
//!
//! Owns success policies too: whether the indexes that have succeeded are enough, whatever the state of the
//! others (`pkg/controller/job/success_policy.go`).

use super::pod::{Pod, PodContainer};
use crate::job::manifest::indexes::Indexes;
use crate::job::manifest::{
    ConditionPattern, ExitCodes, Operator, PodAction, PodRule, Requirement, SuccessRule,
};
use compact_str::ToCompactString;

/// The rule that matched a pod, and the part of the pod that it matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleMatch {
    /// The rule's index.
    pub rule: usize,
    /// The action.
    pub action: PodAction,
    /// The container or condition that it matched.
    pub by: MatchSource,
}

/// The container or condition that a rule matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSource {
    /// The exit code of the container with this index in the pod.
    Container(usize),
    /// The condition with this index in the pod.
    Condition(usize),
}

/// Returns the first rule that matches a pod. A rule with an unknown action is skipped, even if it would
/// match.
pub fn first_match(rules: &[PodRule], pod: &Pod<'_>) -> Option<RuleMatch> {
    rules.iter().enumerate().find_map(|(rule, body)| {
        let action = body.action?;
        let by = match_requirement(&body.requirement, pod)?;
        Some(RuleMatch { rule, action, by })
    })
}

/// Returns whether a failed pod with this match counts towards the limits.
pub fn counts(matched: Option<RuleMatch>) -> bool {
    matched.is_none_or(|matched| matched.action.counts())
}

/// Returns the container or condition by which a requirement matches a pod.
pub(crate) fn match_requirement(requirement: &Requirement, pod: &Pod<'_>) -> Option<MatchSource> {
    match requirement {
        Requirement::ExitCodes(codes) => container(codes, pod).map(MatchSource::Container),
        Requirement::Conditions(patterns) => condition(patterns, pod).map(MatchSource::Condition),
        Requirement::Nothing => None,
    }
}

/// Returns the first container that meets a requirement. Init containers come after all others, whatever
/// their position.
fn container(codes: &ExitCodes, pod: &Pod<'_>) -> Option<usize> {
    let of = |init: bool| {
        let all = pod.containers.iter().enumerate();
        all.filter(move |(_, container)| container.init == init)
    };
    let meets = |container: &PodContainer| {
        let named = codes.container.as_ref().is_none_or(|name| **name == *container.name);
        named && container.exit_code.is_some_and(|code| admits(codes, code))
    };
    let mut found = of(false).chain(of(true)).filter(|(_, container)| meets(container));
    found.next().map(|(place, _)| place)
}

/// Returns whether an exit code meets a requirement; 0, which is success, never does.
fn admits(codes: &ExitCodes, code: i32) -> bool {
    let listed = || codes.values.contains(&code);
    // `NotIn` would admit 0, which is success.
    code != 0
        && match codes.operator {
            Some(Operator::In) => listed(),
            Some(Operator::NotIn) => !listed(),
            None => false,
        }
}

/// Returns the first of a pod's conditions that equals any pattern, in the order of the conditions.
fn condition(patterns: &[ConditionPattern], pod: &Pod<'_>) -> Option<usize> {
    pod.conditions.iter().position(|condition| {
        patterns.iter().any(|p| *p.kind == *condition.kind && p.status == condition.status)
    })
}

/// Returns the message of a Job that a rule failed, exactly as the controller writes it
/// (`pkg/controller/job/pod_failure_policy.go`): the patterns of a JobSet match on it.
pub fn message(matched: RuleMatch, pod: &Pod<'_>) -> String {
    // Most messages fit, so that the text does not grow.
    let mut text = Text(String::with_capacity(LONG));
    match matched.by {
        MatchSource::Container(place) => {
            let container = pod.containers.get(place);
            let name = container.map_or("", |container| &container.name);
            let code = container.and_then(|container| container.exit_code).unwrap_or_default();
            text.add(&["Container ", name, " for pod "]).pod(pod).add(&[" failed with exit code "]);
            text.number(i64::from(code));
        }
        MatchSource::Condition(place) => {
            let kind = pod.conditions.get(place).map_or("", |condition| &condition.kind);
            text.add(&["Pod "]).pod(pod).add(&[" has condition ", kind]);
        }
    }
    text.add(&[" matching ", matched.action.as_str(), " rule at index "]);
    text.number(i64::try_from(matched.rule).unwrap_or(i64::MAX));
    text.0
}

/// The initial capacity of a message in bytes.
const LONG: usize = 192;

/// A text under construction. A fleet's replay writes one for each failure, so it allocates once.
struct Text(String);

impl Text {
    fn add(&mut self, parts: &[&str]) -> &mut Self {
        for part in parts {
            self.0.push_str(part);
        }
        self
    }

    fn number(&mut self, number: i64) {
        self.0.push_str(&number.to_compact_string());
    }

    /// Adds a pod's name after its namespace.
    fn pod(&mut self, pod: &Pod<'_>) -> &mut Self {
        match pod.namespace {
            // A recorded name may have its namespace already.
            _ if pod.name.contains('/') => self.add(&[pod.name]),
            "" => self.add(&["default/", pod.name]),
            namespace => self.add(&[namespace, "/", pod.name]),
        }
    }
}

/// Returns the first rule that these succeeded indexes meet.
pub fn met_rule(rules: &[SuccessRule], succeeded: &Indexes) -> Option<usize> {
    // The controller evaluates the policy only once an index has succeeded; a rule with the count 0 would be met
    // before.
    if succeeded.is_empty() {
        return None;
    }
    rules.iter().position(|rule| rule.is_met_by(succeeded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::report::reason::trace;
    use crate::job::{ConditionStatus, PodCondition};
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::collections::BTreeSet;

    fn requirement() -> impl Strategy<Value = Requirement> {
        let operator = select(vec![None, Some(Operator::In), Some(Operator::NotIn)]);
        let name = of(select(vec!["main", "setup", "side"]).prop_map(Into::into));
        let codes =
            (name, operator, vec(-1..4_i32, 1..4)).prop_map(|(container, operator, values)| {
                Requirement::ExitCodes(ExitCodes { container, operator, values })
            });
        let kind = select(vec!["DisruptionTarget", "Ready"]).prop_map(Into::into);
        let pattern = (kind, status()).prop_map(|(kind, status)| ConditionPattern { kind, status });
        prop_oneof![
            3 => codes,
            2 => vec(pattern, 0..3).prop_map(Requirement::Conditions),
            1 => Just(Requirement::Nothing),
        ]
    }

    fn status() -> impl Strategy<Value = ConditionStatus> {
        select(vec![ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown])
    }

    fn container() -> impl Strategy<Value = PodContainer> {
        let name = select(vec!["main", "setup", "side"]).prop_map(Into::into);
        (name, any::<bool>(), of(-1..4_i32)).prop_map(|(name, init, exit_code)| PodContainer {
            name,
            init,
            exit_code,
            ..PodContainer::default()
        })
    }

    /// Returns whether a requirement matches, by an independent model.
    fn plainly(requirement: &Requirement, pod: &Pod<'_>) -> bool {
        match requirement {
            Requirement::Nothing => false,
            Requirement::Conditions(patterns) => patterns.iter().any(|pattern| {
                let same = |c: &PodCondition| c.kind == pattern.kind && c.status == pattern.status;
                pod.conditions.iter().any(same)
            }),
            Requirement::ExitCodes(codes) => pod.containers.iter().any(|container| {
                let named = codes.container.as_deref().is_none_or(|name| *name == *container.name);
                let Some(code) = container.exit_code.filter(|code| *code != 0 && named) else {
                    return false;
                };
                match codes.operator {
                    Some(Operator::In) => codes.values.contains(&code),
                    Some(Operator::NotIn) => !codes.values.contains(&code),
                    None => false,
                }
            }),
        }
    }

    proptest! {
        #[test]
        fn the_first_rule_that_holds_and_is_known_wins(
            requirements in vec((of(select(PodAction::ALL.to_vec())), requirement()), 0..6),
            containers in vec(container(), 0..4),
            conditions in vec((select(vec!["DisruptionTarget", "Ready"]), status()), 0..3),
        ) {
            let rules: Vec<PodRule> = requirements
                .into_iter()
                .map(|(action, requirement)| PodRule { action, requirement })
                .collect();
            let conditions: Vec<PodCondition> = conditions
                .into_iter()
                .map(|(kind, status)| PodCondition { kind: kind.into(), status, reason: None })
                .collect();
            let pod = Pod { containers: &containers, conditions: &conditions, ..Pod::default() };
            let plain = rules
                .iter()
                .position(|rule| rule.action.is_some() && plainly(&rule.requirement, &pod));
            prop_assert_eq!(first_match(&rules, &pod).map(|matched| matched.rule), plain);
            let tried = trace("j", &rules, &pod);
            prop_assert_eq!(tried.len(), rules.len() + 1);
            let matched = tried.iter().find(|tried| tried.matched);
            prop_assert_eq!(matched.map(|tried| tried.rule.index), Some(plain));
            prop_assert!(tried.iter().all(|tried| !tried.why.is_empty()));
        }
    }

    #[test]
    fn init_containers_come_last() {
        let one = |name: &str, init| PodContainer {
            name: name.into(),
            init,
            exit_code: Some(3),
            ..PodContainer::default()
        };
        let containers = [one("setup", true), one("main", false)];
        let pod = Pod { name: "ns/p", containers: &containers, ..Pod::default() };
        let codes = ExitCodes { container: None, operator: Some(Operator::In), values: vec![3] };
        let requirement = Requirement::ExitCodes(codes);
        let rules = [PodRule { action: Some(PodAction::FailJob), requirement }];
        let matched = first_match(&rules, &pod).unwrap();
        let text =
            "Container main for pod ns/p failed with exit code 3 matching FailJob rule at index 0";
        assert_eq!(message(matched, &pod), text);
    }

    fn rule(indexes: Option<&str>, count: Option<u32>) -> SuccessRule {
        SuccessRule { indexes: indexes.map(|text| text.parse().unwrap()), count }
    }

    #[test]
    fn the_first_rule_that_is_met_counts() {
        let rules = [rule(Some("0,2-4"), None), rule(Some("1-3"), Some(2)), rule(None, Some(5))];
        for (succeeded, met) in [
            ("", None),
            ("0,2,3", Some(1)),
            ("0,2-4", Some(0)),
            ("1,4,5", None),
            ("1,5-8", Some(2)),
        ] {
            assert_eq!(met_rule(&rules, &succeeded.parse().unwrap()), met, "{succeeded}");
        }
        // No rule is met before an index has succeeded; an empty list is never met.
        for rule in [rule(None, Some(0)), rule(Some("3"), Some(0)), rule(Some(""), None)] {
            assert_eq!(met_rule(std::slice::from_ref(&rule), &Indexes::default()), None);
            let met = rule.indexes.as_ref().is_none_or(|indexes| !indexes.is_empty());
            assert_eq!(met_rule(&[rule], &"1".parse().unwrap()), met.then_some(0));
        }
    }

    proptest! {
        /// Compares with an independent computation, index by index.
        #[test]
        fn a_rule_is_met_by_enough_of_its_indexes(
            indexes in of(prop::collection::btree_set(0_u32..20, 1..9)),
            count in of(0_u32..9),
            succeeded in prop::collection::btree_set(0_u32..20, 0..20),
        ) {
            let set = |all: &BTreeSet<u32>| {
                let mut set = Indexes::default();
                for index in all {
                    set.insert(*index);
                }
                set
            };
            let rule = SuccessRule { indexes: indexes.as_ref().map(set), count };
            let found = indexes.as_ref().map_or(succeeded.len(), |all| all.intersection(&succeeded).count());
            let all = indexes.as_ref().is_some_and(|all| all.is_subset(&succeeded));
            let enough = count.is_some_and(|count| found >= count as usize);
            let met = !succeeded.is_empty() && (all || enough);
            prop_assert_eq!(met_rule(&[rule], &set(&succeeded)).is_some(), met);
        }
    }
}
