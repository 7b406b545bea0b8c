//! Section 4: which rule matches.
//!
//! Holds semantics.md 4.

use serde_json::{Value, json};

use super::{ask, expect, job, policy};

/// All of this file.
pub fn check() {
    exit_codes();
    containers();
    init_containers();
    conditions();
    messages();
    categories();
    bare_runs();
}

/// Whether a rule of these matchers matches this run.
fn decides(matchers: &Value, run: &Value, matched: bool) {
    let mut rule = matchers.clone();
    rule["action"] = json!("Retry");
    let input = ask(vec![policy("p", json!({"rules": [rule]}))], json!([job(json!([run]))]));
    expect(&input, "decision", json!([if matched { "retry" } else { "fail_default" }]));
}

fn ended(containers: Value) -> Value {
    json!({"outcome": "Failed", "containers": containers})
}

/// "Exit code 0, negative or absent never matches, for `NotIn` too."
fn exit_codes() {
    let not_in = json!({"onExitCodes": {"operator": "NotIn", "values": [137]}});
    let exits = |code: Value| ended(json!([{"name": "main", "exitCode": code, "reason": "Error"}]));
    decides(&not_in, &exits(json!(1)), true);
    decides(&not_in, &exits(json!(137)), false);
    decides(&not_in, &exits(json!(0)), false);
    decides(&not_in, &exits(json!(-1)), false);
    decides(&not_in, &exits(Value::Null), false);
}

/// "The *first failed container* in pod order"; "Failed: exit code ≠ 0, or a reason other than `Completed`"; "The named
/// container counts whether or not it failed".
fn containers() {
    let run = ended(json!([
        {"name": "done", "exitCode": 0, "reason": "Completed"},
        {"name": "main", "exitCode": 0, "reason": "Unknown"},
        {"name": "sidecar", "exitCode": 143, "reason": "OOMKilled"},
    ]));
    let code = json!({"operator": "In", "values": [143]});
    decides(&json!({"onExitCodes": code}), &run, false);
    decides(&json!({"onExitCodes": code, "containerName": "sidecar"}), &run, true);
    decides(&json!({"onExitCodes": code, "containerName": "absent"}), &run, false);
    decides(&json!({"onConditions": ["OOMKilled"]}), &run, false);
    decides(&json!({"onConditions": ["OOMKilled"], "containerName": "sidecar"}), &run, true);
}

/// "init containers skipped unless `includeInitContainers: true` (then they come first)"; "a named init container
/// counts without `includeInitContainers`".
fn init_containers() {
    let run = ended(json!([
        {"name": "main", "exitCode": 1},
        {"name": "setup", "init": true, "exitCode": 2, "message": "no TRANSIENT luck"},
    ]));
    let code = json!({"operator": "In", "values": [2]});
    decides(&json!({"onExitCodes": code}), &run, false);
    decides(&json!({"onExitCodes": code, "includeInitContainers": true}), &run, true);
    decides(&json!({"onExitCodes": code, "containerName": "setup"}), &run, true);
    let message = json!({"pattern": "TRANSIENT"});
    decides(&json!({"onTerminationMessage": message}), &run, false);
    decides(&json!({"onTerminationMessage": message, "includeInitContainers": true}), &run, true);
    decides(&json!({"onTerminationMessage": message, "containerName": "setup"}), &run, true);
}

/// "`Evicted`, .. belong to the pod: a rule with `containerName` never matches them"; "`OOMKilled` named at the run
/// matches rules without `containerName`"; "Unknown `conditions` are kept and match nothing".
fn conditions() {
    let evicted = json!({"onConditions": ["OOMKilled", "Evicted"]});
    let named =
        |condition: &str| json!({"outcome": "Failed", "conditions": ["DiskPressure", condition]});
    decides(&evicted, &named("Evicted"), true);
    decides(&evicted, &named("OOMKilled"), true);
    decides(&evicted, &named("evicted"), false);
    let mut scoped = evicted;
    scoped["containerName"] = json!("main");
    decides(&scoped, &named("Evicted"), false);
    decides(&scoped, &named("OOMKilled"), false);
    decides(&json!({"onConditions": ["Preempted"]}), &json!({"outcome": "Preempted"}), true);
}

/// "exit code on the first failed container, message on any"; "An empty message never matches."
fn messages() {
    let run = ended(json!([
        {"name": "main", "exitCode": 1, "message": ""},
        {"name": "sidecar", "exitCode": 0, "message": "this was TRANSIENT"},
    ]));
    let both = json!({"onExitCodes": {"operator": "In", "values": [1]}, "onTerminationMessage": {"pattern": "TRANSIENT$"}});
    decides(&both, &run, true);
    decides(
        &json!({"onTerminationMessage": {"pattern": ".*"}, "containerName": "main"}),
        &run,
        false,
    );
    decides(&json!({"onTerminationMessage": {"pattern": "^TRANSIENT"}}), &run, false);
}

/// "`containerName` scopes exit code, termination reason and message, nothing else"; section 8: an expired lease
/// "without a category gets `internal`, `lease-expired`".
fn categories() {
    let narrowed = json!({"onFailureCategory": ["gpu", "internal"], "onFailureSubcategory": ["lease-expired"], "containerName": "main"});
    decides(&narrowed, &json!({"outcome": "LeaseExpired"}), true);
    decides(&narrowed, &json!({"outcome": "LeaseExpired", "category": "gpu"}), false);
    decides(
        &narrowed,
        &json!({"outcome": "Failed", "category": "gpu", "subcategory": "lease-expired"}),
        true,
    );
    decides(
        &narrowed,
        &json!({"outcome": "Failed", "category": "GPU", "subcategory": "lease-expired"}),
        false,
    );
}

/// "A run whose outcome is Preempted, `LeaseReturned` or `LeaseExpired` has no container failure [..] Conditions named at
/// the run, and categories, still do."
fn bare_runs() {
    let containers =
        json!([{"name": "main", "exitCode": 137, "reason": "OOMKilled", "message": "TRANSIENT"}]);
    let run = json!({"outcome": "Preempted", "containers": containers, "conditions": ["Evicted"], "category": "gpu"});
    decides(&json!({"onExitCodes": {"operator": "In", "values": [137]}}), &run, false);
    decides(&json!({"onConditions": ["OOMKilled"]}), &run, false);
    decides(&json!({"onTerminationMessage": {"pattern": "TRANSIENT"}}), &run, false);
    decides(&json!({"onConditions": ["Evicted"]}), &run, true);
    decides(&json!({"onFailureCategory": ["gpu"]}), &run, true);
}
