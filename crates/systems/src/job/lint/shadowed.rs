//! Rules that decide nothing, because others match all of their pods first.

use crate::job::manifest::{ExitCodes, Operator, PodRule, Requirement};
use armada_retry::policy::{Coverage, coverage};
use std::collections::BTreeSet;

/// A code that no list contains: the API server refuses 0, and lists hold 32-bit numbers.
const OTHER_CODE: i64 = i32::MAX as i64 + 1;

/// Whether earlier rules match every pod that a rule matches. Of the pods that a rule matches, the fewest others match
/// one with a single failed container or condition.
pub(super) fn covered(rules: &[PodRule], number: usize) -> Coverage {
    let Some(rule) = rules.get(number).filter(|rule| rule.action.is_some()) else {
        return Coverage::Reached;
    };
    // A rule with an unknown action is skipped.
    let earlier = (0..number).filter(|&earlier| rules[earlier].action.is_some()).collect();
    match &rule.requirement {
        Requirement::Nothing => Coverage::Reached,
        Requirement::ExitCodes(codes) => {
            let choices = choices(codes, &rules[..number]);
            coverage(&[choices.len()], earlier, |earlier, _, choice| {
                let Requirement::ExitCodes(other) = &rules[earlier].requirement else {
                    return false;
                };
                let sees = other.container.is_none() || other.container == codes.container;
                sees && admits(other, choices[choice])
            })
        }
        Requirement::Conditions(patterns) => {
            coverage(&[patterns.len()], earlier, |earlier, _, choice| {
                matches!(&rules[earlier].requirement,
                    Requirement::Conditions(others) if others.contains(&patterns[choice]))
            })
        }
    }
}

/// Exit codes that a requirement admits: one for each way in which other rules distinguish them.
fn choices(codes: &ExitCodes, others: &[PodRule]) -> Vec<i64> {
    let lists = others.iter().filter_map(|other| match &other.requirement {
        Requirement::ExitCodes(other) => Some(&other.values),
        Requirement::Conditions(_) | Requirement::Nothing => None,
    });
    let listed: BTreeSet<i64> =
        lists.chain([&codes.values]).flatten().copied().map(i64::from).collect();
    let all = std::iter::once(OTHER_CODE).chain(listed);
    all.filter(|code| admits(codes, *code)).collect()
}

fn admits(codes: &ExitCodes, code: i64) -> bool {
    let is_listed = codes.values.iter().any(|value| i64::from(*value) == code);
    code != 0
        && match codes.operator {
            Some(Operator::In) => is_listed,
            Some(Operator::NotIn) => !is_listed,
            None => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{
        ConditionPattern, ConditionStatus, Pod, PodAction, PodCondition, PodContainer, first_match,
    };
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    const CODES: [i32; 3] = [1, 2, 3];
    const KINDS: [&str; 2] = ["DisruptionTarget", "ConfigIssue"];

    fn rule() -> impl Strategy<Value = PodRule> {
        let container = select(vec![None, None, Some("a"), Some("b")]);
        let operator = select(vec![Operator::In, Operator::NotIn]);
        let codes = (container, operator, subsequence(&CODES[..], 1..=3)).prop_map(
            |(container, operator, values)| {
                let container = container.map(Into::into);
                Requirement::ExitCodes(ExitCodes { container, operator: Some(operator), values })
            },
        );
        let status = select(vec![ConditionStatus::True, ConditionStatus::False]);
        let condition = (select(&KINDS[..]), status)
            .prop_map(|(kind, status)| ConditionPattern { kind: kind.into(), status });
        let conditions = vec(condition, 1..3).prop_map(Requirement::Conditions);
        let action = select(vec![Some(PodAction::Count), Some(PodAction::Ignore), None]);
        (action, prop_oneof![3 => codes, 1 => conditions])
            .prop_map(|(action, requirement)| PodRule { action, requirement })
    }

    /// All lists of up to two containers of the names `a`, `b` and another, and all conditions.
    fn pods() -> Vec<(Vec<PodContainer>, Vec<PodCondition>)> {
        let codes = || (0..=4).map(Some).chain([None]);
        let container = |name: &str, exit_code| PodContainer {
            name: name.into(),
            exit_code,
            ..PodContainer::default()
        };
        let mut containers = vec![Vec::new()];
        for (one, two) in [("a", "b"), ("a", "c"), ("b", "c")] {
            for first in codes() {
                containers.extend(
                    codes().map(|second| vec![container(one, first), container(two, second)]),
                );
            }
        }
        let values = [None, Some(ConditionStatus::True), Some(ConditionStatus::False)];
        let mut conditions = Vec::new();
        for first in values {
            for second in values {
                let pair = KINDS.iter().zip([first, second]);
                conditions.push(
                    pair.filter_map(|(kind, value)| {
                        let kind = (*kind).into();
                        value.map(|status| PodCondition { kind, status, reason: None })
                    })
                    .collect::<Vec<_>>(),
                );
            }
        }
        let all = containers.iter().flat_map(|containers| {
            conditions.iter().map(|conditions| (containers.clone(), conditions.clone()))
        });
        all.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn rules_are_covered_if_the_engine_never_selects_them(rules in vec(rule(), 1..6)) {
            let mut selected = vec![false; rules.len()];
            for (containers, conditions) in pods() {
                let pod = Pod { containers: &containers, conditions: &conditions, ..Pod::default() };
                if let Some(matched) = first_match(&rules, &pod) {
                    selected[matched.rule] = true;
                }
            }
            for (number, is_selected) in selected.into_iter().enumerate() {
                // A rule with an unknown action is skipped, and not covered.
                let is_covered = covered(&rules, number).is_covered();
                let is_skipped = rules[number].action.is_none();
                prop_assert_eq!(is_covered, !is_selected && !is_skipped, "{}: {:?}", number, &rules);
            }
        }
    }
}
