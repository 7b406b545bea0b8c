//! Comparisons of two profiles with all sequences of failed tries.

use crate::ManifestSystem;
use crate::airflow::lint::tests::policies;
use crate::airflow::manifest::retry_policy::{RetryAction, RetryRule};
use crate::airflow::{AirflowEngine, AirflowManifest, AirflowPolicy, TimeDelta};
use crate::compare::testing::check_kinds;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns a policy with one field of another, or with a change of a rule.
fn edited(policy: &AirflowPolicy, other: &AirflowPolicy, field: usize, at: usize) -> AirflowPolicy {
    let mut edited = policy.clone();
    match field {
        0 => edited.profile = other.profile,
        1 => edited.retries = other.retries,
        2 => edited.retry_delay = other.retry_delay,
        3 => edited.backoff = other.backoff,
        4 => edited.max_retry_delay = other.max_retry_delay,
        5 => edited.max_task_retry_delay = 400,
        6 => edited.retry_policy.clone_from(&other.retry_policy),
        7 => edited = other.clone(),
        _ => edit_rules(&mut edited, field, at),
    }
    edited
}

fn edit_rules(policy: &mut AirflowPolicy, field: usize, at: usize) {
    let Some(own) = &mut policy.retry_policy else { return };
    let place = at % own.policies.len();
    let rules = &mut own.policies[place].rules;
    let Some(at) = at.checked_rem(rules.len()) else { return };
    match field {
        8 => rules.swap(0, at),
        9 => drop(rules.remove(at)),
        10 => rules[at].match_subclasses ^= true,
        11 => rules[at].action = RetryAction::Retry,
        _ => set_timeout(&mut rules[at]),
    }
}

fn set_timeout(rule: &mut RetryRule) {
    rule.reschedule_timeout = Some(TimeDelta::from_whole_seconds(200));
}

/// The failed tries: of exceptions of all sets of classes that one may have, and without an exception.
fn failures() -> Vec<Value> {
    let connections = [
        vec![],
        vec!["OSError"],
        vec!["ConnectionError", "OSError"],
        vec!["ConnectionResetError", "ConnectionError", "OSError"],
    ];
    let mut all = Vec::new();
    for first in ["derived.Error", "shop.Busy", "shop.Closed"] {
        for places in 0..8_usize {
            for connection in &connections {
                let others = ["shop.Busy", "shop.Closed", "ValueError"];
                let listed = (0..3).filter(|place| places >> place & 1 == 1);
                let bases = listed.map(|place| others[place]).filter(|class| *class != first);
                let classes: Vec<&str> = [first].into_iter().chain(bases).collect();
                let known = connection.iter().copied().chain(["Exception", "BaseException"]);
                let classes: Vec<&str> = classes.into_iter().chain(known).collect();
                all.push(json!({"exceptions": classes}));
            }
        }
    }
    let own = ["BaseException", "OSError", "ConnectionError", "ConnectionResetError", "ValueError"];
    all.extend(own.map(|class| json!({"exceptions": [class]})));
    all.extend([json!({}), json!({"forceFail": true}), json!({"workerDied": true})]);
    all.extend([json!({"processExit": 1}), json!({"processExit": -9, "workerDied": true})]);
    for state in ["running", "queued", "restarting"] {
        all.push(json!({"state": state}));
        for class in ["AirflowSensorTimeout", "AirflowFailException", "AirflowTaskTerminated"] {
            let class = format!("airflow.exceptions.{class}");
            all.push(json!({"state": state, "exceptions": [class]}));
        }
    }
    for one in &mut all {
        one["outcome"] = json!("Failed");
    }
    all
}

/// The state that a task failed in: one that was not running keeps the wait of the try before.
fn kind(failure: &Value) -> String {
    failure["state"].as_str().unwrap_or("running").to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn differences_are_those_of_all_sequences(
        old in policies(),
        other in policies(),
        field in 0..13_usize,
        at in 0..12_usize,
        has_timeout in prop::bool::weighted(0.2),
        longest in prop_oneof![8 => Just(2_usize), 1 => Just(3)],
    ) {
        let mut old = old;
        if has_timeout {
            edit_rules(&mut old, 12, at);
        }
        let new = edited(&old, &other, field, at / 2);
        let is_equal = old == new;
        let engines = [old, new]
            .map(|policy| AirflowEngine::new(AirflowManifest { name: "p".to_owned(), policy }));
        let engines = [&engines[0], &engines[1]];
        let comparison = check_kinds(engines, &failures(), longest, kind)?;
        prop_assert!(!is_equal || comparison.is_same());
        let [before, after] = engines.map(ManifestSystem::parameters);
        let is_decided = before["growth"] == after["growth"] && !has_timeout && field != 12;
        prop_assert!(!is_decided || comparison.undecided.is_empty(), "{:?}", comparison);
    }
}
