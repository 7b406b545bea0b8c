//! Releases: the table, what a policy does otherwise in which release, `--release` and variants of a release.
//!
//! Holds cli.md Commands.

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
        (&json!("Kubernetes 1.30 (1.30.14)"), &json!("Kubernetes 1.31 (1.31.14)"))
    );
}

/// Rows that no engine has are listed with the reason if the policy has their fields: of Armada's policies these are all.
#[test]
fn rows_that_are_not_replayed_concern_fields_of_the_policy() {
    let sandbox = sandbox();
    sandbox.examples(&["policies/infra.yaml", "policies/ml-training.yaml"]);
    let not_replayed = |line: &str| -> Vec<Vec<String>> {
        let report = sandbox.run(&format!("explain releases {line} -o json")).exits(0).json();
        let policies = report["policies"].as_array().expect("policies").iter();
        let ids = |policy: &Value| -> Vec<String> {
            let rows = policy["notReplayed"].as_array().into_iter().flatten();
            rows.map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
        };
        policies.map(ids).collect()
    };
    snapshot!("of_armada", sandbox.run("explain releases -f policies").exits(0));
    let landed = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: 2\ndefaultAction: Fail\nrules:\n\
                  - {action: Retry, onCategory: gpu, mutate: {resources: {memory: {factor: 1.5}}}}\n";
    sandbox.file("landed.yaml", landed);
    let bounded = not_replayed("-f landed.yaml --to armada-0.22.7");
    assert_eq!(bounded, [["policies-stored", "policies-decide", "mutate", "pod-events-category"]]);
    let container = "{name: main, image: i, restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: \
                     NotIn, values: [1]}}]}";
    sandbox.file("rules.yaml", INDEXED.replace("{name: main, image: i}", container));
    sandbox.file("plain.yaml", INDEXED);
    let rows = ["not-in-restarts-success"];
    let report = sandbox.run("explain releases -f rules.yaml -o json").exits(0).json();
    let items = report["items"].as_array().expect("items").iter();
    let in_place = items.filter(|item| item["id"] == "container-restart-rules");
    let failures: Vec<&Value> = in_place.map(|item| &item["example"]["failure"]).collect();
    assert_eq!(failures, [&json!("exitCode 2")]);
    assert_eq!(not_replayed("-f rules.yaml"), [rows]);
    assert_eq!(not_replayed("-f plain.yaml"), [[""; 0]]);
    assert_eq!(not_replayed("-f rules.yaml --to kubernetes-1.34"), [[""; 0]]);
}

#[test]
fn a_report_has_the_releases_that_decided() {
    let sandbox = sandbox();
    let releases = |line: &str| {
        let line = format!("simulate --history releases/failures.jsonl {line} -o json");
        let report = sandbox.run(&line).exits(0).json();
        let variants = report["variants"].as_array().into_iter().flatten();
        let variants: Vec<Value> = variants.map(|variant| variant["releases"].clone()).collect();
        (report["releases"].clone(), variants)
    };
    let release = |program: &str, version: &str, origin: &str| json!({"program": program, "version": version, "origin": origin});
    let newest = release("kubernetes", "1.37", "default");
    let defaults = json!([newest, release("jobset", "0.12", "default")]);
    assert_eq!(releases(&format!("-f {SET}")), (defaults.clone(), vec![]));
    // An option that names the default is no default.
    let named = json!([newest, release("jobset", "0.12", "option")]);
    assert_eq!(releases(&format!("-f {SET} --release jobset-0.12")), (named, vec![]));
    let older = json!([newest, release("jobset", "0.9", "option")]);
    let variants = vec![defaults.clone(), older, Value::Null, defaults.clone()];
    let line = "--variant jobset-0.9 --variant no-retries --sweep maxRestarts=1";
    assert_eq!(releases(&format!("-f {SET} {line}")), (defaults, variants));
    // Without policies nothing decides.
    assert_eq!(releases("").0, Value::Null);
    let line = format!("simulate -f {SET} --history releases/failures.jsonl");
    for (flags, text) in [
        ("", "Releases: Kubernetes 1.37 (1.37.2, default), JobSet 0.12 (0.12.0, default).\n"),
        (
            "-o wide",
            "Releases: Kubernetes 1.37 (1.37.2, default), JobSet 0.12 (0.12.0, default).\n",
        ),
        (
            "--release kubernetes-1.34.4",
            "Releases: Kubernetes 1.34.4, JobSet 0.12 (0.12.0, default).\n",
        ),
        ("--variant jobset-0.9", "default); `jobset-0.9`: JobSet 0.9 (0.9.1).\n"),
    ] {
        let run = sandbox.run(&format!("{line} {flags}")).exits(0);
        assert!(run.stdout.contains(text), "{run}");
    }
    sandbox.file("runs.jsonl", "{\"jobId\":\"d/t\",\"dagId\":\"d\",\"taskId\":\"t\",\"outcome\":\"Failed\",\"tryNumber\":1}\n");
    let line = "simulate -f airflow/growing-2.9.yaml --history runs.jsonl";
    let run = sandbox.run(line).exits(0);
    assert!(run.stdout.contains("Releases: Airflow 2.9 (2.9.3, profile).\n"), "{run}");
}

#[test]
fn releases_that_are_refused() {
    let sandbox = sandbox();
    let simulate = format!("simulate -f {SET} --history releases/failures.jsonl");
    for (line, text) in [
        (
            format!("validate -f {SET} --release jobset-0.9,kubernetes-1.30 --release jobset-0.10"),
            "JobSet 0.9 and JobSet 0.10 are releases of one program",
        ),
        (
            format!("{simulate} --release kubernetes-1.34.5"),
            "Kubernetes 1.34.5 is not in the table; its newest patch of 1.34 is 1.34.4",
        ),
        (
            format!("{simulate} --variant jobset-0.99"),
            "JobSet 0.99 is not in the table; the releases are 0.5, 0.6",
        ),
        (format!("{simulate} --variant kubernetes-9.99"), "the releases are 1.30, 1.31"),
        (format!("{simulate} --variant airflow-9.9"), "the releases are 2.6, 2.7"),
        (format!("{simulate} --variant jobset-x"), "write PROGRAM-VERSION"),
        (format!("{simulate} --variant other-0.9"), "write NAME=FILES"),
    ] {
        let run = sandbox.run(&line).exits(2);
        assert!(run.stderr.contains(text), "{line}: {run}");
    }
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
    test("jobset-0.9, jobset-0.10").exits(3);
}

/// The help of a flag, its refusals and its values have one list of programs.
#[test]
fn a_flag_lists_the_programs_whose_releases_it_takes() {
    let sandbox = sandbox();
    let help = sandbox.run("validate --help").exits(0).stdout;
    assert!(help.contains("The programs are `kubernetes`, `jobset` and `airflow`."), "{help}");
    for line in [
        format!("validate -f {SET} --release jobset-x"),
        format!("validate -f {SET} --release other"),
    ] {
        let run = sandbox.run(&line).exits(2);
        assert!(run.stderr.contains("the programs are kubernetes, jobset, airflow\n"), "{run}");
    }
    let armada = sandbox.run(&format!("validate -f {SET} --release armada-0.22.7")).exits(2);
    assert!(armada.stderr.contains("the form of a policy names"), "{armada}");
    let from = sandbox.run("explain releases --from jobset-x").exits(2);
    assert!(
        from.stderr.contains("the programs are kubernetes, jobset, airflow, armada\n"),
        "{from}"
    );
}
