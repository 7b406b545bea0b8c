//! Rules that decide nothing, because others apply to all of their failed Jobs first.

use crate::jobset::manifest::{MessagePattern, Rule};
use armada_retry::policy::{Coverage, coverage};
use document::pattern::{Matched, Pattern};
use std::collections::BTreeSet;

/// Whether earlier rules apply to every failed Job that a rule applies to. `jobs` are the names of the replicated
/// Jobs.
pub(super) fn covered(rules: &[Rule], jobs: &[&str], number: usize) -> Coverage {
    let Some(rule) = rules.get(number) else { return Coverage::Reached };
    let earlier = &rules[..number];
    let reasons = names(&rule.reasons, earlier.iter().map(|rule| &rule.reasons));
    let targets: Vec<&str> = match rule.targets.as_slice() {
        [] => jobs.to_vec(),
        own => own.iter().map(AsRef::as_ref).collect(),
    };
    let patterns = patterns(rule);
    let of_earlier: Vec<Vec<(&str, Matched)>> =
        earlier.iter().map(|rule| patterns_of(&rule.patterns)).collect();
    let sizes = [reasons.len(), targets.len(), patterns.len()];
    let accepts = |list: &[Box<str>], name: Option<&str>| {
        list.is_empty() || name.is_some_and(|name| list.iter().any(|it| **it == *name))
    };
    coverage(&sizes, (0..number).collect(), |rule, dimension, choice| match dimension {
        0 => accepts(&earlier[rule].reasons, reasons[choice]),
        1 => accepts(&earlier[rule].targets, Some(targets[choice])),
        _ => {
            let own = &of_earlier[rule];
            earlier[rule].patterns.is_empty()
                || own.iter().any(|pattern| covers(pattern, patterns[choice].as_ref()))
        }
    })
}

/// The names of a rule's list; without one, a name that no rule lists and those that others list.
fn names<'r>(
    own: &'r [Box<str>],
    others: impl Iterator<Item = &'r Vec<Box<str>>>,
) -> Vec<Option<&'r str>> {
    if !own.is_empty() {
        return own.iter().map(|name| Some(&**name)).collect();
    }
    let listed: BTreeSet<&str> = others.flatten().map(AsRef::as_ref).collect();
    std::iter::once(None).chain(listed.into_iter().map(Some)).collect()
}

/// The patterns of which a rule needs one; a single `None` if it reads no message.
fn patterns(rule: &Rule) -> Vec<Option<(&str, Matched)>> {
    match rule.patterns.as_slice() {
        [] => vec![None],
        own => patterns_of(own).into_iter().map(Some).collect(),
    }
}

/// Patterns with what they match. One that Go cannot compile matches nothing, and is left out.
fn patterns_of(patterns: &[MessagePattern]) -> Vec<(&str, Matched)> {
    let matched = |text: &str| Pattern::parse(text).ok().map(|pattern| pattern.matched());
    patterns.iter().filter_map(|it| Some((it.as_str(), matched(it.as_str())?))).collect()
}

/// Whether a pattern is found in every message with another; `None` is any message.
fn covers((text, matched): &(&str, Matched), other: Option<&(&str, Matched)>) -> bool {
    match (matched, other) {
        (Matched::All, _) => true,
        (Matched::Containing(own), Some((_, Matched::Containing(other)))) => other.contains(own),
        (_, other) => other.is_some_and(|(other, _)| other == text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobset::engine::failure_policy::{FailedJob, select};
    use crate::jobset::manifest::Action;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    const JOBS: [&str; 2] = ["driver", "workers"];
    const REASONS: [&str; 3] = ["BackoffLimitExceeded", "PodFailurePolicy", "FailedIndexes"];
    /// Patterns that match everything, literals of which one contains the other, a search, and one that Go cannot
    /// compile.
    const PATTERNS: [&str; 6] = [".*", "", "oom", "oom kill", "^exit [0-9]+$", "("];
    /// For each pattern a message in which only those are found that are found wherever it is.
    const MESSAGES: [&str; 4] = ["", "oom", "oom kill", "exit 3"];

    /// No item, which admits all, or some of them.
    fn some(all: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
        prop_oneof![2 => Just(Vec::new()), 3 => subsequence(all, 1..=2)]
    }

    fn rule() -> impl Strategy<Value = Rule> {
        let boxed = |texts: Vec<&str>| texts.into_iter().map(Box::from).collect();
        (some(&REASONS), some(&PATTERNS), some(&JOBS)).prop_map(
            move |(reasons, patterns, targets)| Rule {
                name: "r".into(),
                action: Action::RestartJobSet,
                reasons: boxed(reasons),
                patterns: patterns.into_iter().map(MessagePattern::new).collect(),
                targets: boxed(targets),
            },
        )
    }

    /// A failed Job of each replicated Job, reason and message; one reason is that of no rule.
    fn failures() -> Vec<FailedJob<'static>> {
        let mut all = Vec::new();
        for replicated_job in JOBS {
            for reason in REASONS.into_iter().chain(["DeadlineExceeded"]) {
                for message in MESSAGES {
                    all.push(FailedJob {
                        name: "set-job-0",
                        replicated_job,
                        job_index: Some(0),
                        reason,
                        message,
                        failed_at: 0,
                    });
                }
            }
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn rules_are_covered_if_the_engine_never_selects_them(rules in vec(rule(), 1..7)) {
            let mut is_selected = vec![false; rules.len()];
            for failure in failures() {
                let choice = select(&rules, std::iter::once(failure)).expect("one failed");
                if let Some(rule) = choice.rule {
                    is_selected[rule] = true;
                }
            }
            for (number, is_selected) in is_selected.into_iter().enumerate() {
                let is_covered = covered(&rules, &JOBS, number).is_covered();
                prop_assert_eq!(is_covered, !is_selected, "{}: {:?}", number, &rules);
            }
        }
    }
}
