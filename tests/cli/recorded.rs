//! Streams after those of a real Armada: a replay decides what its scheduler decided, which is in
//! the streams themselves.
//!
//! Holds semantics.md 5.

use super::sandbox::{Sandbox, root};
use serde_json::Value;
use std::collections::BTreeMap;

const FOLDER: &str = "testdata/sources/armada-events-recorded";

/// A stream of a real Armada, with a queue of two policies.
const SET_3: (&str, &str) =
    ("../../vectors/armada_events/set-3.jsonl", "../../vectors/armada_events/set-3-policies.yaml");

/// Per job what was decided of each failure, with the retries that were spent where the reason has
/// them, and the outcome.
type Decisions = BTreeMap<String, (Vec<(String, Option<String>)>, String)>;

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(FOLDER).join(file)).expect("a fixture")
}

/// The decision that a `failed` event has the outcome of.
fn decision(event: &Value) -> (String, Option<String>) {
    let reason = event["reason"].as_str().unwrap_or_default();
    let policy = reason.strip_prefix("Retry policy: ");
    let policy = policy.map(|reason| reason.lines().next().unwrap_or_default());
    let (name, spent) = match policy {
        _ if event["retryable"] == true => ("retry", None),
        None => ("legacy_fail", None),
        Some("matched rule: Fail") => ("fail_rule", None),
        Some("no rule matched, using default action") => ("fail_default", None),
        Some(reason) if reason.starts_with("retry granted, but ") => ("retry_unschedulable", None),
        Some(reason) => {
            let spent =
                reason.strip_prefix("policy retry limit exceeded (").expect("a known reason");
            ("fail_policy_limit", spent.strip_suffix(')'))
        }
    };
    (name.to_owned(), spent.map(str::to_owned))
}

/// What the scheduler decided, by its stream.
fn recorded(file: &str) -> Decisions {
    let mut all = Decisions::new();
    for line in text(file).lines() {
        let line: Value = serde_json::from_str(line).expect("an event");
        let message = line["result"]["message"].as_object().expect("a message");
        let (kind, event) = message.iter().next().expect("an event");
        let job = all.entry(event["jobId"].as_str().expect("an id").to_owned()).or_default();
        let outcome = match kind.as_str() {
            "failed" => {
                job.0.push(decision(event));
                "Failed"
            }
            "leased" => "Unresolved",
            "succeeded" => "Succeeded",
            "cancelled" => "Cancelled",
            _ => continue,
        };
        outcome.clone_into(&mut job.1);
    }
    all
}

/// What a replay decides.
fn replayed(file: &str) -> Decisions {
    let report = report(("stream", &text(file)), &text("policy.yaml"), "");
    decisions(&report)
}

/// The report on a history, with timelines.
fn report((name, history): (&str, &str), policies: &str, flags: &str) -> Value {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policies).file(name, history);
    sandbox.file(
        "scheduler.yaml",
        "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 5}}\n",
    );
    let line = format!(
        "simulate -f policy.yaml --scheduler-config scheduler.yaml --history {name} \
         --timelines all -o json {flags}"
    );
    sandbox.run(&line).exits(0).json()
}

fn decisions(report: &Value) -> Decisions {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let word = |value: &Value| value.as_str().expect("a text").to_owned();
    let jobs = list(&report["jobs"]).into_iter().map(|job| {
        let decisions = list(&job["decisions"]).into_iter().map(|decision| {
            let name = word(&decision["decision"]);
            let spent = (name == "fail_policy_limit")
                .then(|| format!("{}/{}", decision["count"], decision["limit"]));
            (name, spent)
        });
        (word(&job["jobId"]), (decisions.collect(), word(&job["outcome"])))
    });
    jobs.collect()
}

#[test]
fn a_replay_decides_what_armadas_scheduler_decided() {
    let set = recorded("set-1.jsonl");
    assert_eq!(set.len(), 8, "outcomes");
    assert_eq!(set.values().map(|job| job.0.len()).sum::<usize>(), 14, "decisions");
    let mut names: Vec<&str> =
        set.values().flat_map(|job| job.0.iter().map(|decision| decision.0.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["fail_default", "fail_policy_limit", "fail_rule", "legacy_fail", "retry"]);
    assert_eq!(replayed("set-1.jsonl"), set, "as the gateway sends it");
    assert_eq!(replayed("set-1.txt"), set, "as `armadactl watch --raw` prints it");
    assert_eq!(replayed("set-2.jsonl"), recorded("set-2.jsonl"));
}

/// A retry that the scheduler granted and took back, since no node could take the job with its grown memory: the job
/// failed by it.
#[test]
fn a_retry_that_was_taken_back_is_none() {
    let (stream, policies) = (text(SET_3.0), text(SET_3.1));
    let recorded = recorded(SET_3.0);
    assert_eq!(recorded.len(), 12);
    let report = report(("stream", &stream), &policies, "");
    assert_eq!(decisions(&report), recorded);
    let summary = &report["summary"];
    assert_eq!(summary["byDecision"]["retry_unschedulable"], 1);
    assert_eq!(summary["retries"], summary["byDecision"]["retry"], "it is no retry");
    assert_eq!(
        (&summary["unresolved"], &summary["outcomes"]["Unresolved"]),
        (&0.into(), &Value::Null)
    );
    let failed_by = summary["failedBy"].as_array().expect("rows");
    let row = failed_by.iter().find(|row| row["decision"] == "retry_unschedulable");
    assert_eq!(row.map(|row| &row["jobs"]), Some(&1.into()), "{failed_by:?}");
    let taken_back = report["jobs"].as_array().expect("jobs").iter().find(|job| {
        job["decisions"].as_array().is_some_and(|all| {
            all.last().is_some_and(|last| last["decision"] == "retry_unschedulable")
        })
    });
    let last = taken_back.and_then(|job| job["decisions"].as_array()?.last()).expect("a decision");
    assert_eq!(last["action"], "Fail");
    let reason = last["reason"].as_str().expect("a reason");
    assert!(reason.ends_with("grown by the rule's memory bump fits no node"), "{reason}");
}

/// Under policies whose retry does not grow the memory, the scheduler did not try what they grant.
#[test]
fn a_retry_of_another_kind_is_not_taken_back() {
    let other = text(SET_3.1).replace("  mutate: {resources: {memory: {factor: 1.5}}}\n", "");
    let report = report(("stream", &text(SET_3.0)), &other, "");
    let summary = &report["summary"];
    assert_eq!(summary["byDecision"]["retry_unschedulable"], Value::Null);
    assert_eq!(summary["outcomes"]["Unresolved"], 1);
}

/// JSON Lines and Lookout's runs have it in the field `error`.
#[test]
fn the_error_of_a_run_has_it_too() {
    let policy = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: 5\n\
                  defaultAction: Fail\nrules:\n- action: Retry\n  onCategory: memory\n  mutate: MUTATE\n";
    let bump = policy.replace("MUTATE", "{resources: {memory: {factor: 2}}}");
    let avoid = policy.replace("MUTATE", "{affinity: {avoidSameNode: true}}");
    let causes = [
        "retry granted, but the job grown by the rule's memory bump fits no node",
        "retry granted, but no untried node fits the job",
        "retry granted",
    ];
    for (number, cause) in causes.into_iter().enumerate() {
        let line = serde_json::json!({"jobId": "a", "outcome": "Failed", "category": "memory", "node": "n",
            "error": format!("Retry policy: {cause}\n\nFinal run error:\nOOM")});
        for (kind, policy) in [&bump, &avoid].into_iter().enumerate() {
            let report = report(("h.jsonl", &format!("{line}\n")), policy, "");
            let taken_back = report["summary"]["byDecision"]["retry_unschedulable"] == 1;
            assert_eq!(taken_back, number == kind, "{cause} by policy {kind}");
        }
    }
}
