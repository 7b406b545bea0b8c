//! Task instances replayed from first try to last, from profiles and records as users write them.

use crate::airflow::*;
use crate::{ManifestSystem, Options, explain};
use document::diag::{Findings, Source};
use document::{Limits, parse};
use proptest::prelude::*;
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{self, JobReport, Names, ReportTexts, Summary, Timelines, Units, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;

pub(crate) const OPTIONS: simulate::Options = simulate::Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

/// Reads a profile; `spec` is the text of its `spec` after the system.
pub(crate) fn read_profile(spec: &str) -> (Option<AirflowManifest>, Findings) {
    let text = format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: nightly}}\nspec:\n  \
         system: airflow\n  {spec}\n"
    );
    let (documents, mut findings) = parse(&Source::new("p.yaml", text), Limits::POLICY);
    let manifest = AirflowEngine::read(&documents[0], &Options::default(), &mut findings);
    (manifest, findings)
}

pub(crate) fn engine(spec: &str) -> AirflowEngine {
    let (manifest, findings) = read_profile(spec);
    assert!(!findings.has_errors(), "{findings:?}");
    AirflowEngine::engine(manifest.into_iter().collect(), &Options::default())
}

/// Reads the members of these records.
pub(crate) fn members(records: &[Value]) -> Vec<Member<TryFields>> {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let (members, findings) = read_lines::<AirflowEngine>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    members
}

/// Replays records of one task instance and returns its report.
pub(crate) fn replay(engine: &AirflowEngine, records: &[Value]) -> JobReport {
    let mut jobs = simulate(engine, &members(records), OPTIONS).jobs.unwrap();
    assert_eq!(jobs.len(), 1, "one task instance");
    jobs.remove(0)
}

/// Makes a try that ends `hour` hours after the beginning.
pub(crate) fn try_at(hour: usize, outcome: &str) -> Value {
    let finished = format!("2026-10-{:02}T{:02}:00:00Z", hour / 24 + 1, hour % 24);
    json!({"jobId": "train", "outcome": outcome, "finishedAt": finished})
}

pub(crate) fn codes(outcome: &JobReport) -> Vec<&str> {
    outcome.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}

proptest! {
    /// `retries` counts retries: one more try in all, each after the same delay.
    #[test]
    fn retries_are_followed_by_as_many_tries(retries in 0..6_usize, delay in 0..3000_u32, tries in 1..9_usize) {
        let engine = engine(&format!("policy: {{retries: {retries}, retry_delay_seconds: {delay}}}"));
        let records: Vec<Value> = (1..=tries).map(|hour| try_at(hour, "Failed")).collect();
        let outcome = replay(&engine, &records);
        prop_assert_eq!(outcome.retries, retries.min(tries) as u64);
        prop_assert_eq!(outcome.not_reached, tries.saturating_sub(retries + 1) as u64);
        prop_assert!(outcome.contradictions.is_empty());
        let ended = tries > retries;
        prop_assert_eq!(outcome.outcome == "Failed", ended);
        let word = if ended { "failed" } else { "up_for_retry" };
        prop_assert_eq!(outcome.system_outcome.as_deref(), Some(word));
        for (place, decision) in outcome.decisions.iter().enumerate() {
            let retried = place < retries;
            prop_assert_eq!(decision.delay_seconds, retried.then_some(f64::from(delay)));
            prop_assert_eq!(decision.system.get("eligible"), Some(&json!(retried)));
            prop_assert_eq!(decision.total_retries as usize, retries.min(place + 1));
            prop_assert_eq!(decision.system.count("try_number"), Some(place as u64 + 1));
            prop_assert_eq!(decision.action.as_str(), if retried { "up_for_retry" } else { "failed" });
        }
    }
}

#[test]
fn a_task_instance_ends_in_its_own_words() {
    let engine = engine("policy: {retries: 2}");
    for (last, state) in [("Succeeded", Some("success")), ("Cancelled", None)] {
        let outcome = replay(&engine, &[try_at(1, "Failed"), try_at(2, last)]);
        assert_eq!((outcome.outcome.as_str(), outcome.decisions.len()), (last, 1));
        assert_eq!(outcome.system_outcome.as_deref(), state);
    }
    let mut forced = try_at(1, "Failed");
    forced["forceFail"] = json!(true);
    let outcome = replay(&engine, &[forced, try_at(2, "Succeeded")]);
    assert_eq!((outcome.outcome.as_str(), codes(&outcome)), ("Failed", vec!["fail_forced"]));
    assert_eq!(
        (outcome.not_reached, outcome.reason.as_str()),
        (1, "try 1 requested no further try")
    );
}

/// The published pair: 300 s, first failed try, 579 s since 2.10 and 482 s up to 2.9.
#[test]
fn the_release_is_the_profiles() {
    for (profile, wait, after) in [
        ("\"3.4\"", 579.0, "2026-10-01T01:09:39Z"),
        ("\"3.3\"", 579.0, "2026-10-01T01:09:39Z"),
        ("3.0", 579.0, "2026-10-01T01:09:39Z"),
        ("2.10", 579.0, "2026-10-01T01:09:39Z"),
        ("2.9", 482.0, "2026-10-01T01:08:02Z"),
        ("'2.6'", 482.0, "2026-10-01T01:08:02Z"),
    ] {
        let spec = format!(
            "profile: {profile}\n  policy: {{retries: 1, retry_exponential_backoff: true}}"
        );
        let mut record = try_at(1, "Failed");
        record["dagId"] = json!("train");
        record["taskId"] = json!("finetune");
        // The zone of the written date does not matter: Airflow stores it in UTC.
        record["logicalDate"] = json!("2026-01-01 05:30:00+05:30");
        let outcome = replay(&engine(&spec), &[record]);
        let decision = &outcome.decisions[0];
        assert_eq!(decision.delay_seconds, Some(wait), "{profile}");
        assert_eq!(decision.system.get("baseSeconds"), Some(&json!(300.0)));
        assert_eq!(decision.retry_after.as_deref(), Some(after));
    }
}

/// Without ids, the unit's id replaces the task's, and the DAG's is empty.
#[test]
fn what_a_record_does_not_say_is_hashed_as_if_it_did() {
    let engine = engine("policy: {retries: 9, retry_exponential_backoff: 2}");
    let waits = |change: fn(&mut Value)| {
        let mut records = [1, 2, 3].map(|hour| try_at(hour, "Failed"));
        for record in &mut records {
            change(record);
        }
        let decisions = replay(&engine, &records).decisions;
        decisions.iter().map(|decision| decision.delay_seconds.unwrap()).collect::<Vec<_>>()
    };
    let silent = waits(|_| {});
    let explicit = waits(|record| {
        record["dagId"] = json!("");
        record["taskId"] = json!("train");
        record["logicalDate"] = json!("None");
    });
    assert_eq!(silent, explicit);
    assert_ne!(silent, waits(|record| record["dagId"] = json!("train")));
    assert_ne!(silent, waits(|record| record["logicalDate"] = json!("2026-01-01 00:00:00")));
    assert_eq!(silent, waits(|record| record["mapIndex"] = json!(7)));
}

#[test]
fn clearing_gives_tries_beyond_the_limit() {
    let engine = engine("policy: {retries: 1}");
    let mut records = [1, 2, 3, 4, 5].map(|hour| try_at(hour, "Failed"));
    records[1]["state"] = json!("restarting");
    records[2]["maxTries"] = json!(4);
    let outcome = replay(&engine, &records);
    let wanted = ["retry", "retry_restarting", "retry", "retry", "fail_tries_used_up"];
    assert_eq!(codes(&outcome), wanted);
    let last = outcome.decisions.last().unwrap();
    assert_eq!(
        (last.count, last.limit, last.limit_source.as_deref()),
        (Some(5), Some(4), Some("max_tries"))
    );
    assert_eq!(last.reason, "max_tries 4: try 5 was one too many");
}

/// Every published case, written as a user would: a profile and a record.
#[test]
fn records_say_what_the_vectors_say() {
    let cases = include_str!("../../../../../testdata/vectors/airflow.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    assert!(cases.len() >= 44);
    for case in &cases {
        let mut policy = case["policy"].clone();
        policy["retries"] = policy.get("retries").cloned().unwrap_or(json!(2000));
        let profile = case.get("profile").cloned().unwrap_or(json!("3.3"));
        let engine = engine(&format!("profile: {profile}\n  policy: {policy}"));
        let mut record = try_at(1, "Failed");
        for (key, field) in [
            ("dag_id", "dagId"),
            ("task_id", "taskId"),
            ("logical_date", "logicalDate"),
            ("try_number", "tryNumber"),
            ("max_tries", "maxTries"),
            ("state", "state"),
            ("retry_delay_override", "retryDelayOverride"),
        ] {
            record[field] = case["input"][key].clone();
        }
        // They are answers of the model, which decides where the worker has died.
        record["workerDied"] = json!(true);
        let decision = &replay(&engine, &[record]).decisions[0];
        let name = &case["name"];
        if let Some(wanted) = case["expected"].get("delay_seconds") {
            assert_eq!(decision.delay_seconds, wanted.as_f64(), "{name}");
        } else if case["expected"]["overflow"] == true {
            assert_eq!(
                (decision.decision.as_str(), decision.delay_seconds),
                ("error_overflow", None)
            );
        } else {
            assert_eq!(decision.system.get("eligible"), case["expected"].get("eligible"), "{name}");
        }
    }
}

#[test]
fn every_check_is_told_in_order() {
    let engine = engine("policy: {retries: 3, retry_exponential_backoff: 2}");
    let told = |record: Value, retries| {
        let members = members(&[record]);
        let (decision, tried) = explain(&engine, &members[0], retries, 0).unwrap();
        assert!(tried.iter().all(|one| one.rule.policy == "nightly" && one.rule.index.is_none()));
        let matched: Vec<bool> = tried.iter().map(|one| one.matched).collect();
        (decision.decision, matched, tried.last().unwrap().why.clone())
    };
    let (code, matched, why) = told(try_at(1, "Failed"), 2);
    assert_eq!((code.as_str(), matched), ("retry", vec![false, false, false, true, false, true]));
    let stands = "no dagId and no taskId are given; the wait differs with them";
    assert!(why.ends_with(&format!("s of jitter, from `#train#None#3`: {stands}")), "{why}");
    let mut record = try_at(1, "Failed");
    (record["dagId"], record["taskId"]) = (json!("etl"), json!("load"));
    let (.., why) = told(record, 0);
    assert!(why.ends_with("s of jitter, from `etl#load#None#1`"), "{why}");
    let (code, matched, why) = told(try_at(1, "Failed"), 3);
    let settled = vec![false, false, false, true];
    assert_eq!((code.as_str(), matched), ("fail_tries_used_up", settled));
    assert_eq!(why, "try_number 4 is above max_tries 3");
    let mut record = try_at(1, "Failed");
    record["state"] = json!("restarting");
    record["retryDelayOverride"] = json!(0.5);
    let (code, matched, why) = told(record, 9);
    assert_eq!((code.as_str(), matched), ("retry_restarting", vec![false, true, true]));
    assert_eq!(why, "0.5s: set by a retry policy, without a limit");
}

/// A delay is counted only if ids are missing and another id could lead to another delay.
#[test]
fn waits_that_are_computed_without_ids_are_counted() {
    let substituted = |settings: &str, ids: &[(&str, &str)]| {
        let engine = engine(&format!("policy: {{retries: 2, {settings}}}"));
        let mut records = [1, 2, 3].map(|hour| try_at(hour, "Failed"));
        for record in &mut records {
            for (field, id) in ids {
                record[*field] = json!(id);
            }
        }
        let (names, none) = (Names::default(), Summary::new(engine.rules().len()));
        let replayed = simulate::replay(&engine, &names, &members(&records), OPTIONS, none);
        replayed.summary.totals.guessed_waits
    };
    let grows = "retry_exponential_backoff: 2";
    assert_eq!(substituted(grows, &[]), 2);
    assert_eq!(substituted(grows, &[("dagId", "d")]), 2);
    assert_eq!(substituted(grows, &[("dagId", "d"), ("taskId", "t")]), 0);
    assert_eq!(substituted("retry_delay_seconds: 60", &[]), 0);
    // The delays are 300 and 600 s: the second reaches its limit before jitter is added.
    assert_eq!(substituted(&format!("{grows}, max_retry_delay_seconds: 600"), &[]), 1);
    assert_eq!(substituted(&format!("{grows}, core.max_task_retry_delay: 300"), &[]), 0);
}

#[test]
fn any_history_may_be_streamed() {
    let engine = engine("policy: {retries: 1}");
    let members = members(&[try_at(1, "Failed"), try_at(2, "Failed")]);
    assert!(engine.has_single_members() && engine.can_stream(&members[0]));
    assert!(members[0].is_single && engine.unit_key(&members[0]).is_none());
}

/// `ActivitySubprocess.final_state` of task-sdk 1.0.0, 1.0.6 and 1.1.0 (3.0.0 to 3.1.1) fails the task; 1.1.4 (3.1.5) and later
/// report `up_for_retry` if tries are left. Up to 2.11 the scheduler finds the task dead and `retries` decide.
#[test]
fn a_process_that_was_killed_fails_the_task_from_3_0_0_to_3_1_1() {
    let decisions = |profile: &str, field: &str, value: Value| {
        let engine = engine(&format!("profile: \"{profile}\"\n  policy: {{retries: 1}}"));
        let records: Vec<Value> = (0..2)
            .map(|hour| {
                let mut record = try_at(hour, "Failed");
                record[field] = value.clone();
                record
            })
            .collect();
        let report = replay(&engine, &records);
        report.decisions.iter().map(|decision| decision.decision.clone()).collect::<Vec<_>>()
    };
    for profile in Profile::ALL.map(Profile::as_str) {
        let killed = decisions(profile, "processExit", json!(-9));
        let expected: &[&str] = if ["3.0", "3.0.0"].contains(&profile) {
            &["fail_process_killed"]
        } else {
            &["retry", "fail_tries_used_up"]
        };
        assert_eq!(killed[..expected.len()], *expected, "{profile}");
        let died = decisions(profile, "workerDied", json!(true));
        assert_eq!(died, ["retry", "fail_tries_used_up"], "{profile}");
    }
}

/// `_is_eligible_to_retry` of the execution API compares `max_tries`, and `is_eligible_to_retry` of the model, which the
/// scheduler calls, the DAG's `retries` too.
#[test]
fn the_worker_of_3_x_compares_max_tries_alone() {
    for profile in Profile::ALL {
        let text = format!("profile: \"{}\"\n  policy: {{retries: 0}}", profile.as_str());
        let engine = engine(&text);
        let code = |field: &str, value: Value| {
            let mut record = try_at(0, "Failed");
            record["maxTries"] = json!(2);
            record[field] = value;
            replay(&engine, &[record]).decisions[0].decision.clone()
        };
        let in_worker = if profile.decides_in_worker() { "retry" } else { "fail_no_retries" };
        assert_eq!(code("exceptions", json!(["ValueError"])), in_worker, "{profile:?}");
        assert_eq!(code("workerDied", json!(true)), "fail_no_retries", "{profile:?}");
        assert_eq!(code("state", json!("queued")), "fail_no_retries", "{profile:?}");
    }
}

#[test]
fn an_exit_code_of_0_and_an_exception_beside_one_are_refused() {
    for (field, value, message) in [
        ("processExit", json!(0), "`processExit` is 0, which is a success"),
        ("processExit", json!(-9), "a process that died raised no exception"),
    ] {
        let mut record = try_at(0, "Failed");
        record[field] = value.clone();
        if value != json!(0) {
            record["exceptions"] = json!(["ValueError"]);
        }
        let (_, findings) = read_lines::<AirflowEngine>(&record.to_string());
        assert!(findings.iter().any(|it| it.message.contains(message)), "{findings:?}");
    }
}
