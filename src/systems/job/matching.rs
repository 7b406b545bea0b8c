//! Which rule of a pod failure policy matches a failed pod (facts, B3;
//! `pkg/controller/job/pod_failure_policy.go`).

use super::model::{ConditionPattern, ExitCodes, Operator, PodAction, PodRule, Requirement};
use super::pod::{Pod, PodContainer};
use compact_str::ToCompactString;

/// The rule that matched a pod, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// The rule's index.
    pub rule: usize,
    /// Its action.
    pub action: PodAction,
    /// What it matched by.
    pub by: MatchedBy,
}

/// What a rule matched by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// A container's exit code: its place among the pod's containers.
    Container(usize),
    /// A condition: its place among the pod's.
    Condition(usize),
}

/// The first rule that matches a pod. A rule of an unknown action is passed over, also where it
/// would match.
pub fn first_match(rules: &[PodRule], pod: &Pod<'_>) -> Option<Matched> {
    rules.iter().enumerate().find_map(|(rule, body)| {
        let action = body.action?;
        let by = holds(&body.requirement, pod)?;
        Some(Matched { rule, action, by })
    })
}

/// Whether a pod that a rule matched, or none did, counts towards the limits (facts, B4).
pub fn counts(matched: Option<Matched>) -> bool {
    matched.is_none_or(|matched| matched.action.counts())
}

/// By what a requirement holds of a pod, if it does.
pub(super) fn holds(requirement: &Requirement, pod: &Pod<'_>) -> Option<MatchedBy> {
    match requirement {
        Requirement::ExitCodes(codes) => container(codes, pod).map(MatchedBy::Container),
        Requirement::Conditions(patterns) => condition(patterns, pod).map(MatchedBy::Condition),
        Requirement::Nothing => None,
    }
}

/// The first container that meets a requirement. Init containers come after all others, wherever
/// they stand.
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

/// Whether an exit code meets a requirement; 0, which is success, never does.
fn admits(codes: &ExitCodes, code: i32) -> bool {
    let listed = || codes.values.contains(&code);
    code != 0
        && match codes.operator {
            Some(Operator::In) => listed(),
            Some(Operator::NotIn) => !listed(),
            None => false,
        }
}

/// The first of a pod's conditions that any pattern equals, in the order of the conditions.
fn condition(patterns: &[ConditionPattern], pod: &Pod<'_>) -> Option<usize> {
    pod.conditions.iter().position(|condition| {
        patterns.iter().any(|p| *p.kind == *condition.kind && p.status == condition.status)
    })
}

/// The message of the Job's failure where a rule failed it, word for word as the controller writes
/// it (facts, A6): the patterns of a JobSet look for it.
pub fn message(matched: Matched, pod: &Pod<'_>) -> String {
    let mut text = Text(String::with_capacity(LONG));
    match matched.by {
        MatchedBy::Container(place) => {
            let container = pod.containers.get(place);
            let name = container.map_or("", |container| &container.name);
            let code = container.and_then(|container| container.exit_code).unwrap_or_default();
            text.add(&["Container ", name, " for pod "]).pod(pod).add(&[" failed with exit code "]);
            text.number(i64::from(code));
        }
        MatchedBy::Condition(place) => {
            let kind = pod.conditions.get(place).map_or("", |condition| &condition.kind);
            text.add(&["Pod "]).pod(pod).add(&[" has condition ", kind]);
        }
    }
    text.add(&[" matching ", matched.action.as_str(), " rule at index "]);
    text.number(i64::try_from(matched.rule).unwrap_or(i64::MAX));
    text.0
}

/// Room for a message.
const LONG: usize = 192;

/// A text that grows. A fleet's replay writes one a failure.
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

    /// A pod's name after its namespace.
    fn pod(&mut self, pod: &Pod<'_>) -> &mut Self {
        match pod.namespace {
            _ if pod.name.contains('/') => self.add(&[pod.name]),
            "" => self.add(&["default/", pod.name]),
            namespace => self.add(&[namespace, "/", pod.name]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::trace;
    use super::super::{ConditionStatus, PodCondition};
    use super::*;
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;
    use proptest::sample::select;

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

    /// What a rule asks for, said in as many words as it takes.
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
}
