//! The oracle held against cases worked out by hand, each from a sentence of the specification or of the
//! design it came from. An oracle that nobody checked is a second opinion, no more.

#![expect(clippy::needless_pass_by_value, reason = "a case reads better with `json!` in its place")]

mod basics;
mod beta;
mod gangs;
mod limits;
mod matching;
mod waiting;

use serde_json::{Value, json};

use super::{Engine, Input, simulate};

/// Panics where the oracle reads a sentence differently from its author.
pub fn self_check() {
    basics::check();
    limits::check();
    matching::check();
    waiting::check();
    gangs::check();
    beta::check();
}

/// A `v1` policy; `spec` as in a document.
fn policy(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": name}, "spec": spec})
}

/// A question under `v1`: queue `q` has all the policies, in order.
fn ask(policies: Vec<Value>, jobs: Value) -> Input {
    let names = policies.iter().map(|policy| policy["metadata"]["name"].as_str().expect("a name"));
    let names: Vec<String> = names.map(str::to_owned).collect();
    let spec = json!({"queues": [{"name": "q", "retryPolicies": names}], "jobs": jobs});
    Input {
        policies,
        history: json!({"kind": "FailureHistory", "spec": spec}),
        scheduler: None,
        engine: Engine::V1,
        queue_policies: None,
        missing_policy_skip: false,
    }
}

/// One job on queue `q`.
fn job(runs: Value) -> Value {
    json!({"jobId": "j", "queue": "q", "runs": runs})
}

/// A Failed run whose one container ended so.
fn failed(exit_code: i64, reason: &str) -> Value {
    json!({"outcome": "Failed", "containers": [{"name": "main", "exitCode": exit_code, "reason": reason}]})
}

/// The same run, `times` over.
fn repeated(run: &Value, times: usize) -> Vec<Value> {
    vec![run.clone(); times]
}

/// A field of every decision on the job of this index.
fn column(report: &Value, job: usize, field: &str) -> Vec<Value> {
    let decisions = report["jobs"][job]["decisions"].as_array().expect("decisions");
    decisions.iter().map(|decision| decision[field].clone()).collect()
}

/// Asks, and holds a field of the first job's decisions against what was worked out.
fn expect(input: &Input, field: &str, worked_out: Value) {
    let report = simulate(input);
    assert_eq!(Value::from(column(&report, 0, field)), worked_out, "{field} of {report:#}");
}
