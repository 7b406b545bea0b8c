//! Jobs replayed from their first attempt to their end, compared with a second implementation.

use super::{engine, member};
use crate::explain;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use replay::simulate::{self, JobReport, Timelines, simulate};
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;

const OPTIONS: simulate::Options = simulate::Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

fn replay(strategy: &Value, attempts: &[Value]) -> JobReport {
    let members = [member(attempts)];
    let mut jobs = simulate(&engine(strategy), &members, OPTIONS).jobs.unwrap();
    jobs.remove(0)
}

fn codes(job: &JobReport) -> Vec<String> {
    job.decisions.iter().map(|decision| decision.decision.clone()).collect()
}

const REASONS: [&str; 6] = [
    "Host EC2 (instance i-0abc) terminated.",
    "Host EC2",
    "Task failed to start",
    "AGENT",
    "OutOfMemoryError: Container killed due to memory usage",
    "",
];
const PATTERNS: [&str; 6] =
    ["Host EC2*", "Host EC2", "Task failed to start", "AGENT", "OutOfMemoryError:*", "*"];
const CODES: [&str; 6] = ["1", "137", "1*", "13*", "14", "*"];

fn entry() -> impl Strategy<Value = Value> {
    let pattern = |of: &'static [&'static str]| option::of(select(of));
    let action = select(vec!["RETRY", "EXIT", "retry", "Exit"]);
    (pattern(&PATTERNS), pattern(&PATTERNS), pattern(&CODES), action).prop_map(
        |(status_reason, reason, code, action)| {
            let mut entry = Map::from_iter([("action".to_owned(), json!(action))]);
            let fields =
                [("onStatusReason", status_reason), ("onReason", reason), ("onExitCode", code)];
            for (field, pattern) in fields {
                entry.extend(pattern.map(|pattern| (field.to_owned(), json!(pattern))));
            }
            Value::Object(entry)
        },
    )
}

fn attempt() -> impl Strategy<Value = Value> {
    let code = option::of(select(vec![0, 1, 13, 14, 137, 143]));
    let outcome = select(vec!["FAILED", "FAILED", "FAILED", "TIMED_OUT", "INVALID"]);
    (select(&REASONS[..]), select(&REASONS[..]), code, outcome).prop_map(
        |(status_reason, reason, code, outcome)| {
            json!({"statusReason": status_reason, "reason": reason, "exitCode": code, "outcome": outcome})
        },
    )
}

/// Whether a pattern matches, character by character.
fn glob(pattern: &str, text: &str) -> bool {
    let mut text = text.chars();
    for c in pattern.chars() {
        if c == '*' {
            return true;
        }
        if text.next() != Some(c) {
            return false;
        }
    }
    text.next().is_none()
}

/// The decision by the words of the documentation: all conditions of an entry, the entries in order, no match is a retry, and
/// as many attempts as there are.
fn decision(strategy: &Value, attempt: &Value, number: u64) -> &'static str {
    match attempt["outcome"].as_str() {
        Some("TIMED_OUT") => return "fail_timeout",
        Some("INVALID") => return "fail_invalid",
        _ => {}
    }
    let code = attempt["exitCode"].as_i64().map(|code| code.to_string()).unwrap_or_default();
    let text = |key: &str| attempt[key].as_str().unwrap_or_default();
    for entry in strategy["evaluateOnExit"].as_array().unwrap() {
        let is_met =
            |key: &str, text: &str| entry[key].as_str().is_none_or(|pattern| glob(pattern, text));
        let all = is_met("onStatusReason", text("statusReason"))
            && is_met("onReason", text("reason"))
            && is_met("onExitCode", &code);
        match entry["action"].as_str().unwrap().to_lowercase().as_str() {
            "exit" if all => return "fail_exit",
            "retry" if all => break,
            _ => {}
        }
    }
    if number < strategy["attempts"].as_u64().unwrap() { "retry" } else { "fail_attempts" }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn jobs_end_as_the_documentation_has_it(
        entries in vec(entry(), 0..=5),
        attempts in 1..=10_u64,
        failures in vec(attempt(), 1..12),
    ) {
        let strategy = json!({"attempts": attempts, "evaluateOnExit": entries});
        let mut expected = Vec::new();
        for (number, failure) in failures.iter().enumerate() {
            let one = decision(&strategy, failure, number as u64 + 1);
            expected.push(one);
            if one != "retry" {
                break;
            }
        }
        let job = replay(&strategy, &failures);
        let decided: Vec<String> = codes(&job).into_iter().take(expected.len()).collect();
        prop_assert_eq!(&decided, &expected, "{}", &strategy);
        let last = job.decisions.get(expected.len() - 1).unwrap();
        prop_assert_eq!(last.action == "RUNNABLE", last.decision == "retry");
    }
}

#[test]
fn without_a_strategy_a_job_has_one_attempt() {
    assert_eq!(codes(&replay(&json!({}), &[json!({"exitCode": 1})])), ["fail_attempts"]);
    let job = replay(&json!({"attempts": 3}), &[json!({}), json!({"exitCode": 1}), json!({})]);
    assert_eq!(codes(&job), ["retry", "retry", "fail_attempts"]);
    assert_eq!(job.decisions[2].count, Some(3));
}

#[test]
fn a_terminated_job_and_one_that_succeeded_need_no_decision() {
    for outcome in ["SUCCEEDED", "TERMINATED"] {
        let job = replay(&json!({"attempts": 3}), &[json!({}), json!({"outcome": outcome})]);
        assert_eq!(codes(&job), ["retry"]);
    }
}

#[test]
fn a_decision_without_a_history_names_each_entry_that_was_tried() {
    let strategy = json!({"attempts": 5, "evaluateOnExit": [
        {"onStatusReason": "Host EC2*", "action": "RETRY"},
        {"onReason": "*", "action": "EXIT"},
    ]});
    let one =
        member(&[json!({"exitCode": 1, "statusReason": "Essential container in task exited"})]);
    let (decision, tried) = explain(&engine(&strategy), &one, 0, 0).unwrap();
    assert_eq!((decision.decision.as_str(), decision.rule_index), ("fail_exit", Some(1)));
    let whys: Vec<&str> = tried.iter().map(|tried| tried.why.as_str()).collect();
    assert_eq!(
        whys,
        [
            "onStatusReason `Host EC2*` does not match `Essential container in task exited`",
            "onReason `*`: EXIT"
        ]
    );
    let lost = member(&[json!({"statusReason": "Host EC2 (instance i-0abc) terminated."})]);
    for (retries, code) in [(0, "retry"), (3, "retry"), (4, "fail_attempts")] {
        let (decision, _) = explain(&engine(&strategy), &lost, retries, 0).unwrap();
        assert_eq!(decision.decision, code, "{retries}");
    }
}
