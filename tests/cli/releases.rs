//! Releases: the table, what a policy does otherwise in which release, `--release` and variants of a release.

use super::sandbox::{Sandbox, snapshot};
use serde_json::{Value, json};

const SET: &str = "releases/jobset.yaml";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples(&[SET, "releases/failures.jsonl", "airflow/growing-2.9.yaml"]);
    sandbox
}

const INDEXED: &str = "
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimit: 0
  successPolicy: {rules: [{succeededIndexes: '0'}]}
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
";

#[test]
fn a_policy_is_compared_under_neighbouring_releases() {
    let sandbox = sandbox();
    snapshot!("of_a_set", sandbox.run(&format!("explain releases -f {SET}")).exits(0));
    let report = sandbox.run(&format!("explain releases -f {SET} -o json")).exits(0).json();
    let ids = |report: &Value| -> Vec<Value> {
        let items = report["items"].as_array().expect("items").iter();
        items.map(|item| item["id"].clone()).collect()
    };
    // Before 0.6 there is no rule at all, and before 0.10 it has no pattern.
    assert_eq!(ids(&report), [json!("rules"), json!("message-patterns")]);
    let newer = format!("explain releases -f {SET} --from jobset-0.9 -o json");
    assert_eq!(ids(&sandbox.run(&newer).exits(0).json()), [json!("message-patterns")]);
    sandbox.file("job.yaml", INDEXED);
    let report = sandbox.run("explain releases -f job.yaml -o json").exits(0).json();
    assert_eq!(ids(&report), [json!("job-success-policy")]);
    let example = &report["items"][0]["example"];
    assert_eq!(
        (&example["older"], &example["newer"]),
        (&json!("Kubernetes 1.30"), &json!("Kubernetes 1.31"))
    );
}

#[test]
fn the_table_has_every_row_with_its_source() {
    let sandbox = Sandbox::new();
    let report = sandbox.run("explain releases -o json").exits(0).json();
    let items = report["items"].as_array().expect("items");
    assert_eq!(items.len() as u64, report["rows"].as_u64().expect("a number"));
    assert!(items.iter().all(|item| item["source"] != "" && item.get("example").is_none()));
    let one = sandbox.run("explain releases --from kubernetes-1.34 -o wide").exits(0);
    snapshot!("of_kubernetes", one);
}

#[test]
fn a_release_drops_what_it_does_not_have_and_refuses_the_rest() {
    let sandbox = sandbox();
    let validate = format!("validate -f {SET} --release");
    snapshot!("dropped", sandbox.run(&format!("{validate} jobset-0.9")).exits(0));
    sandbox.run(&format!("{validate} jobset-0.10")).exits(0);
    let decide = format!(
        "explain decision -f {SET} --failure failureReason=BackoffLimitExceeded -o json --release"
    );
    let decision = |release: &str| {
        let line = format!("{decide} {release}");
        sandbox.run(&line).exits(0).json()["decision"]["decision"].clone()
    };
    assert_eq!(decision("jobset-0.5"), "restart_jobset");
    assert_eq!(decision("jobset-0.9"), "fail_rule");
    assert_eq!(decision("jobset-0.12"), "restart_jobset");
    let profile = "validate -f airflow/growing-2.9.yaml --release";
    snapshot!("contradicted", sandbox.run(&format!("{profile} airflow-3.3")).exits(3));
    sandbox.run(&format!("{profile} airflow-2.9")).exits(0);
    snapshot!("other_program", sandbox.run(&format!("{profile} jobset-0.9")).exits(2));
    snapshot!("no_release", sandbox.run(&format!("{profile} jobset-0.4")).exits(2));
}

#[test]
fn a_variant_is_a_release() {
    let sandbox = sandbox();
    let line =
        format!("simulate -f {SET} --history releases/failures.jsonl --variant jobset-0.9 -o json");
    let report = sandbox.run(&line).exits(0).json();
    let outcomes: Vec<&Value> = report["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .map(|variant| &variant["summary"]["outcomes"]["Failed"])
        .collect();
    assert_eq!(outcomes.len(), 2, "{report}");
    assert_ne!(outcomes[0], outcomes[1]);
    let line = "simulate --history releases/failures.jsonl --variant jobset-0.9";
    sandbox.run(line).exits(2);
}

#[test]
fn a_test_document_names_its_releases() {
    let test = |releases: &str| {
        let sandbox = sandbox();
        let text = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicyTest\nmetadata: {{name: t}}\nspec:\n  policies: [{SET}]\n  \
             releases: [{releases}]\n  tests:\n  - name: all\n    failures: [{{failureReason: BackoffLimitExceeded}}]\n    \
             expect: [{{attempt: 1, decision: fail_rule}}]\n"
        );
        sandbox.file("t.yaml", text).run("test t.yaml")
    };
    test("jobset-0.9").exits(0);
    test("jobset-0.10").exits(1);
    test("airflow-3.0").exits(3);
}
