//! Sections 2, 3 and 10: which policies, which settings, which times.
//!
//! Holds semantics.md 2, 3, 10.

use serde_json::{Value, json};

use super::super::time::{SECOND, duration, instant, shown};
use super::super::{Input, simulate};
use super::{ask, column, expect, failed, job, policy};

/// All of this file.
pub fn check() {
    times();
    effective_policies();
    missing_policies();
    settings();
    reloads();
    not_reached_and_unresolved();
    pod_names();
}

/// Section 10: "Times are RFC 3339 [..] or offsets from `spec.start`"; "Output is UTC with `Z`."
fn times() {
    assert_eq!(duration("1h30m"), Some(5_400 * SECOND));
    assert_eq!(duration("1.5s500ms"), Some(2 * SECOND));
    assert_eq!(duration("90"), None, "a bare number is refused");
    let noon = instant("2024-03-01T01:30:00.25+02:00", 0).expect("a date");
    assert_eq!(shown(noon), "2024-02-29T23:30:00.25Z");
    assert_eq!(shown(instant("36h", noon).expect("an offset")), "2024-03-02T11:30:00.25Z");
    assert_eq!(instant("1970-01-02T00:00:00Z", 0), Some(86_400 * SECOND));
    assert_eq!(shown(-SECOND), "1969-12-31T23:59:59Z");
}

fn effective(input: &Input) -> Value {
    simulate(input)["jobs"][0]["effectivePolicies"].clone()
}

fn three(annotation: &str) -> Input {
    let all = ["infra", "ml-training", "extra-retry"];
    let mut one = job(json!([{"outcome": "Failed"}]));
    one["annotations"] = json!({"armadaproject.io/retry-policy": annotation});
    let mut input = ask(all.map(|name| policy(name, json!({}))).to_vec(), json!([one]));
    input.history["spec"]["queues"][0]["retryPolicies"] = json!(["infra", "ml-training"]);
    input
}

/// The seed: "Effective policies for this job: [infra, ml-training, extra-retry]"; section 3: "blanks trimmed,
/// empty pieces ignored [..] a name seen before is dropped (the first place wins)".
fn effective_policies() {
    let expected = json!(["infra", "ml-training", "extra-retry"]);
    assert_eq!(effective(&three("extra-retry")), expected);
    assert_eq!(effective(&three(" ml-training ,, extra-retry,infra")), expected);
}

/// Section 3: skip "drops it with a warning, and the default applies if none is left".
fn missing_policies() {
    let mut input = three("gone");
    input.missing_policy_skip = true;
    assert_eq!(effective(&input), json!(["infra", "ml-training"]));
    input.queue_policies = Some(vec!["never".into()]);
    assert_eq!(effective(&input), json!([]));
    expect(&input, "decision", json!(["legacy_fail"]));
    input.scheduler = Some(
        json!({"scheduling": {"retryPolicy": {"enabled": true, "defaultPolicyName": "infra"}}}),
    );
    assert_eq!(effective(&input), json!(["infra"]));
    expect(&input, "decision", json!(["fail_default"]));
}

/// Section 2: "With a file, `enabled` is false unless set and the other defaults stay."
fn settings() {
    let mut input = ask(
        vec![policy("p", json!({"defaultAction": "Retry"}))],
        json!([job(json!([{"outcome": "Failed"}]))]),
    );
    expect(&input, "globalMaxRetries", json!([20]));
    expect(&input, "limitSource", json!(["global"]));
    input.scheduler = Some(json!({"scheduling": {"retryPolicy": {}}}));
    expect(&input, "decision", json!(["legacy_fail"]));
    expect(&input, "globalMaxRetries", json!([20]));
}

/// Section 5: a reload "at the instant of a run applies before it", and "a job already over the new limit fails
/// at its next evaluation".
fn reloads() {
    let at = |time: &str| json!({"outcome": "Failed", "startedAt": "30s", "finishedAt": time});
    let runs = json!([at("1m"), at("2m"), at("3m"), at("4m")]);
    let mut input = ask(vec![policy("p", json!({"defaultAction": "Retry"}))], json!([job(runs)]));
    input.history["spec"]["events"] = json!([{"at": "3m", "reload": {"globalMaxRetries": 1}}]);
    expect(&input, "decision", json!(["retry", "retry", "fail_global_limit"]));
    expect(&input, "globalMaxRetries", json!([20, 20, 1]));
    expect(&input, "totalRetries", json!([1, 2, 2]));
}

/// Section 10: "Runs recorded after the policy says Fail did not happen under this policy: `notReached`"; "A Retry
/// with no recorded next run is `Unresolved`".
fn not_reached_and_unresolved() {
    let rules = json!([{"action": "Retry", "onExitCodes": {"operator": "In", "values": [2]}}]);
    let runs = json!([failed(2, ""), failed(1, ""), failed(2, ""), {"outcome": "Succeeded"}]);
    let mut input = ask(vec![policy("p", json!({"rules": rules}))], json!([job(runs)]));
    let report = simulate(&input);
    assert_eq!(report["jobs"][0]["notReached"], 2);
    assert_eq!(report["jobs"][0]["outcome"], "Failed");
    assert_eq!(report["summary"]["failures"], 2);
    input.history["spec"]["jobs"][0]["runs"] = json!([failed(2, "")]);
    assert_eq!(simulate(&input)["summary"]["outcomes"], json!({"Unresolved": 1}));
}

/// The seed: first run `armadactl`'s legacy form, "Retry runs: `armada-<jobId>-0-<runIndex>`", "When disabled, all
/// runs use legacy format"; section 10: "`runIndex` defaults to the position; the next pod's is one more".
fn pod_names() {
    let runs =
        json!([{"outcome": "LeaseReturned", "runIndex": 0}, {"outcome": "Failed", "runIndex": 4}]);
    let mut input = ask(vec![policy("p", json!({"defaultAction": "Retry"}))], json!([job(runs)]));
    expect(&input, "podName", json!(["armada-j-0", "armada-j-0-4"]));
    expect(&input, "nextPodName", json!([null, "armada-j-0-5"]));
    input.scheduler = Some(json!({}));
    expect(&input, "podName", json!(["armada-j-0", "armada-j-0"]));
    assert_eq!(column(&simulate(&input), 0, "event"), ["JobRequeued", "JobFailed"]);
}
