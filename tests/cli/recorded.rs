//! Streams after those of a real Armada: a replay decides what its scheduler decided, which is in
//! the streams themselves.

use super::sandbox::{Sandbox, root};
use serde_json::Value;
use std::collections::BTreeMap;

const FOLDER: &str = "testdata/sources/armada-events-recorded";

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
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", text("policy.yaml")).file("stream", text(file));
    sandbox.file(
        "scheduler.yaml",
        "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 5}}\n",
    );
    let line = "simulate -f policy.yaml --scheduler-config scheduler.yaml --history stream \
                --timelines all -o json";
    let report = sandbox.run(line).exits(0).json();
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
