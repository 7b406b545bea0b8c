//! The published vectors, through documents, records and reports.

use super::engine::{engine, explained, near, profile};
use crate::backendai::{BackendAiEngine, Cause};
use serde_json::{Value, json};

fn vectors(kind: &str) -> Vec<Value> {
    let text = include_str!("../../../../../testdata/vectors/backendai_draft.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    cases.into_iter().filter(|case| case["kind"] == kind).collect()
}

/// Writes a case's session as a record.
fn record(input: &Value) -> Value {
    let mut record = json!({"sessionId": input["session_id"], "retryCount": input["retry_count"]});
    for (field, name) in [("cause", "cause"), ("session_type", "sessionType")] {
        if !input[field].is_null() {
            record[name] = input[field].clone();
        }
    }
    record
}

fn may_be_eligible(cause: &Value) -> bool {
    cause.as_str().and_then(Cause::from_name).is_some_and(|cause| !cause.is_never_retried())
}

#[test]
fn the_vectors_decisions_are_those_of_profiles_and_records() {
    let cases = vectors("decision");
    assert!(cases.len() > 3);
    for case in cases.iter().filter(|case| case["input"]["child_exists"] != true) {
        let mut policy = case["policy"].clone();
        if let Some(causes) = policy["eligible_causes"].as_array_mut() {
            // A profile may not list causes that are never retried.
            causes.retain(may_be_eligible);
        }
        let (decision, _) = explained(&engine(&policy), &record(&case["input"]), 0);
        let (expected, name) = (&case["expected"], &case["name"]);
        let said = |field: &str| expected[field].as_str();
        assert_eq!(Some(decision.action.as_str()), said("decision"), "{name}");
        assert_eq!(decision.decision, said("reason").unwrap_or("retry"), "{name}");
        assert_eq!(decision.event, said("event").unwrap_or_default(), "{name}");
        let system = decision.system;
        let (number, of) = (system.cell("attempt"), system.cell("maxAttempts"));
        if let Some(attempt) = said("attempt") {
            assert_eq!(format!("{number} of {of}"), attempt, "{name}");
        }
    }
}

#[test]
fn the_vectors_waits_are_those_of_profiles_and_records() {
    let mut compared = 0;
    for case in vectors("delay") {
        let mut policy = case["policy"].clone();
        // These cases test delays only, so one more retry is granted.
        policy["max_retries"] = json!(case["input"]["retry_count"].as_u64().unwrap() + 1);
        let wait = |options: Value| {
            let profile = profile(json!({"layers": {"session": policy}, "options": options}));
            let engine = BackendAiEngine::new(Some(profile));
            let (decision, _) = explained(&engine, &record(&case["input"]), 0);
            (
                decision.delay_seconds.unwrap(),
                decision.system.get("baseSeconds").unwrap().as_f64().unwrap(),
            )
        };
        let mut meet = |expected: &Value, (seconds, _): (f64, f64)| {
            let Some(expected) = expected.as_f64() else { return };
            assert!(near(expected, seconds), "{}: {seconds}, not {expected}", case["name"]);
            compared += 1;
        };
        let expected = &case["expected"];
        let (hard, literal) = (json!({"cap": "hard"}), json!({"cap": "literal"}));
        meet(&expected["base_seconds"], (wait(hard.clone()).1, 0.0));
        meet(&expected["delay_seconds"], wait(hard));
        meet(&expected["delay_literal_cap_seconds"], wait(literal));
        for (hash, by) in expected["by_encoding"].as_object().into_iter().flatten() {
            for reduce in ["int_floor_seconds", "int_millis", "python_float_mod"] {
                meet(&by[reduce], wait(json!({"hash": hash, "reduce": reduce})));
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn the_vectors_layers_merge_in_profiles() {
    for case in vectors("merge") {
        let merged = profile(json!({"layers": case["input"]})).policy;
        let flat = profile(json!({"layers": {"session": case["expected"]}})).policy;
        assert_eq!(merged, flat, "{}", case["name"]);
    }
}
