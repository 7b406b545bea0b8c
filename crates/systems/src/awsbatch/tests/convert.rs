//! Compares decisions before and after a conversion: if every note is exact, the same failures lead to another attempt,
//! or to the end.

use super::{member, read};
use crate::armada::Armada;
use crate::awsbatch::AwsBatchEngine;
use crate::awsbatch::convert::{from_v1, to_v1};
use crate::convert::{Fidelity, Note};
use crate::{ManifestSystem, Options};
use armada_retry::engine::{Bindings, Evaluator, V1};
use armada_retry::policy::{self, RetryPolicy, SchedulerSettings, to_value};
use document::diag::Source;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{self, Engine, Timelines, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Whether each failure is followed by another attempt.
fn verdicts<E: Engine>(engine: &E, members: &[Member<E::Fields>]) -> Vec<bool> {
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let jobs = simulate(engine, members, options).jobs.unwrap();
    let mut retries: Vec<bool> = jobs[0]
        .decisions
        .iter()
        .map(|decision| ["retry", "RUNNABLE", "Retry"].contains(&decision.action.as_str()))
        .collect();
    // What is recorded after the end is not decided by all engines alike.
    if let Some(end) = retries.iter().position(|retries| !retries) {
        retries.truncate(end + 1);
    }
    retries
}

/// A failure in both systems.
const FAILURES: [&str; 6] = ["exit 1", "exit 3", "exit 42", "memory", "timeout", "unknown"];

fn attempt(failure: &str) -> Value {
    match failure {
        "memory" => {
            json!({"exitCode": 137, "reason": "OutOfMemoryError: Container killed due to memory usage"})
        }
        "timeout" => json!({"outcome": "TIMED_OUT", "exitCode": 137}),
        "unknown" => json!({}),
        exit => json!({"exitCode": exit.trim_start_matches("exit ").parse::<i32>().unwrap()}),
    }
}

fn run(failure: &str) -> Value {
    let container =
        |code: i32, reason: &str| json!([{"name": "main", "exitCode": code, "reason": reason}]);
    match failure {
        "memory" => json!({"outcome": "Failed", "containers": container(137, "OOMKilled")}),
        "timeout" => json!({"outcome": "Failed", "conditions": ["DeadlineExceeded"]}),
        "unknown" => json!({"outcome": "Failed"}),
        exit => {
            let code = exit.trim_start_matches("exit ").parse().unwrap();
            json!({"outcome": "Failed", "containers": container(code, "Error")})
        }
    }
}

fn by_aws(text: &str, failures: &[&str]) -> Vec<bool> {
    let (definition, findings) = read(text);
    let definition = definition.unwrap_or_else(|| panic!("{text}: {:?}", findings.sorted()));
    let engine = AwsBatchEngine::engine(vec![definition], &Options::default());
    let attempts: Vec<Value> = failures.iter().map(|failure| attempt(failure)).collect();
    verdicts(&engine, &[member(&attempts)])
}

fn by_armada(policy: RetryPolicy, failures: &[&str]) -> Vec<bool> {
    let line = |failure: &&str| {
        let mut line = run(failure);
        line["jobId"] = json!("a");
        line.to_string()
    };
    let lines: Vec<String> = failures.iter().map(line).collect();
    let (jobs, findings) = read_lines::<Armada>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    let forced = Some(vec![policy.name.to_string()]);
    let bindings = Bindings { forced, ..Bindings::default() };
    let settings = SchedulerSettings::default();
    let evaluator = Evaluator::new(&V1, vec![Arc::new(policy)], settings, &[]);
    verdicts(&Armada::new(evaluator, bindings), &jobs)
}

fn policy(text: &Value) -> RetryPolicy {
    let (documents, findings) = policy::read(&[Source::new("p.json", text.to_string())]);
    assert!(!findings.has_errors(), "{text}: {:?}", findings.sorted());
    RetryPolicy::clone(&documents.policies[0].policy)
}

/// Whether no note is about a decision: the seconds of a timeout have no counterpart, and a pattern on codes has one up to
/// 255.
fn is_exact(notes: &[Note]) -> bool {
    notes.iter().all(|note| {
        note.fidelity == Fidelity::Carried
            || note.path == "timeout.attemptDurationSeconds"
            || note.fidelity == Fidelity::Approximated && note.path.ends_with("onExitCode")
    })
}

fn entry() -> impl Strategy<Value = Value> {
    let condition = select(vec![
        ("onExitCode", "1"),
        ("onExitCode", "4*"),
        ("onExitCode", "*"),
        ("onReason", "OutOfMemoryError*"),
        ("onReason", "*"),
    ]);
    (condition, select(vec!["RETRY", "EXIT"]))
        .prop_map(|((field, pattern), action)| json!({field: pattern, "action": action}))
}

fn definition() -> impl Strategy<Value = Value> {
    (1..=10_u32, vec(entry(), 0..=3), any::<bool>()).prop_map(|(attempts, entries, has_timeout)| {
        let strategy = json!({"attempts": attempts, "evaluateOnExit": entries});
        let mut definition = json!({"jobDefinitionName": "Train_1", "retryStrategy": strategy});
        if has_timeout || definition["retryStrategy"]["attempts"] != 1 {
            definition["timeout"] = json!({"attemptDurationSeconds": 600});
        }
        definition
    })
}

fn rule() -> impl Strategy<Value = Value> {
    let codes = |values: &[i32]| json!({"operator": "In", "values": values});
    let matched = select(vec![
        json!({"onExitCodes": codes(&[1])}),
        json!({"onExitCodes": codes(&[3, 42])}),
        json!({"onConditions": ["OOMKilled"]}),
        json!({"onExitCodes": {"operator": "NotIn", "values": [1]}}),
        json!({"onConditions": ["DeadlineExceeded"]}),
    ]);
    (matched, select(vec!["Retry", "Fail"]), proptest::option::of(0..3_u32)).prop_map(
        |(mut rule, action, limit)| {
            rule["action"] = json!(action);
            if action == "Retry" {
                rule["retryLimit"] = json!(limit);
            }
            rule
        },
    )
}

fn policies() -> impl Strategy<Value = Value> {
    let default = select(vec!["Fail", "Retry"]);
    (default, 0..6_u32, vec(rule(), 0..3)).prop_map(|(default, limit, rules)| {
        json!({
            "apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"},
            "spec": {"retryLimit": limit, "defaultAction": default, "backoff": {"initialDelay": "0s"}, "rules": rules},
        })
    })
}

fn failures() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(&FAILURES[..]), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_exact_conversion_to_v1_decides_alike(definition in definition(), failures in failures()) {
        let text = definition.to_string();
        let made = to_v1(&read(&text).0.unwrap()).unwrap();
        prop_assert_eq!(made.result.name.as_str(), "train-1");
        if is_exact(&made.notes) {
            let written = to_value(&made.result);
            prop_assert_eq!(&policy(&written).rules.len(), &made.result.rules.len());
            prop_assert_eq!(by_aws(&text, &failures), by_armada(made.result, &failures), "{}", text);
        }
    }

    #[test]
    fn an_exact_conversion_from_v1_decides_alike(text in policies(), failures in failures()) {
        let made = from_v1(&policy(&text));
        let definition = made.result.to_string();
        prop_assert!(read(&definition).0.is_some(), "{}", definition);
        // A job without a timeout in its definition never exceeds one.
        if is_exact(&made.notes) && !failures.contains(&"timeout") {
            prop_assert_eq!(by_aws(&definition, &failures), by_armada(policy(&text), &failures), "{}: {}", text, definition);
        }
    }
}

#[test]
fn what_is_lost_is_said() {
    let notes = |entries: Value| {
        let strategy = json!({"attempts": 4, "evaluateOnExit": entries});
        let text = json!({"jobDefinitionName": "a", "retryStrategy": strategy}).to_string();
        let made = to_v1(&read(&text).0.unwrap()).unwrap();
        (made.result.rules.len(), made.notes)
    };
    let last = json!({"onReason": "*", "action": "EXIT"});
    let of = |fidelity: Fidelity, notes: &[Note]| -> Vec<String> {
        let of = notes.iter().filter(|note| note.fidelity == fidelity);
        of.map(|note| note.path.clone()).collect()
    };
    let (rules, found) = notes(json!([{"onReason": "AGENT", "action": "RETRY"}, last]));
    assert_eq!(rules, 1);
    assert_eq!(of(Fidelity::Approximated, &found), ["retryStrategy.evaluateOnExit[0].onReason"]);
    let both = json!({"onReason": "a", "onStatusReason": "b", "action": "RETRY"});
    let (rules, found) = notes(json!([both, last]));
    assert_eq!(rules, 0);
    assert_eq!(of(Fidelity::Lost, &found), ["retryStrategy.evaluateOnExit[0]"]);
    let (rules, found) = notes(json!([{"onStatusReason": "Host EC2*", "action": "RETRY"}, last]));
    assert_eq!((rules, of(Fidelity::Lost, &found).len()), (1, 0));
}
