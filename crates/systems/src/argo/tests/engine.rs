//! Nodes replayed from first attempt to last, and the decision about one failure.

use super::{codes, engine, members, replay, with_strategy, workflow};
use crate::{ManifestSystem, explain};
use replay::simulate::ReportTexts;
use serde_json::{Value, json};

/// Makes an attempt that begins and ends at these seconds after ten o'clock.
fn attempt(outcome: &str, (from, to): (u32, u32)) -> Value {
    let at = |second: u32| format!("2026-03-02T10:{:02}:{:02}Z", second / 60, second % 60);
    json!({"jobId": "ml/train.main", "outcome": outcome, "startedAt": at(from), "finishedAt": at(to)})
}

#[test]
fn waits_grow_to_the_cap_and_the_last_attempt_is_not_waited_for() {
    let strategy = "{limit: 3, backoff: {duration: '10', factor: 3, cap: 1m}}";
    let records = [(0, 5), (15, 20), (50, 55), (180, 200)].map(|times| attempt("Failed", times));
    let job = replay(&engine(&with_strategy(strategy)), &records);
    assert_eq!(codes(&job), ["retry", "retry", "retry", "fail_limit"]);
    let waits: Vec<_> = job.decisions.iter().map(|decision| decision.delay_seconds).collect();
    assert_eq!(waits, [Some(10.0), Some(30.0), Some(60.0), None]);
    let last = job.decisions.last().unwrap();
    assert_eq!(last.system.text("nodeMessage"), Some("No more retries left"));
    assert_eq!((last.action.as_str(), last.count, last.limit), ("Failed", Some(3), Some(3)));
}

#[test]
fn without_a_limit_nothing_is_waited_for_and_retries_have_no_end() {
    let strategy = "{backoff: {duration: 1m}}";
    let records: Vec<Value> = (0..50).map(|at| attempt("Failed", (at * 2, at * 2 + 1))).collect();
    let job = replay(&engine(&with_strategy(strategy)), &records);
    assert!(codes(&job).iter().all(|code| *code == "retry"));
    assert!(job.decisions.iter().all(|it| it.delay_seconds == Some(0.0) && it.limit.is_none()));
    assert!(job.decisions[0].reason.contains("at once"), "{}", job.decisions[0].reason);
}

#[test]
fn max_duration_begins_with_the_first_attempt() {
    let strategy = "{limit: 9, backoff: {duration: 20s, maxDuration: 1m}}";
    let engine = engine(&with_strategy(strategy));
    let records = [(0, 10), (30, 40), (60, 61)].map(|times| attempt("Failed", times));
    assert_eq!(codes(&replay(&engine, &records[..2])), ["retry", "retry"]);
    assert_eq!(codes(&replay(&engine, &records)), ["retry", "retry", "fail_max_duration"]);
    let records = [(0, 10), (30, 41)].map(|times| attempt("Failed", times));
    assert_eq!(codes(&replay(&engine, &records)), ["retry", "fail_backoff"]);
}

#[test]
fn a_record_names_its_template() {
    let spec = "{templates: [{name: a, retryStrategy: {limit: 1}}, {name: b}, {name: c, retryStrategy: {limit: 2}}]}";
    let engine = engine(&workflow(spec));
    for (template, limit) in [("a", Some(1)), ("b", None), ("c", Some(2))] {
        let mut record = attempt("Failed", (0, 1));
        record["template"] = json!(template);
        let job = replay(&engine, &[record]);
        let expected = if limit.is_some() { "retry" } else { "fail_no_strategy" };
        assert_eq!((codes(&job), job.decisions[0].limit), (vec![expected], limit));
        assert_eq!(job.decisions[0].policy, Some(format!("train/{template}")));
    }
    assert_eq!(engine.rules().len(), 2);
    for template in [None, Some("d")] {
        let mut record = attempt("Failed", (0, 1));
        if let Some(template) = template {
            record["template"] = json!(template);
        }
        assert!(engine.unsupported_record(&members(&[record])).is_some(), "{template:?}");
    }
}

#[test]
fn a_stopped_workflow_and_a_success_need_no_decision() {
    let engine = engine(&with_strategy("{limit: 3}"));
    for (outcome, system) in [("Stopped", None), ("Succeeded", Some("Succeeded"))] {
        let job = replay(&engine, &[attempt(outcome, (0, 1))]);
        assert!(job.decisions.is_empty());
        assert_eq!(job.system_outcome.as_deref(), system);
    }
}

#[test]
fn the_checks_of_one_failure_end_with_the_one_that_decides() {
    let strategy = "{limit: 2, retryPolicy: Always, backoff: {duration: 5s}, expression: 'asInt(lastRetry.exitCode) > 1'}";
    let engine = engine(&with_strategy(strategy));
    for (code, retries, decision, checks) in
        [(1, 0, "fail_expression", 3), (2, 0, "retry", 4), (2, 2, "fail_limit", 2)]
    {
        let mut record = attempt("Failed", (0, 1));
        record["exitCode"] = json!(code);
        let members = members(&[record]);
        let (report, tried) = explain(&engine, &members[0], retries, 0).unwrap();
        assert_eq!((report.decision.as_str(), tried.len()), (decision, checks), "{tried:?}");
        assert!(tried.iter().rev().skip(1).all(|it| !it.matched) && tried.last().unwrap().matched);
    }
}
