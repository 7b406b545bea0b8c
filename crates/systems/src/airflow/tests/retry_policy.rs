//! Retry policies in replays: what is not consulted, and how tries are counted around reschedules. The answers
//! themselves are compared with Airflow's in the vectors.

use super::engine::{codes, engine, replay, try_at};
use crate::airflow::AirflowEngine;
use crate::explain;
use proptest::prelude::*;
use replay::simulate::{self, JobReport, Names, ReportTexts, Summary};
use serde_json::{Value, json};

const BUSY: &str = "{exception: shop.Busy, action: reschedule, max_reschedules: 2}";

fn by_policy(profile: &str, retries: usize, retry_policy: &str) -> AirflowEngine {
    engine(&format!(
        "profile: '{profile}'\n  policy: {{retries: {retries}, retry_delay_seconds: 60, retry_policy: \
         {retry_policy}}}"
    ))
}

/// Makes a failed try with these fields.
fn failed(hour: usize, fields: &Value) -> Value {
    let mut record = try_at(hour, "Failed");
    for (name, value) in fields.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

fn raised(hour: usize, class: &str) -> Value {
    failed(hour, &json!({"exceptions": [class]}))
}

fn numbers(task: &JobReport) -> Vec<u64> {
    task.decisions.iter().filter_map(|one| one.system.count("try_number")).collect()
}

/// A policy that ends every try is not consulted where no exception was raised.
#[test]
fn an_end_without_an_exception_goes_by_retries() {
    for profile in ["3.3", "3.4"] {
        let engine = by_policy(profile, 1, "{rules: [], default: fail}");
        for (fields, code) in [
            (json!({"exceptions": ["ValueError"]}), "fail_policy"),
            (json!({"workerDied": true}), "retry"),
            (json!({"state": "queued"}), "retry"),
            (json!({"state": "queued", "exceptions": ["ValueError"]}), "retry"),
            (json!({"state": "restarting"}), "retry_restarting"),
            (json!({}), "retry"),
            (json!({"exceptions": ["airflow.exceptions.AirflowFailException"]}), "fail_forced"),
            // The recorded request may be that of another policy.
            (json!({"exceptions": ["ValueError"], "forceFail": true}), "fail_policy"),
            (json!({"forceFail": true}), "fail_forced"),
        ] {
            assert_eq!(
                codes(&replay(&engine, &[failed(1, &fields)])),
                [code],
                "{profile} {fields}"
            );
        }
    }
}

#[test]
fn an_answer_replaces_a_recorded_delay() {
    let engine =
        by_policy("3.3", 9, "{rules: [{exception: a.B, retry_delay: 5}, {exception: a.C}]}");
    for (class, wait) in [("a.B", 5.0), ("a.C", 60.0), ("a.D", 60.0)] {
        let record = failed(1, &json!({"exceptions": [class], "retryDelayOverride": 7}));
        assert_eq!(replay(&engine, &[record]).decisions[0].delay_seconds, Some(wait), "{class}");
    }
    let died = failed(1, &json!({"workerDied": true, "retryDelayOverride": 7}));
    assert_eq!(replay(&engine, &[died]).decisions[0].delay_seconds, Some(7.0));
}

/// Airflow clears the delay of a retry policy as the next try begins, which one that is found dead while it is
/// queued never does.
#[test]
fn a_try_that_never_began_waits_as_the_one_before() {
    let engine = by_policy("3.4", 9, "{rules: [{exception: a.B, retry_delay: 5}]}");
    let queued = |hour| failed(hour, &json!({"state": "queued"}));
    let died = |hour| failed(hour, &json!({"workerDied": true}));
    let task = replay(&engine, &[raised(1, "a.B"), queued(2), queued(3), died(4), queued(5)]);
    let waits: Vec<f64> = task.decisions.iter().filter_map(|one| one.delay_seconds).collect();
    assert_eq!(waits, [5.0, 5.0, 5.0, 60.0, 60.0]);
}

#[test]
fn a_reschedule_uses_no_retry() {
    let engine = by_policy("3.4", 1, &format!("{{rules: [{BUSY}]}}"));
    let records: Vec<Value> = (1..=7).map(|hour| raised(hour, "shop.Busy")).collect();
    let task = replay(&engine, &records);
    let expected =
        ["reschedule", "reschedule", "retry", "reschedule", "reschedule", "fail_tries_used_up"];
    assert_eq!(codes(&task), expected);
    assert_eq!((numbers(&task), task.not_reached), (vec![1, 1, 1, 2, 2, 2], 1));
    assert_eq!(task.decisions[4].total_retries, 1);
    let open = replay(&engine, &records[..1]);
    assert_eq!(open.system_outcome.as_deref(), Some("up_for_reschedule"));
    let poked = failed(1, &json!({"exceptions": ["shop.Busy"], "rescheduleCount": 2}));
    assert_eq!(codes(&replay(&engine, &[poked])), ["retry"]);
}

#[test]
fn a_timeout_counts_from_the_first_reschedule() {
    let rule = "{exception: a.B, action: reschedule, reschedule_timeout: 7200}";
    let engine = by_policy("3.4", 0, &format!("{{rules: [{rule}]}}"));
    let records: Vec<Value> = (1..=4).map(|hour| raised(hour, "a.B")).collect();
    assert_eq!(codes(&replay(&engine, &records)), ["reschedule", "reschedule", "fail_no_retries"]);
}

proptest! {
    /// On record every end may have been a retry, or a reschedule: the numbers of the replayed policy do not
    /// depend on it.
    #[test]
    fn recorded_numbers_follow_the_policy(
        busy in prop::collection::vec(any::<bool>(), 1..9),
        steps in prop::collection::vec(0..2_i32, 9),
    ) {
        let engine = by_policy("3.4", 9, &format!("{{rules: [{BUSY}]}}"));
        let mut number = 1;
        let (mut plain, mut numbered) = (Vec::new(), Vec::new());
        for (index, busy) in busy.iter().enumerate() {
            let record = raised(index + 1, if *busy { "shop.Busy" } else { "ValueError" });
            let mut with_number = record.clone();
            with_number["tryNumber"] = json!(number);
            number += steps[index];
            plain.push(record);
            numbered.push(with_number);
        }
        let (plain, numbered) = (replay(&engine, &plain), replay(&engine, &numbered));
        prop_assert_eq!(numbers(&plain), numbers(&numbered));
        prop_assert_eq!(codes(&plain), codes(&numbered));
    }
}

#[test]
fn every_rule_is_told_and_why_it_does_not_match() {
    let chain = format!(
        "{{policies: [{{rules: [{{exception: a.B, match_subclasses: false}}, {BUSY}]}}, {{rules: [{{exception: \
         builtins.OSError, action: fail, reason: lost}}]}}]}}"
    );
    let engine = by_policy("3.4", 2, &chain);
    let told = |record: Value| {
        let members = super::engine::members(&[record]);
        let (decision, tried) = explain(&engine, &members[0], 0, 0).unwrap();
        let line = |one: &crate::Tried| (one.rule.index, one.matched, one.why.clone());
        (decision, tried.iter().map(line).collect::<Vec<_>>())
    };
    let (decision, tried) = told(raised(1, "ConnectionError"));
    assert_eq!((decision.decision.as_str(), decision.rule_index), ("fail_policy", Some(2)));
    let reason = "ExceptionRetryPolicy: lost (after ExceptionRetryPolicy: no decision)";
    assert_eq!(decision.system.text("retryReason"), Some(reason));
    let class = "builtins.ConnectionError";
    let first = "retry_policy.policies[0]";
    assert_eq!(
        tried,
        [
            (Some(0), false, format!("{first}.rules[0]: {class} is not exactly a.B")),
            (Some(1), false, format!("{first}.rules[1]: {class} does not derive from shop.Busy")),
            (None, false, format!("{first}: no rule matches, and its default is default")),
            (
                Some(2),
                true,
                "retry_policy.policies[1].rules[0] matches builtins.OSError: fail".to_owned()
            ),
        ]
    );
    let (decision, tried) = told(raised(1, "shop.Busy"));
    assert_eq!((decision.action.as_str(), decision.rule_index), ("up_for_reschedule", Some(1)));
    assert_eq!(tried.iter().filter(|(_, matched, _)| *matched).count(), 3);
    let (_, tried) = told(failed(1, &json!({"workerDied": true})));
    assert_eq!(tried[0].2, "the worker died, so retry_policy was not consulted");
}

/// A failure counts as lacking facts if a rule might match it by an exception, or a base, that is not on record.
#[test]
fn failures_without_exceptions_are_counted() {
    let engine = by_policy("3.3", 9, "{rules: [{exception: a.B}, {exception: a.C}]}");
    for (fields, lacking) in [
        (json!({}), 1),
        (json!({"exceptions": []}), 1),
        (json!({"workerDied": true}), 0),
        (json!({"forceFail": true}), 0),
        (json!({"exceptions": ["ValueError"]}), 0),
        (json!({"exceptions": ["a.B"]}), 0),
        (json!({"exceptions": ["a.C"]}), 1),
        (json!({"exceptions": ["a.D", "OSError"]}), 0),
        (json!({"exceptions": ["a.D"]}), 1),
    ] {
        let members = super::engine::members(&[failed(1, &fields)]);
        let (names, none) = (Names::default(), Summary::new(engine.rules().len()));
        let options = super::engine::OPTIONS;
        let replayed = simulate::replay(&engine, &names, &members, options, none);
        assert_eq!(replayed.summary.totals.missing_facts, lacking, "{fields}");
    }
}
