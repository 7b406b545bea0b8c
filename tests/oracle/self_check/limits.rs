//! Sections 5 and 8: counts, limits, and what takes the legacy path.
//!
//! Holds semantics.md 5, 8.

use serde_json::{Value, json};

use super::super::{Input, simulate};
use super::{ask, expect, failed, job, policy, repeated};

/// All of this file.
pub fn check() {
    seed_table();
    n_retries();
    precedence();
    own_count_of_the_default();
    first_policys_default();
    kill_switch();
    global_cap();
    lease_returns();
    fail_fast();
    nothing_on_fail_rules();
}

/// The policies of the seed's example.
fn infra_and_ml(runs: Vec<Value>) -> Input {
    let infra = json!({"retryLimit": 10, "rules": [{"action": "Retry", "onConditions": ["Preempted", "Evicted"]}]});
    let ml = json!({"retryLimit": 5, "rules": [{"action": "Retry", "onConditions": ["OOMKilled"], "retryLimit": 3}]});
    ask(vec![policy("infra", infra), policy("ml-training", ml)], json!([job(json!(runs))]))
}

/// The seed's table, and: "The job can be preempted up to 10 times AND OOMKilled up to 3 times independently."
fn seed_table() {
    let preempted = json!({"outcome": "Preempted"});
    let oom = failed(137, "OOMKilled");
    let runs = [repeated(&preempted, 10), repeated(&oom, 4)].concat();
    let report = simulate(&infra_and_ml(runs));
    let decisions = report["jobs"][0]["decisions"].as_array().expect("decisions");
    assert!(decisions[..13].iter().all(|decision| decision["action"] == "Retry"), "{report:#}");
    assert_eq!((&decisions[9]["count"], &decisions[9]["limit"]), (&json!(10), &json!(10)));
    assert_eq!(
        (&decisions[9]["policy"], &decisions[9]["limitSource"]),
        (&json!("infra"), &json!("policy"))
    );
    assert_eq!((&decisions[12]["count"], &decisions[12]["totalRetries"]), (&json!(3), &json!(13)));
    assert_eq!(
        (&decisions[13]["decision"], &decisions[13]["count"]),
        (&json!("fail_rule_limit"), &json!(3))
    );
    let eleven = simulate(&infra_and_ml(repeated(&preempted, 11)));
    assert_eq!(eleven["jobs"][0]["decisions"][10]["decision"], "fail_policy_limit");
    let row =
        json!({"policy": "infra", "ruleIndex": 0, "matched": 11, "retried": 10, "exhausted": 1});
    assert_eq!(eleven["summary"]["byRule"][0], row);
}

/// Section 5: "limit N gives N retries, N+1 runs".
fn n_retries() {
    let spec = json!({"retryLimit": 2, "defaultAction": "Retry"});
    let input = ask(vec![policy("p", spec)], json!([job(json!(repeated(&failed(1, ""), 4)))]));
    expect(&input, "decision", json!(["retry", "retry", "fail_policy_limit"]));
    expect(&input, "count", json!([1, 2, 2]));
}

/// Section 5: "`rule.retryLimit ?? policy.retryLimit ?? globalMaxRetries`"; 0 is a limit, not an absent one.
fn precedence() {
    let spec = json!({"retryLimit": 2, "rules": [{"action": "Retry", "retryLimit": 0, "onConditions": ["Evicted"]}]});
    let evicted = json!({"outcome": "Failed", "conditions": ["Evicted"]});
    let input = ask(vec![policy("p", spec)], json!([job(json!([evicted]))]));
    expect(&input, "decision", json!(["fail_rule_limit"]));
    expect(&input, "limit", json!([0]));
}

/// Section 5: "The default action keeps a count of its own, under its policy's limit".
fn own_count_of_the_default() {
    let spec = json!({"retryLimit": 1, "defaultAction": "Retry", "rules": [{"action": "Retry", "onConditions": ["Evicted"]}]});
    let evicted = json!({"outcome": "Failed", "conditions": ["Evicted"]});
    let runs = json!([evicted, failed(1, ""), failed(1, "")]);
    let input = ask(vec![policy("p", spec)], json!([job(runs)]));
    expect(&input, "decision", json!(["retry", "retry", "fail_policy_limit"]));
    expect(&input, "ruleIndex", json!([0, null, null]));
}

/// Section 5: "the **first** effective policy's `defaultAction`".
fn first_policys_default() {
    let policies =
        vec![policy("first", json!({})), policy("second", json!({"defaultAction": "Retry"}))];
    let input = ask(policies, json!([job(json!([failed(1, "")]))]));
    expect(&input, "decision", json!(["fail_default"]));
    expect(&input, "policy", json!(["first"]));
    expect(&input, "limit", json!([null]));
}

/// Section 2: "`globalMaxRetries: 0` is the kill switch: the engine retries nothing and still decides and
/// attributes (lease returns never reach the engine, §8)".
fn kill_switch() {
    let runs = vec![json!({"outcome": "LeaseReturned"}), failed(137, "OOMKilled")];
    let mut input = infra_and_ml(runs);
    input.scheduler =
        Some(json!({"scheduling": {"retryPolicy": {"enabled": true, "globalMaxRetries": 0}}}));
    expect(&input, "decision", json!(["legacy_retry", "fail_global_limit"]));
    expect(&input, "policy", json!([null, "ml-training"]));
    expect(&input, "count", json!([null, 0]));
    expect(&input, "limit", json!([null, 0]));
}

/// The seed: "`globalMaxRetries: 20` caps total retries regardless."
fn global_cap() {
    let spec = json!({"retryLimit": 30, "rules": [{"action": "Fail", "onConditions": ["Evicted"]}], "defaultAction": "Retry"});
    let mut runs = repeated(&failed(1, ""), 20);
    runs.push(json!({"outcome": "Failed", "conditions": ["Evicted"]}));
    let report = simulate(&ask(vec![policy("p", spec)], json!([job(json!(runs))])));
    let last = &report["jobs"][0]["decisions"][20];
    assert_eq!(last["decision"], "fail_global_limit");
    assert_eq!(last["ruleIndex"], 0, "the rule that would have decided, a Fail rule too");
    assert_eq!(
        (&last["count"], &last["limit"], &last["totalRetries"]),
        (&json!(0), &json!(20), &json!(20))
    );
}

/// Section 8: "attempts = all runs so far by position, this one included"; "a returned lease takes this path and
/// spends no budget".
fn lease_returns() {
    let spec = json!({"retryLimit": 1, "defaultAction": "Retry"});
    let returned = json!({"outcome": "LeaseReturned"});
    let runs = json!([returned, failed(1, ""), returned]);
    let input = ask(vec![policy("p", spec)], json!([job(runs)]));
    expect(&input, "decision", json!(["legacy_retry", "retry", "legacy_fail"]));
    expect(&input, "totalRetries", json!([0, 1, 1]));
    expect(&input, "delaySeconds", json!([null, 0.0, null]));
    assert_eq!(simulate(&input)["summary"]["retries"], 2);
    assert_eq!(simulate(&input)["summary"]["failures"], 1);
}

/// Section 5, steps 2 to 4, and section 8: "lease returned and not failFast".
fn fail_fast() {
    let mut one = job(json!([{"outcome": "Failed"}]));
    one["annotations"] = json!({"armadaproject.io/failFast": "true"});
    let mut input = ask(vec![policy("p", json!({"defaultAction": "Retry"}))], json!([one]));
    expect(&input, "decision", json!(["fail_fast"]));
    expect(&input, "policy", json!([null]));
    input.history["spec"]["jobs"][0]["runs"][0]["outcome"] = json!("LeaseReturned");
    expect(&input, "decision", json!(["legacy_fail"]));
}

/// Section 5: "`retryLimit`, backoff and anti-affinity on a Fail rule are legal and do nothing."
fn nothing_on_fail_rules() {
    let rule = json!({"action": "Fail", "onConditions": ["Evicted"], "retryLimit": 0, "backoff": {"initialDelay": "1m"},
        "antiAffinity": {"mode": "node"}});
    let run =
        json!({"outcome": "Failed", "conditions": ["Evicted"], "node": "n", "finishedAt": "1m"});
    let input = ask(vec![policy("p", json!({"rules": [rule]}))], json!([job(json!([run]))]));
    expect(&input, "decision", json!(["fail_rule"]));
    expect(&input, "avoidNodes", json!([[]]));
    expect(&input, "retryAfter", json!([null]));
}
