//! Chains of sessions replayed from their root to their end.

use crate::backendai::{BackendAiEngine, Profile, SessionFields};
use crate::{ManifestSystem, Options, Tried, explain};
use document::diag::Source;
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{
    self, DecisionReport, JobReport, Names, ReportTexts, Summary, Timelines, Units, simulate,
};
use serde_json::{Value, json};
use std::num::NonZeroUsize;

const OPTIONS: simulate::Options = simulate::Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

const CAUSES: [&str; 4] = ["oom_killed", "agent_transient", "unknown", "user_cancelled"];

/// Reads the profile of a `spec` without its system.
pub(crate) fn profile(mut spec: Value) -> Profile {
    spec["system"] = json!("backendai");
    let text = json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryProfile",
        "metadata": {"name": "nightly"},
        "spec": spec,
    });
    let (documents, mut findings) = parse(&Source::new("p", text.to_string()), Limits::POLICY);
    let profile = BackendAiEngine::read(&documents[0], &Options::default(), &mut findings);
    profile.unwrap_or_else(|| panic!("{text}: {:?}", findings.sorted()))
}

/// Makes the engine of a profile with one layer.
pub(crate) fn engine(layer: &Value) -> BackendAiEngine {
    BackendAiEngine::engine(
        vec![profile(json!({"layers": {"session": layer}}))],
        &Options::default(),
    )
}

/// Makes the chain of the root session `root` from these records without their common fields.
pub(crate) fn member(runs: &[Value]) -> Member<SessionFields> {
    let mut lines = String::new();
    for (place, run) in runs.iter().enumerate() {
        let mut run = run.clone();
        run["jobId"] = json!("root");
        if run["outcome"].is_null() {
            run["outcome"] = json!("Failed");
        }
        if run["finishedAt"].is_null() {
            run["finishedAt"] = json!(format!("{}h", 100 * place));
        }
        lines += &format!("{run}\n");
    }
    let (mut members, findings) = read_lines::<BackendAiEngine>(&lines);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(members.len(), 1);
    members.remove(0)
}

pub(crate) fn replay(engine: &BackendAiEngine, runs: &[Value]) -> JobReport {
    simulate(engine, &[member(runs)], OPTIONS).jobs.unwrap().remove(0)
}

/// Explains one failure without a history.
pub(crate) fn explained(
    engine: &BackendAiEngine,
    failure: &Value,
    retries: u32,
) -> (DecisionReport, Vec<Tried>) {
    explain(engine, &member(std::slice::from_ref(failure)), retries, 0).expect("a failure")
}

fn codes(outcome: &JobReport) -> Vec<&str> {
    outcome.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}

pub(crate) fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

#[test]
fn so_many_retries_are_one_more_attempts() {
    for max_retries in 0..5_u32 {
        let engine = engine(&json!({"max_retries": max_retries, "jitter": "none"}));
        let outcome = replay(&engine, &vec![json!({"cause": "oom_killed"}); 7]);
        assert_eq!((outcome.outcome.as_str(), outcome.retries), ("Failed", max_retries.into()));
        assert_eq!(outcome.system_outcome.as_deref(), Some("ERROR"));
        assert_eq!(outcome.not_reached, 7 - u64::from(max_retries) - 1);
        let (last, retried) = outcome.decisions.split_last().unwrap();
        assert_eq!((last.action.as_str(), last.decision.as_str()), ("stop", "exhausted"));
        assert_eq!((last.count, last.limit), (Some(max_retries), Some(i64::from(max_retries))));
        assert_eq!(last.event, "session.retry_exhausted");
        assert_eq!((last.delay_seconds, last.system.get("baseSeconds")), (None, None));
        for (place, decision) in (1..).zip(retried) {
            assert_eq!((decision.action.as_str(), decision.event.as_str()), SCHEDULED);
            assert_eq!((decision.delay_seconds, decision.total_retries), (Some(60.0), place));
            assert_eq!(decision.system.get("attempt"), Some(&json!(place)));
            assert_eq!(decision.system.get("maxAttempts"), Some(&json!(max_retries + 1)));
        }
    }
}

const SCHEDULED: (&str, &str) = ("retry", "session.retry_scheduled");

#[test]
fn waits_grow_and_are_counted_from_the_end_of_the_session() {
    let engine = engine(&json!({
        "max_retries": 9, "jitter": "none", "backoff": "exponential", "retry_delay": 0.1,
        "backoff_multiplier": 1.1, "max_retry_delay": 0.13,
    }));
    let outcome = replay(&engine, &vec![json!({}); 4]);
    let waits: Vec<_> = outcome.decisions.iter().map(|one| one.delay_seconds).collect();
    // Delays are rounded to the nanosecond, without the errors of float multiplication.
    assert_eq!(waits, [Some(0.1), Some(0.11), Some(0.121), Some(0.13)]);
    assert_eq!(outcome.decisions[1].retry_after.as_deref(), Some("1970-01-05T04:00:00.11Z"));
    assert_eq!(outcome.outcome, "Unresolved");
}

#[test]
fn a_retry_that_begins_too_early_contradicts() {
    let engine = engine(&json!({"max_retries": 1, "jitter": "none"}));
    let early = json!({"startedAt": "59s", "finishedAt": "100s", "outcome": "Succeeded"});
    let outcome = replay(&engine, &[json!({"finishedAt": "0s"}), early.clone()]);
    assert_eq!((outcome.outcome.as_str(), outcome.contradictions.len()), ("Succeeded", 1));
    let mut late = early;
    late["startedAt"] = json!("60s");
    let outcome = replay(&engine, &[json!({"finishedAt": "0s"}), late]);
    assert_eq!(outcome.contradictions.len(), 0);
    assert_eq!(outcome.system_outcome.as_deref(), Some("TERMINATED"));
}

#[test]
fn retries_are_exhausted_before_anybody_asks_for_the_cause() {
    let engine = engine(&json!({"max_retries": 1, "eligible_causes": ["oom_killed"]}));
    for cause in ["user_cancelled", "unknown"] {
        let failure = json!({"cause": cause});
        let (decision, _) = explained(&engine, &failure, 0);
        assert_eq!((decision.decision.as_str(), decision.event.as_str()), ("ineligible", ""));
        let (decision, _) = explained(&engine, &failure, 1);
        assert_eq!(
            (decision.decision.as_str(), decision.event.as_str()),
            ("exhausted", "session.retry_exhausted")
        );
    }
}

#[test]
fn events_may_be_off() {
    let engine = engine(&json!({"max_retries": 1, "emit_retry_events": false}));
    let outcome = replay(&engine, &vec![json!({}); 2]);
    assert_eq!(codes(&outcome), ["retry", "exhausted"]);
    assert!(outcome.decisions.iter().all(|decision| decision.event.is_empty()));
}

#[test]
fn a_cancelled_session_and_one_that_is_no_batch_session_are_left_alone() {
    let engine = engine(&json!({"max_retries": 3}));
    let outcome = replay(&engine, &[json!({"outcome": "Cancelled"})]);
    assert_eq!((outcome.outcome.as_str(), outcome.decisions.len()), ("Cancelled", 0));
    let outcome = replay(&engine, &[json!({"sessionType": "interactive"})]);
    assert_eq!((outcome.outcome.as_str(), codes(&outcome)), ("Failed", vec!["not_batch"]));
    assert_eq!((outcome.decisions[0].limit, outcome.decisions[0].total_retries), (None, 0));
}

/// A failure that is recorded twice grants no second retry, and does not end the chain: its retry exists
/// already.
#[test]
fn what_is_told_twice_changes_nothing() {
    let engine =
        engine(&json!({"max_retries": 1, "jitter": "none", "eligible_causes": ["unknown"]}));
    let told = |count: u32, cause: &str| json!({"retryCount": count, "cause": cause});
    let done = json!({"outcome": "Succeeded", "retryCount": 1});
    for (cause, code) in [("unknown", "child_exists"), ("oom_killed", "ineligible")] {
        let outcome = replay(&engine, &[told(0, "unknown"), told(0, cause), done.clone()]);
        assert_eq!(codes(&outcome), ["retry", code]);
        assert_eq!((outcome.outcome.as_str(), outcome.retries), ("Succeeded", 1));
    }
    let outcome = replay(&engine, &[told(0, "unknown"), told(0, "unknown")]);
    assert_eq!(outcome.outcome, "Unresolved");
}

/// The same id is the same session, with or without a recorded count; a root's id is that of its unit.
#[test]
fn the_same_id_is_the_same_session() {
    let engine = engine(&json!({"max_retries": 3, "jitter": "none"}));
    let (one, other) = (json!({"sessionId": "a"}), json!({"sessionId": "b"}));
    let outcome = replay(&engine, &[one.clone(), one.clone(), other.clone(), other]);
    assert_eq!(codes(&outcome), ["retry", "child_exists", "retry", "child_exists"]);
    let counts: Vec<_> = outcome.decisions.iter().map(|one| (one.count, one.limit)).collect();
    assert_eq!(counts, [1, 1, 2, 2].map(|count| (Some(count), Some(3))));
    for (decision, count) in outcome.decisions.iter().zip([1, 1, 2, 2]) {
        assert_eq!(decision.system.count("retry_count").unwrap(), count);
        assert_eq!(u64::from(decision.total_retries), count);
    }
    let outcome = replay(&engine, &[json!({}), json!({"sessionId": "ROOT"}), one]);
    assert_eq!(codes(&outcome), ["retry", "child_exists", "retry"]);
    // A session without a recorded id is another session.
    let outcome = replay(&engine, &[json!({"sessionId": "root"}), json!({})]);
    assert_eq!(codes(&outcome), ["retry", "retry"]);
}

#[test]
fn every_check_is_told_in_the_order_of_the_handler() {
    let engine = engine(&json!({"max_retries": 2, "eligible_causes": ["oom_killed"]}));
    let trace = |failure: Value, retries| {
        let (decision, tried) = explained(&engine, &failure, retries);
        let matched: Vec<bool> = tried.iter().map(|tried| tried.matched).collect();
        (decision.decision, matched, tried[1].why.clone())
    };
    let (code, matched, _) = trace(json!({"cause": "oom_killed"}), 1);
    assert_eq!((code.as_str(), matched), ("retry", vec![false, false, false, false, true, true]));
    // Of several checks that hold, the first decides.
    let (code, matched, why) = trace(json!({"cause": "unknown"}), 2);
    assert_eq!((code.as_str(), matched), ("exhausted", vec![false, true, false, false, false]));
    assert_eq!(why, "retry_count 2 is not below max_retries 2");
    // The recorded count takes precedence over the counted retries.
    let (_, _, why) = trace(json!({"cause": "unknown", "retryCount": 1}), 2);
    assert_eq!(why, "retry_count 1 is below max_retries 2");
}

#[test]
fn what_a_wait_comes_of_is_told() {
    let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    let why = |layer: Value, options: Value, failure: Value| {
        let mut spec = json!({"layers": {"session": {"max_retries": 1}}, "options": options});
        for (field, value) in layer.as_object().unwrap() {
            spec["layers"]["session"][field] = value.clone();
        }
        let engine = BackendAiEngine::new(Some(profile(spec)));
        explained(&engine, &failure, 0).1.pop().unwrap().why
    };
    let told = json!({"sessionId": id});
    // Expected value from Python's `hashlib`: 2.095 s of 15.
    let said = why(json!({}), json!({}), told.clone());
    let read = "read by hash text_concat and reduce int_millis";
    assert_eq!(said, format!("62.095s, of 60s to 75s: SHA-1 of `{id}0`, {read}"));
    let said = why(json!({}), json!({"hash": "uuid_bytes_u32be"}), told.clone());
    assert!(
        said.contains(&format!("of the bytes of `{id}` and 0 as four bytes, read by")),
        "{said}"
    );
    let said = why(json!({}), json!({}), json!({}));
    assert!(said.contains("SHA-1 of `root0`") && said.contains("no sessionId is given"), "{said}");
    for (layer, wait) in [
        (json!({"jitter": "none"}), "60s: no jitter is added"),
        (json!({"jitter_ratio": 0}), "60s: no jitter is added"),
        (json!({"retry_delay": 4000}), "3600s: the longest wait"),
        (json!({"jitter": "random"}), "60s to 75s, drawn at random with --seed"),
    ] {
        assert_eq!(why(layer, json!({}), told.clone()), wait);
    }
}

/// A delay is counted only if it depends on an id that is not recorded: a root's id is that of its unit.
#[test]
fn waits_that_are_computed_without_an_id_are_counted() {
    let substituted = |layer: Value, runs: &[Value]| {
        let (engine, names) = (engine(&layer), Names::default());
        let none = Summary::new(engine.rules().len());
        simulate::replay(&engine, &names, &[member(runs)], OPTIONS, none)
            .summary
            .totals
            .guessed_waits
    };
    let (untold, told) = (json!({}), json!({"sessionId": "a"}));
    let all = [untold.clone(), untold.clone(), told, untold];
    assert_eq!(substituted(json!({"max_retries": 9}), &all), 2);
    for layer in [
        json!({"max_retries": 9, "jitter": "none"}),
        json!({"max_retries": 9, "jitter": "random"}),
        json!({"max_retries": 9, "retry_delay": 3600}),
        json!({"max_retries": 1}),
    ] {
        assert_eq!(substituted(layer.clone(), &all), 0, "{layer}");
    }
}

proptest! {
    /// A chain is retried alike with and without recorded counts, and its decisions are those of the draft's
    /// steps, applied one by one.
    #[test]
    fn counts_may_be_left_out(
        max_retries in 0..6_u32,
        causes in proptest::collection::vec(select(&CAUSES[..]), 1..9),
        listed in proptest::sample::subsequence(CAUSES[..3].to_vec(), 0..=3),
    ) {
        let engine = engine(&json!({"max_retries": max_retries, "eligible_causes": listed}));
        let run = |(count, cause): (usize, &&str)| json!({"retryCount": count, "cause": cause});
        let told: Vec<Value> = causes.iter().enumerate().map(run).collect();
        let untold: Vec<Value> = causes.iter().map(|cause| json!({"cause": cause})).collect();
        let (told, untold) = (replay(&engine, &told), replay(&engine, &untold));
        prop_assert_eq!(codes(&told), codes(&untold));
        prop_assert_eq!(&told.outcome, &untold.outcome);
        let mut expected = Vec::new();
        for (count, cause) in causes.iter().enumerate() {
            expected.push(if count >= max_retries as usize {
                "exhausted"
            } else if listed.contains(cause) {
                "retry"
            } else {
                "ineligible"
            });
            if expected.last() != Some(&"retry") {
                break;
            }
        }
        prop_assert_eq!(codes(&told), expected);
    }
}

#[test]
fn it_is_streamed() {
    let engine = engine(&json!({}));
    assert!(engine.has_single_members() && engine.unit_key(&member(&[json!({})])).is_none());
}
