//! The classifier of Armada's executor: `validate --executor-config` and `explain category`.
//!
//! Holds cli.md Commands.

use super::sandbox::{Sandbox, snapshot};
use serde_json::Value;

const EXECUTOR: &str = "\
application:
  errorCategories:
    enabled: true
    defaultCategory: uncategorized
    categories:
    - name: gpu
      action: Delete
      rules:
      - onExitCodes: {operator: In, values: [74]}
        subcategory: cuda
        hint: Ask for another node.
      - onPodEvents: {regexp: \"nvidia.com/gpu\", type: Warning}
        subcategory: device-plugin
    - name: volume
      rules:
      - onPodEvents: {regexp: \"MountVolume\", type: Warning}
    - name: user
      rules:
      - onExitCodes: {operator: NotIn, values: [0]}
";

const POLICY: &str = "\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: infra
retryLimit: 3
defaultAction: Fail
rules:
- {action: Retry, onCategory: gpu}
";

/// A pod that failed before a container started, and the events about it.
fn pod_with_events(message: &str) -> String {
    format!(
        "apiVersion: v1
kind: List
items:
- kind: Pod
  metadata: {{name: armada-a-0, namespace: ml, labels: {{armada_job_id: a}}}}
  spec: {{nodeName: gpu-1}}
  status: {{phase: Failed, reason: UnexpectedAdmissionError, message: \"Pod was rejected\"}}
- kind: Event
  type: Warning
  reason: UnexpectedAdmissionError
  message: \"{message}\"
  involvedObject: {{kind: Pod, name: armada-a-0, namespace: ml}}
- kind: Event
  type: Warning
  message: \"nvidia.com/gpu of another pod\"
  involvedObject: {{kind: Pod, name: armada-b-0, namespace: ml}}
"
    )
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("executor.yaml", EXECUTOR);
    sandbox.file("policy.yaml", POLICY);
    sandbox
}

const EXPLAIN: &str = "explain category --executor-config executor.yaml";

#[test]
fn a_category_is_explained_with_both_passes_and_the_decision() {
    let sandbox = sandbox();
    sandbox.file("pod.yaml", pod_with_events("Allocate failed for nvidia.com/gpu"));
    let run = sandbox.run(&format!("{EXPLAIN} --pod pod.yaml -f policy.yaml")).exits(0);
    snapshot!("both_passes", run);
}

/// The second pass reads no events, so that a rule on events in a `Retain` category names nothing, and hides later
/// categories that would delete the pod (`DetectAndRegisterDeleteActionIssue` of Armada's executor).
#[test]
fn events_of_a_category_that_retains_name_nothing() {
    let sandbox = sandbox();
    sandbox.file("pod.yaml", pod_with_events("MountVolume.SetUp failed"));
    let report = sandbox.run(&format!("{EXPLAIN} --pod pod.yaml -o json")).exits(0).json();
    assert_eq!(report["category"], "uncategorized");
    assert_eq!(report["decidedBy"], "retain");
    assert_eq!(report["podDeleted"], false);
    assert_eq!(report["rule"], Value::Null);
    let volume = &report["trace"][2];
    assert_eq!(volume["category"], "volume");
    assert_eq!(volume["firstPass"]["matched"], true);
    assert_eq!(volume["secondPass"]["why"], "this pass does not read events");
}

#[test]
fn a_failure_without_a_record_is_classified() {
    let sandbox = sandbox();
    let explain = |flags: &str| sandbox.run(&format!("{EXPLAIN} {flags}"));
    let run = explain("--failure exitCode=74").exits(0);
    assert!(run.stdout.starts_with("category gpu, subcategory cuda: by rule 0 of gpu"));
    assert!(run.stdout.contains("Ask for another node."));
    let run = explain("--failure exitCode=1").exits(0);
    assert!(run.stdout.starts_with("category user: by rule 0 of user"));
    assert!(run.stdout.contains("kept, so that a retry meets its name"));
    let run = explain("--failure outcome=Preempted").exits(2);
    assert!(run.stderr.contains("does not classify runs of outcome Preempted"));
    let run = explain("--pod executor.yaml").exits(3);
    assert!(run.stderr.contains("this is not a pod"));
}

/// A later file's list replaces that of an earlier one, and a configuration that is off assigns no category.
#[test]
fn files_of_one_executor_are_merged() {
    let sandbox = sandbox();
    let oom = "{categories: [{name: oom, rules: [{onConditions: [OOMKilled]}]}]}";
    sandbox.file("more.yaml", format!("application: {{errorCategories: {oom}}}\n"));
    sandbox.file("off.yaml", "application: {errorCategories: {enabled: false}}\n");
    let validate = |flags: &str| sandbox.run(&format!("validate {flags}"));
    let run = validate("--executor-config executor.yaml,more.yaml").exits(0);
    assert!(run.stdout.contains("this list replaces that of an earlier file"));
    let run = validate("--executor-config executor.yaml,off.yaml").exits(0);
    assert!(run.stdout.contains("classification is off"));
    assert!(run.stdout.contains(" --> off.yaml:1:"), "{run}");
    sandbox.file("other.yaml", "metric: {port: 9001}\n");
    let run = validate("--executor-config other.yaml").exits(0);
    assert!(run.stdout.contains("classification is off"), "{run}");
    assert!(run.stdout.contains(" --> other.yaml:1:1"), "{run}");
    let run = sandbox.run(&format!("{EXPLAIN},off.yaml --failure exitCode=74")).exits(0);
    assert!(run.stdout.starts_with("no category: classification is off"));
    validate("--executor-config executor.yaml --executor-config off.yaml").exits(2);
    validate("--executor-config a=executor.yaml --executor-config b=off.yaml").exits(0);
}

const HISTORY: &str = r#"
{"jobId":"a","queue":"ml","outcome":"Failed","containers":[{"name":"main","exitCode":74}]}
{"jobId":"a","outcome":"Failed","containers":[{"name":"main","exitCode":74}],"category":"gpu","subcategory":"x"}
{"jobId":"a","outcome":"Succeeded"}
{"jobId":"b","queue":"ml","outcome":"Failed","cluster":"c2","containers":[{"name":"main","exitCode":1}]}
{"jobId":"c","queue":"ml","outcome":"Preempted"}
"#;

/// The failures of each category in a report.
fn categories(report: &Value) -> Vec<(String, u64)> {
    let rows = report["summary"]["byCategory"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let name = row["category"].as_str().unwrap_or_default().to_owned();
            (name, row["failures"].as_u64().unwrap_or_default())
        })
        .collect()
}

#[test]
fn failures_of_a_history_get_the_categories_that_they_lack() {
    let sandbox = sandbox();
    sandbox.file("history.jsonl", HISTORY.trim_start());
    let simulate = |flags: &str| {
        let line = format!("simulate -f policy.yaml --history history.jsonl -o json {flags}");
        sandbox.run(&line).exits(0).json()
    };
    let notes = |report: &Value| {
        let notes = report["notes"].as_array().into_iter().flatten();
        let own = notes.filter(|note| note["kind"] == "classified");
        own.map(|note| note["message"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let report = simulate("--executor-config executor.yaml");
    let named = |name: &str, count| (name.to_owned(), count);
    let found = categories(&report);
    assert!(found.contains(&named("gpu", 2)) && found.contains(&named("user", 1)), "{found:?}");
    assert_eq!(
        notes(&report),
        [
            "2 failures got a category from the executors' configuration",
            "1 failure already had a category, which is kept; the executors report another for 1",
            "1 failure was classified without texts that a rule reads, and may have another category: \
             1 without all events",
        ]
    );
    assert_eq!(
        report["summary"],
        simulate("--executor-config executor.yaml --timelines none")["summary"]
    );
    let all = simulate("--executor-config executor.yaml --timelines all");
    let decisions = || {
        let jobs = all["jobs"].as_array().into_iter().flatten();
        jobs.flat_map(|job| job["decisions"].as_array().into_iter().flatten())
    };
    let hints = decisions().filter(|it| it["failureHint"] == "Ask for another node.").count();
    // The record with a category of its own has no text of the executor.
    let texts = decisions().filter(|it| it["failureMessage"].is_string()).count();
    assert_eq!((decisions().count(), hints, texts), (4, 1, 2));
    let wide = "simulate -f policy.yaml --history history.jsonl --executor-config executor.yaml -o wide --timelines all";
    let run = sandbox.run(wide).exits(0);
    assert!(run.stdout.contains(" Ask for another node. "), "{run}");
    let report = simulate("--executor-config c2=executor.yaml");
    assert!(!categories(&report).contains(&named("gpu", 2)), "only cluster c2 is classified");
    assert_eq!(
        notes(&report)[2],
        "2 failures have no cluster, but every --executor-config is for one"
    );
    assert_eq!(notes(&simulate("")), [""; 0]);
}

/// Of pods the message of the status and the events count, and checks of failed pods return the lease.
#[test]
fn pods_of_a_history_are_classified_with_their_events() {
    let sandbox = sandbox();
    sandbox.file("pods.yaml", pod_with_events("Allocate failed for nvidia.com/gpu"));
    let simulate = |config: &str| {
        let line = "simulate -f policy.yaml --history pods.yaml -o json --executor-config";
        sandbox.run(&format!("{line} {config}")).exits(0).json()
    };
    let decision = |report: &Value| report["jobs"][0]["decisions"][0]["decision"].clone();
    let report = simulate("executor.yaml");
    assert_eq!(decision(&report), "retry");
    let reported = &report["jobs"][0]["decisions"][0];
    let field = |name: &str| reported[name].as_str().unwrap_or_default();
    assert_eq!([field("category"), field("subcategory")], ["gpu", "device-plugin"]);
    assert_eq!([field("failureMessage"), field("failureHint")], ["Pod was rejected", ""]);
    let check = "{podStatuses: [{regexp: rejected, reason: UnexpectedAdmissionError}]}";
    sandbox.file("checks.yaml", format!("kubernetes: {{failedPodChecks: {check}}}\n"));
    let report = simulate("executor.yaml,checks.yaml");
    assert_eq!(decision(&report), "legacy_retry", "the lease is returned");
    let marked = pod_with_events("x")
        .replace("labels:", "annotations: {deletion_requested: \"true\"}, labels:");
    sandbox.file("pods.yaml", marked);
    let flags = "simulate -f policy.yaml --history pods.yaml --allow-empty --executor-config";
    let run = sandbox.run(&format!("{flags} executor.yaml")).exits(0);
    assert!(run.stdout.contains("1 pod was left out"), "{run}");
}

/// Findings of one pass, with places and help.
#[test]
fn mistakes_of_a_configuration_have_places_and_help() {
    let sandbox = Sandbox::new();
    sandbox.file("executor.yaml", MISTAKES);
    let run = sandbox.run("validate --executor-config executor.yaml").exits(3);
    snapshot!("mistakes", run);
}

const MISTAKES: &str = "\
application:
  enableJobErrorCategorization: true
  errorCategories:
    enabled: true
    defaultSubcategory: x
    categories:
    - name: gpu
      actions: Delete
      rules:
      - onExitCodes: {operator: In, values: [4294967297]}
      - onTerminationMessage: {regexp: \"CUDA error\"}
      - onPodEvents: {pattern: \"nvidia.com/gpu\", type: warning}
      - onConditions: \"OOMKilled, Evicted\"
      - onPodError: {pattern: \"a(b\"}
        containerName: main
    - name: internal
      action: delete
      rules: []
kubernetes:
  failedPodChecks:
    podEvents: []
    events: [{regexp: \"[\", type: Warning}]
";

#[test]
fn categories_are_audited_against_the_rules_of_policies() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "executor.yaml",
        "\
application:
  errorCategories:
    enabled: true
    defaultCategory: other
    categories:
    - name: volume
      rules:
      - onPodEvents: {regexp: \"MountVolume\", type: Warning}
    - name: gpu
      action: Delete
      rules:
      - onExitCodes: {operator: In, values: [74]}
      - onExitCodes: {operator: In, values: [74]}
        subcategory: again
    - name: network
      rules:
      - onTerminationMessage: {pattern: \"timeout\"}
",
    );
    sandbox.file(
        "policy.yaml",
        "\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: infra
retryLimit: 3
defaultAction: Fail
rules:
- {action: Retry, onCategory: gpu}
- {action: Retry, onCategory: GPU}
- {action: Retry, onCategory: internal, onSubcategory: node-failure}
- {action: Fail, onCategory: internal, onSubcategory: max-runs-exceeded}
- {action: Retry, onCategory: network}
",
    );
    let run = sandbox.run("validate -f policy.yaml --executor-config a=executor.yaml").exits(0);
    snapshot!("audit", run);
}

/// A `v1` policy that retries a text of the hint, and one that the container has.
const MESSAGES: &str = "\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: messages}
spec:
  defaultAction: Fail
  rules:
  - {action: Retry, onTerminationMessage: {pattern: \"another node|failed with exit code\"}}
  - {action: Retry, onFailureCategory: [gpu], onTerminationMessage: {pattern: \"CUDA\"}}
";

#[test]
fn a_decision_is_about_the_category_that_the_executor_reports() {
    let sandbox = sandbox();
    sandbox.file("messages.yaml", MESSAGES);
    let decide = |flags: &str| {
        let line = format!("explain decision -f policy.yaml --executor-config {flags}");
        sandbox.run(&line)
    };
    snapshot!("decision", decide("executor.yaml --failure exitCode=74").exits(0));
    let report = decide("executor.yaml --failure exitCode=74 -o json").exits(0).json();
    assert_eq!(
        report["classification"],
        serde_json::json!({
            "category": "gpu",
            "subcategory": "cuda",
            "message": "Container main failed with exit code 74 because : \n\n\nAsk for another node.",
            "hint": "Ask for another node.",
            "pass": "delete",
            "podDeleted": true,
        })
    );
    let run = decide("executor.yaml --failure exitCode=74 --failure category=user").exits(0);
    assert!(run.stderr.contains("keeps its category; the executor reports category gpu"), "{run}");
    assert!(
        run.stdout.contains("Fail (fail_default)") && !run.stdout.contains("reported"),
        "{run}"
    );
    let run = decide("executor.yaml --failure outcome=Preempted").exits(0);
    assert!(run.stderr.contains("does not classify runs of outcome Preempted"), "{run}");
    let run = sandbox.run("explain decision -f policy.yaml --failure exitCode=74").exits(0);
    assert!(run.stdout.contains("\nFail (fail_default)"), "without the flag: {run}");
    assert!(run.stdout.starts_with("warning: every rule compares the category"), "{run}");
    let line = "explain decision -f messages.yaml --executor-config executor.yaml -o json";
    let explain = |flags: &str| sandbox.run(&format!("{line} {flags}")).exits(0).json();
    let report = explain("--failure exitCode=74 --failure message=x");
    assert_eq!(report["decision"]["action"], "Fail", "the reported message matches no rule");
    let report = explain("--failure exitCode=74 --failure message=CUDA");
    assert_eq!(report["decision"]["ruleIndex"], 1);
}

#[test]
fn a_lease_that_a_check_returns_reaches_no_policy() {
    let sandbox = sandbox();
    let check = "{containerStatuses: [{messageRegexp: NCCL}]}";
    sandbox.file("checks.yaml", format!("kubernetes: {{failedPodChecks: {check}}}\n"));
    let line = "explain decision -f policy.yaml --executor-config executor.yaml,checks.yaml";
    let flags = "--failure exitCode=74 --failure message=NCCL";
    snapshot!("lease_returned", sandbox.run(&format!("{line} {flags}")).exits(0));
}

#[test]
fn the_cluster_of_a_failure_chooses_the_executor() {
    let sandbox = sandbox();
    let other = EXECUTOR.replace("name: gpu", "name: accelerator");
    sandbox.file("other.yaml", other);
    sandbox.file("job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n");
    let configs = "--executor-config a=executor.yaml --executor-config b=other.yaml";
    let decide = |flags: &str| {
        sandbox.run(&format!("explain decision -f policy.yaml --failure exitCode=74 {flags}"))
    };
    for (cluster, category) in [("a", "gpu"), ("b", "accelerator")] {
        let report = decide(&format!("{configs} --failure cluster={cluster} -o json")).exits(0);
        assert_eq!(report.json()["classification"]["category"], category);
    }
    let run = decide(&format!("{configs} --failure cluster=c")).exits(2);
    assert!(run.stderr.contains("no --executor-config is for cluster `c`"), "{run}");
    let run = decide(configs).exits(2);
    assert!(run.stderr.contains("with one of a, b"), "{run}");
    decide("--executor-config executor.yaml --executor-config other.yaml").exits(2);
    let run = sandbox.run("explain decision -f job.yaml --executor-config executor.yaml").exits(2);
    assert!(run.stderr.contains("`--executor-config` applies to Armada's policies"), "{run}");
}

#[test]
fn a_template_whose_text_has_only_warnings_is_refused() {
    let sandbox = sandbox();
    let rest = "    enabled: true\n";
    let template =
        EXECUTOR.replacen(rest, &format!("{rest}    \"{{{{ .Values.more }}}}\": 1\n"), 1);
    sandbox.file("template.yaml", &template);
    sandbox.file("pod.yaml", pod_with_events("x"));
    let run =
        sandbox.run("explain category --executor-config template.yaml --pod pod.yaml").exits(3);
    assert!(run.stderr.contains("RP050"), "{run}");
}
