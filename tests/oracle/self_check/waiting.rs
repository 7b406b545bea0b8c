//! Sections 6 and 7: delays, placement, memory, contradictions.
//!
//! Holds semantics.md 6, 7.

use serde_json::{Value, json};

use super::super::{Input, simulate};
use super::{ask, column, expect, job, policy};

/// All of this file.
pub fn check() {
    formula();
    merge();
    graceful_shutdown();
    anti_affinity();
    factors();
    statics();
    contradictions();
}

fn run(finished_at: &str) -> Value {
    json!({"outcome": "Failed", "finishedAt": finished_at, "category": "gpu", "node": "n1"})
}

fn with(spec: Value, runs: Value) -> Input {
    ask(vec![policy("p", spec)], json!([job(runs)]))
}

/// The seed: "`min(initialDelay * multiplier^(failureCount-1), maxDelay)`"; section 6: "job-wide; lease returns are not
/// failures"; the seed: "`retryAfter = now + delay`".
fn formula() {
    let block = json!({"initialDelay": "10s", "maxDelay": "1m", "multiplier": 2.5});
    let returned = json!({"outcome": "LeaseReturned", "finishedAt": "1m"});
    let expired = json!({"outcome": "LeaseExpired", "finishedAt": "2m"});
    let runs = json!([run("1m"), returned, expired, run("3m"), {"outcome": "Failed"}]);
    let mut input = with(json!({"defaultAction": "Retry", "backoff": block}), runs);
    input.history["spec"]["start"] = json!("2026-01-01T00:00:00+01:00");
    expect(&input, "delaySeconds", json!([10.0, null, 25.0, 60.0, 60.0]));
    let times =
        json!(["2025-12-31T23:01:10Z", null, "2025-12-31T23:02:25Z", "2025-12-31T23:04:00Z", null]);
    expect(&input, "retryAfter", times);
}

/// Section 6: "Field by field, the most specific level that sets it [..] (**chosen**: merge, not replacement)".
fn merge() {
    let rule =
        json!({"action": "Retry", "onFailureCategory": ["gpu"], "backoff": {"initialDelay": "4s"}});
    let spec = json!({"defaultAction": "Retry", "backoff": {"initialDelay": "1s", "multiplier": 3}, "rules": [rule]});
    let mut input = with(spec, json!([run("1m"), run("2m"), run("3m"), {"outcome": "Failed"}]));
    let default = json!({"initialDelay": "9s", "maxDelay": "20s", "multiplier": 5});
    input.scheduler =
        Some(json!({"scheduling": {"retryPolicy": {"enabled": true, "defaultBackoff": default}}}));
    expect(&input, "delaySeconds", json!([4.0, 12.0, 20.0, 20.0]));
}

/// Section 7: "delay = max(wait, min(grace, confirmed))", "absent or 0 → the minimum", "at least 0", and "confirmation
/// ends the wait for the pod, never the backoff".
fn graceful_shutdown() {
    let preempted = |grace: u64, confirmed: &str| {
        json!({"outcome": "Preempted", "finishedAt": "1m", "terminationGracePeriodSeconds": grace,
            "terminationConfirmedAt": confirmed})
    };
    let named = json!({"outcome": "Failed", "conditions": ["Preempted"], "finishedAt": "1m", "terminationGracePeriodSeconds": 30});
    let runs = json!([
        preempted(30, ""),
        preempted(30, "1m7s"),
        preempted(30, "59s"),
        preempted(30, "3m"),
        preempted(0, ""),
        named
    ]);
    let backoff = json!({"initialDelay": "5s", "multiplier": 1});
    let mut input = with(json!({"defaultAction": "Retry", "backoff": backoff}), runs);
    expect(&input, "delaySeconds", json!([30.0, 7.0, 5.0, 30.0, 5.0, 30.0]));
    input.scheduler = Some(
        json!({"scheduling": {"retryPolicy": {"enabled": true}}, "submission": {"minTerminationGracePeriod": "6s"}}),
    );
    expect(&input, "delaySeconds", json!([30.0, 7.0, 5.0, 30.0, 6.0, 30.0]));
}

/// Section 7: "`antiAffinity.mode` (rule, else policy, else `none`): `node` avoids the node of the most recent failed run
/// only".
fn anti_affinity() {
    let rule =
        json!({"action": "Retry", "onFailureCategory": ["gpu"], "antiAffinity": {"mode": "none"}});
    let spec = json!({"defaultAction": "Retry", "antiAffinity": {"mode": "node"}, "rules": [rule]});
    let on = |node: &str| json!({"outcome": "Failed", "node": node});
    let input = with(spec, json!([run("1m"), on("n2"), on("n3"), on("")]));
    expect(&input, "avoidNodes", json!([[], ["n2"], ["n3"], []]));
}

fn growing(bumps: [Value; 3], memory: &str) -> Input {
    let rule = |category: &str, bump: &Value| json!({"action": "Retry", "onFailureCategory": [category], "mutate": {"resources": {"memory": bump}}});
    let policies = ["a", "b", "c"]
        .iter()
        .zip(&bumps)
        .map(|(name, bump)| policy(name, json!({"rules": [rule(name, bump)]})));
    let runs = ["a", "b", "c"].map(|category| json!({"outcome": "Failed", "category": category}));
    let mut one = job(json!(runs));
    one["resources"] = json!({"memory": memory});
    ask(policies.collect(), json!([one]))
}

/// Section 7: "`factor`s multiply, memory = ceil(original × product) [..] the other kind is then skipped"; "null until a
/// bump has happened".
fn factors() {
    let bumps = [json!({"factor": 1.5}), json!({"static": "1Gi"}), json!({"factor": 1.5})];
    expect(
        &growing(bumps.clone(), "1Gi"),
        "memoryBytes",
        json!([1_610_612_736, 1_610_612_736, 2_415_919_104_i64]),
    );
    expect(&growing(bumps, "3"), "memoryBytes", json!([5, 5, 7]));
}

/// Section 7: "`static`s add"; mutate applies "on rule-decided retries of Failed runs only".
fn statics() {
    let bumps = [json!({"static": "1Ki"}), json!({"factor": 2}), json!({"static": "1k"})];
    let mut input = growing(bumps, "1");
    expect(&input, "memoryBytes", json!([1_025, 1_025, 2_025]));
    input.history["spec"]["jobs"][0]["runs"][0]["outcome"] = json!("LeaseExpired");
    expect(&input, "memoryBytes", json!([null, 2, 2]));
}

/// Section 7: "A history whose next run is on an avoided node, or starts before retryAfter, is counted as a
/// contradiction".
fn contradictions() {
    let spec = json!({"defaultAction": "Retry", "antiAffinity": {"mode": "node"}, "backoff": {"initialDelay": "10s", "multiplier": 1}});
    let next = |node: &str, from: &str, to: &str| json!({"outcome": "Failed", "node": node, "startedAt": from, "finishedAt": to});
    let runs = json!([
        run("1m"),
        next("n2", "70s", "2m"),
        next("n3", "129s", "3m"),
        next("n3", "4m", "5m")
    ]);
    let report = simulate(&with(spec, runs));
    assert_eq!(report["summary"]["contradictions"], 2, "{report:#}");
    assert_eq!(
        column(&report, 0, "decision").len(),
        4,
        "never silently, but replayed all the same"
    );
}
