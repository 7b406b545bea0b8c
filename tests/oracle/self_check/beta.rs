//! The `v1beta1` column of section 1.
//!
//! Holds semantics.md 1.

use serde_json::{Value, json};

use super::super::{Engine, Input};
use super::{expect, job};

/// All of this file.
pub fn check() {
    one_count();
    absent_limit();
    preempted();
    first_policy_only();
    avoided_nodes();
    legacy_gates();
}

fn flat(name: &str, limit: Option<u64>, rules: Value) -> Value {
    let mut policy = json!({"apiVersion": "armadaproject.io/v1beta1", "kind": "RetryPolicy", "name": name,
        "defaultAction": "Fail", "rules": rules});
    if let Some(limit) = limit {
        policy["retryLimit"] = json!(limit);
    }
    policy
}

fn retries(category: &str) -> Value {
    json!({"action": "Retry", "onCategory": category, "onSubcategory": ""})
}

fn ask(policies: Vec<Value>, runs: Value) -> Input {
    let names: Vec<Value> = policies.iter().map(|policy| policy["name"].clone()).collect();
    let spec = json!({"queues": [{"name": "q", "retryPolicies": names}], "jobs": [job(runs)]});
    Input {
        policies,
        history: json!({"kind": "FailureHistory", "spec": spec}),
        scheduler: None,
        engine: Engine::V1beta1,
        queue_policies: None,
        missing_policy_skip: false,
    }
}

fn gpu(outcome: &str) -> Value {
    json!({"outcome": outcome, "category": "gpu"})
}

/// "one: failures − 1 of the whole job"; "failures = Failed and `LeaseExpired` runs so far, this one included"; shown "max(0,
/// failures − 1), +1 for a Retry"; pod names stay `armada-<jobId>-0`.
fn one_count() {
    let rules = json!([retries("net"), retries("gpu")]);
    let runs = json!([gpu("Failed"), gpu("LeaseReturned"), {"outcome": "Failed", "category": "net"}, gpu("LeaseExpired")]);
    let input = ask(vec![flat("p", Some(2), rules)], runs);
    expect(&input, "decision", json!(["retry", "legacy_retry", "retry", "fail_policy_limit"]));
    expect(&input, "count", json!([1, null, 2, 2]));
    expect(&input, "globalMaxRetries", json!([5, 5, 5, 5]));
    expect(&input, "nextPodName", json!(["armada-j-0", null, "armada-j-0", null]));
    expect(&input, "delaySeconds", json!([0.0, null, 0.0, null]));
}

/// "absent `retryLimit` | is 0: never retries", and "a `v1beta1` document under `v1` keeps its meaning".
fn absent_limit() {
    let mut input = ask(vec![flat("p", None, json!([retries("gpu")]))], json!([gpu("Failed")]));
    expect(&input, "decision", json!(["fail_policy_limit"]));
    input.engine = Engine::V1;
    expect(&input, "decision", json!(["fail_policy_limit"]));
    expect(&input, "limit", json!([0]));
}

/// "preempted runs | never evaluated, never counted; the job ends".
fn preempted() {
    let input = ask(
        vec![flat("p", Some(3), json!([retries("gpu")]))],
        json!([gpu("Failed"), gpu("Preempted"), gpu("Failed")]),
    );
    expect(&input, "decision", json!(["retry", "legacy_fail"]));
    expect(&input, "policy", json!(["p", null]));
}

/// "several policies on a queue | only the first is evaluated".
fn first_policy_only() {
    let second = flat("second", Some(3), json!([retries("gpu")]));
    let input = ask(vec![flat("first", Some(3), json!([])), second], json!([gpu("Failed")]));
    expect(&input, "decision", json!(["fail_default"]));
    expect(&input, "policy", json!(["first"]));
}

/// Section 7: "avoided nodes are the distinct nodes of all runs so far, in order of first use, on retries whose rule asks
/// for it".
fn avoided_nodes() {
    let mut asking = retries("gpu");
    asking["mutate"] = json!({"affinity": {"avoidSameNode": true}});
    let on = |outcome: &str, node: &str, category: &str| json!({"outcome": outcome, "node": node, "category": category});
    let runs = json!([
        on("LeaseReturned", "b", "gpu"),
        on("Failed", "a", "gpu"),
        on("Failed", "b", "gpu"),
        on("Failed", "c", "net")
    ]);
    let input = ask(vec![flat("p", Some(9), json!([asking, retries("net")]))], runs);
    expect(&input, "avoidNodes", json!([[], ["b", "a"], ["b", "a"], []]));
    // Section 7: "`mutate` applies on rule-decided retries of Failed runs only (not .. for LeaseExpired)".
    let expired = json!([on("LeaseExpired", "a", "gpu"), on("Failed", "b", "gpu")]);
    let mut asking = retries("gpu");
    asking["mutate"] = json!({"affinity": {"avoidSameNode": true}});
    let input = ask(vec![flat("p", Some(9), json!([asking]))], expired);
    expect(&input, "avoidNodes", json!([[], ["a", "b"]]));
}

/// "gangs of 2 or more | legacy path", "failFast, policy missing | legacy path (§8), no policy named".
fn legacy_gates() {
    let mut input = ask(
        vec![flat("p", Some(3), json!([retries("gpu")]))],
        json!([gpu("LeaseReturned"), gpu("Failed")]),
    );
    input.history["spec"]["jobs"][0]["gang"] = json!({"id": "g", "cardinality": 2});
    expect(&input, "decision", json!(["legacy_retry", "legacy_fail"]));
    input.history["spec"]["jobs"][0]["gang"] = Value::Null;
    input.history["spec"]["jobs"][0]["annotations"] = json!({"armadaproject.io/failFast": "true"});
    expect(&input, "decision", json!(["legacy_fail"]));
}
