//! A naive comparison for tests: all sequences of some failures, each replayed as `simulate` does.

use super::history::{Replayed, history, replay};
use super::walk::{first_run, next_run};
use super::{Comparison, compare};
use crate::ManifestSystem;
use document::units::{GoDuration, Time};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashSet;

/// The configuration of a property of so many cases, which the number of cases of the environment scales.
pub(crate) fn scaled(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: cases.saturating_mul(usual.cases) / USUAL_CASES, ..usual }
}

/// The usual cases of a property.
const USUAL_CASES: u32 = 256;

/// The length of the longest sequences of so many failures: there are some thousands if more cases than usual are asked for, else
/// some hundreds.
pub(crate) fn longest(failures: usize) -> usize {
    let most = if ProptestConfig::default().cases > USUAL_CASES { 3000 } else { 300 };
    let lengths = (1..=9_u32).take_while(|length| failures.max(2).pow(*length) <= most);
    lengths.count().max(2)
}

/// The kinds of the differences between two versions, each confirmed by a replay, and what is undecided.
pub(crate) fn confirmed_kinds<S: ManifestSystem>(
    engines: [&S; 2],
) -> (Vec<&'static str>, Vec<String>) {
    let Comparison { differences, undecided } = compare(engines);
    for difference in &differences {
        let [old, new] = replay(engines, &difference.history).unwrap().unwrap();
        assert!(old.differs(&new), "{difference:?}");
    }
    (differences.iter().map(|it| it.kind.as_str()).collect(), undecided)
}

/// Compares two versions with [`compare`] and with all sequences of these failures, and of those of each difference that was
/// found, up to a length: both find no difference, or one after the same number of failures. Each difference is replayed.
pub(crate) fn check<S: ManifestSystem>(
    engines: [&S; 2],
    failures: &[Value],
    longest: usize,
) -> Result<Comparison, TestCaseError> {
    check_members(engines, &[failures], longest)
}

/// Compares two versions as [`check`] does; failures of different kinds may be decided alike at first and otherwise later.
pub(crate) fn check_kinds<S: ManifestSystem>(
    engines: [&S; 2],
    failures: &[Value],
    longest: usize,
    kind: fn(&Value) -> String,
) -> Result<Comparison, TestCaseError> {
    check_all(engines, &[failures], longest, kind)
}

/// Compares two versions as [`check`] does, with the failures of each member.
pub(crate) fn check_members<S: ManifestSystem>(
    engines: [&S; 2],
    failures: &[&[Value]],
    longest: usize,
) -> Result<Comparison, TestCaseError> {
    check_all(engines, failures, longest, |_| String::new())
}

fn check_all<S: ManifestSystem>(
    engines: [&S; 2],
    failures: &[&[Value]],
    longest: usize,
    kind: fn(&Value) -> String,
) -> Result<Comparison, TestCaseError> {
    let comparison = compare(engines);
    for difference in &comparison.differences {
        let replayed = replay(engines, &difference.history);
        let replayed = replayed.map_err(|findings| {
            let found = findings.sorted();
            TestCaseError::fail(format!("{difference:?}: {found:?}"))
        })?;
        let differs = replayed.is_some_and(|[old, new]| old.differs(&new));
        prop_assert!(differs, "not confirmed: {:?}", difference);
    }
    let length = |history: &Value| history["spec"]["jobs"][0]["runs"].as_array().map(Vec::len);
    let shortest = comparison.differences.iter().filter_map(|it| length(&it.history)).min();
    let found = comparison.differences.iter().map(|it| failures_of(&it.history));
    let found: Vec<Vec<Value>> = found.filter(|it| it.len() <= longest).collect();
    let mut naive: Option<Vec<Value>> = None;
    for failures in failures.iter().copied().chain(found.iter().map(Vec::as_slice)) {
        let most = naive.as_ref().map_or(longest, |found| found.len() - 1);
        naive = shortest_difference(engines, failures, most, kind)?.or(naive);
    }
    let shortest = shortest.filter(|length| *length <= longest);
    prop_assert_eq!(shortest, naive.as_ref().map(Vec::len), "{:?}\n{:?}", naive, comparison);
    Ok(comparison)
}

/// The failures of a history, without their times.
fn failures_of(history: &Value) -> Vec<Value> {
    let runs = history["spec"]["jobs"][0]["runs"].as_array().cloned().unwrap_or_default();
    let failure = |mut run: Value| {
        for time in ["startedAt", "finishedAt"] {
            run.as_object_mut().map(|fields| fields.remove(time));
        }
        run
    };
    runs.into_iter().map(failure).collect()
}

/// The failures of a shortest sequence about whose last one the versions decide otherwise. Of those of a kind whose first
/// decisions are by the same rules, one is in longer sequences.
fn shortest_difference<S: ManifestSystem>(
    engines: [&S; 2],
    failures: &[Value],
    longest: usize,
    kind: fn(&Value) -> String,
) -> Result<Option<Vec<Value>>, TestCaseError> {
    let mut sequences: Vec<Vec<(Value, [Time; 2])>> = vec![Vec::new()];
    let mut times = vec![first_run()];
    let mut failures = failures.to_vec();
    for length in 1..=longest {
        let mut seen = HashSet::new();
        let mut distinct = Vec::new();
        let (mut longer, mut later) = (Vec::new(), Vec::new());
        for (sequence, time) in sequences.iter().zip(&times) {
            for failure in &failures {
                let mut next = sequence.clone();
                next.push((failure.clone(), *time));
                let replayed = replay(engines, &history(&borrowed(&next)));
                let replayed = replayed
                    .map_err(|findings| TestCaseError::fail(format!("{:?}", findings.sorted())))?;
                // A deadline ends the unit before the run.
                let Some([old, new]) = replayed else { continue };
                if old.differs(&new) {
                    return Ok(Some(next.into_iter().map(|(failure, _)| failure).collect()));
                }
                if length == 1 && seen.insert((kind(failure), [&old, &new].map(signature))) {
                    distinct.push(failure.clone());
                }
                if old.continues {
                    later.push(next_run(*time, [&old, &new].map(wait)));
                    longer.push(next);
                }
            }
        }
        (sequences, times) = (longer, later);
        if length == 1 {
            failures = distinct;
        }
    }
    Ok(None)
}

fn borrowed(failures: &[(Value, [Time; 2])]) -> Vec<(&Value, [Time; 2])> {
    failures.iter().map(|(failure, times)| (failure, *times)).collect()
}

fn signature(replayed: &Replayed) -> (String, String, Option<usize>) {
    let decision = &replayed.decision;
    (decision.decision.clone(), decision.action.clone(), decision.rule_index)
}

fn wait(replayed: &Replayed) -> GoDuration {
    let seconds = replayed.decision.delay_seconds.unwrap_or_default();
    GoDuration::parse(&format!("{seconds}s")).unwrap_or(GoDuration::ZERO)
}
