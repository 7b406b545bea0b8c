//! Comparisons of two profiles with all sequences of failed tries.

use crate::ManifestSystem;
use crate::airflow::lint::tests::policies;
use crate::airflow::manifest::profile::Profile;
use crate::airflow::manifest::retry_policy::{
    ExceptionRetryPolicy, RetryAction, RetryRule, TaskRetryPolicy,
};
use crate::airflow::{AirflowEngine, AirflowManifest, AirflowPolicy, TimeDelta};
use crate::compare::compare;
use crate::compare::testing::{check_kinds, scaled};
use armada_retry::engine::compare::DifferenceKind;
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

/// The failed tries: of exceptions of all sets of classes that one may have, and without an exception; of tasks without
/// retries also those whose limit was raised.
fn failures(has_retries: bool) -> Vec<Value> {
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
    all.extend(recorded());
    if !has_retries {
        let mut cleared = all.clone();
        for one in &mut cleared {
            one["maxTries"] = json!(1);
        }
        all.extend(cleared);
    }
    for one in &mut all {
        one["outcome"] = json!("Failed");
    }
    all
}

/// Failed tries with recorded decisions and counts.
fn recorded() -> Vec<Value> {
    let mut all = Vec::new();
    for exception in ["derived.Error", "shop.Busy", "ValueError", "BaseException"] {
        all.push(json!({"exceptions": [exception], "forceFail": true}));
    }
    // No policy of the test has a wait of this length.
    all.push(json!({"exceptions": ["shop.Busy"], "retryDelayOverride": 7.5}));
    for state in ["running", "queued", "restarting"] {
        all.push(json!({"state": state, "retryDelayOverride": 7.5}));
    }
    all
}

/// Failed tries with recorded counts. They shorten the sequences to a difference.
fn counted() -> Vec<Value> {
    let mut all = Vec::new();
    for exception in ["derived.Error", "shop.Busy", "ValueError"] {
        let classes = [exception, "Exception"];
        for field in ["tryNumber", "maxTries", "rescheduleCount"] {
            all.push(json!({"outcome": "Failed", "exceptions": classes, field: 2}));
        }
    }
    all
}

/// The state that a task failed in, as one that was not running keeps the wait of the try before, and the recorded fields on
/// which later tries depend.
fn kind(failure: &Value) -> String {
    let fields = ["maxTries", "retryDelayOverride", "tryNumber", "rescheduleCount"];
    let recorded = fields.map(|field| &failure[field]);
    format!("{} {recorded:?}", failure["state"].as_str().unwrap_or("running"))
}

/// Returns the engine of a policy.
fn engine(policy: AirflowPolicy) -> AirflowEngine {
    AirflowEngine::new(AirflowManifest { name: "p".to_owned(), policy })
}

#[test]
fn a_policy_without_rules_decides_otherwise_than_none_where_a_record_has_force_fail() {
    for retries in [0, 2] {
        let without = AirflowPolicy { profile: Profile::V3_4, retries, ..AirflowPolicy::default() };
        let mut with = without.clone();
        let default = RetryAction::Retry;
        let policies = vec![ExceptionRetryPolicy { default, ..ExceptionRetryPolicy::default() }];
        with.retry_policy = Some(TaskRetryPolicy { policies, is_chain: false });
        let [without, with] = [without, with].map(engine);
        for (engines, kind) in [
            ([&without, &with], DifferenceKind::NowRetried),
            ([&with, &without], DifferenceKind::NoLongerRetried),
        ] {
            let comparison = compare(engines);
            let kinds: Vec<_> = comparison.differences.iter().map(|it| it.kind).collect();
            assert_eq!(kinds, [kind], "{comparison:?}");
            let run = &comparison.differences[0].history["spec"]["jobs"][0]["runs"][0];
            assert_eq!(run["forceFail"], json!(true));
            assert_eq!(run["maxTries"].as_u64(), (retries == 0).then_some(1));
        }
    }
}

#[test]
fn a_release_follows_a_recorded_delay_and_the_one_before_it_does_not() {
    let policy = |profile| AirflowPolicy { profile, retries: 1, ..AirflowPolicy::default() };
    let [old, new] = [Profile::V3_2, Profile::V3_3].map(policy).map(engine);
    for engines in [[&old, &new], [&new, &old]] {
        let comparison = compare(engines);
        let kinds: Vec<_> = comparison.differences.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [DifferenceKind::Wait], "{comparison:?}");
    }
}

#[test]
fn limits_of_thousands_of_retries_differ_after_as_many_failures() {
    let policy = |retries| AirflowPolicy { retries, ..AirflowPolicy::default() };
    let [old, new] = [5000, 5001].map(policy).map(engine);
    let comparison = compare([&old, &new]);
    let kinds: Vec<_> = comparison.differences.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [DifferenceKind::MoreRetries], "{:?}", comparison.undecided);
    let runs = comparison.differences[0].history["spec"]["jobs"][0]["runs"].as_array();
    assert_eq!(runs.map(Vec::len), Some(5001));
}

proptest! {
    #![proptest_config(scaled(24))]

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
        let failures = failures(old.retries + new.retries > 0);
        let engines = [old, new].map(engine);
        let engines = [&engines[0], &engines[1]];
        let comparison = check_kinds(engines, &failures, longest, kind)?;
        prop_assert!(!is_equal || comparison.is_same());
        if comparison.is_same() {
            check_kinds(engines, &counted(), 2, kind)?;
        }
        let [before, after] = engines.map(ManifestSystem::parameters);
        let is_decided = before["growth"] == after["growth"] && !has_timeout && field != 12;
        prop_assert!(!is_decided || comparison.undecided.is_empty(), "{:?}", comparison);
    }
}
