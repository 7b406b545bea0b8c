//! Comparisons of two profiles with all sequences of attempts of a task.

use super::rules;
use crate::ManifestSystem;
use crate::compare::testing::{check, scaled};
use crate::iris::{IrisEngine, IrisProfile, Outcome, Phase, Rules};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns rules with one field of others.
fn edited(rules: Rules, other: Rules, field: usize) -> Rules {
    let mut edited = rules;
    match field {
        0 => edited.profile = other.profile,
        1 => edited.policy.max_retries_failure = other.policy.max_retries_failure,
        2 => edited.policy.max_retries_preemption = other.policy.max_retries_preemption,
        3 => edited.policy.max_task_failures = other.policy.max_task_failures,
        4 => edited.policy.replicas = other.policy.replicas,
        5 => edited.policy.coscheduled = other.policy.coscheduled,
        _ => edited = other,
    }
    edited
}

fn attempts() -> Vec<Value> {
    let fails = |it: &Outcome| !matches!(it, Outcome::Succeeded | Outcome::CancelJob);
    let phases = |outcome: Outcome| {
        let attempt =
            move |phase: Phase| json!({"outcome": outcome.as_str(), "phase": phase.as_str()});
        Phase::ALL.map(attempt)
    };
    Outcome::ALL.into_iter().filter(fails).flat_map(phases).collect()
}

proptest! {
    #![proptest_config(scaled(32))]

    #[test]
    fn differences_are_those_of_all_sequences(old in rules(9), other in rules(9), field in 0..7_usize) {
        let new = edited(old, other, field);
        let engines =
            [old, new].map(|rules| IrisEngine::new(IrisProfile { name: "p".into(), rules }));
        let engines = [&engines[0], &engines[1]];
        let comparison = check(engines, &attempts(), 4)?;
        let [before, after] = engines.map(ManifestSystem::parameters);
        let has_one_task = [old, new].iter().all(|it| it.policy.replicas == 1);
        prop_assert!(before != after || comparison.is_same());
        prop_assert!(before == after || has_one_task || !comparison.is_same());
    }
}
