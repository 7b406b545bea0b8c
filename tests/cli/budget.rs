//! `explain budget`: the product of the layers that retry one failing pod.
//!
//! Holds cli.md Commands.

use super::sandbox::{Sandbox, snapshot};
use serde_json::json;

const SET: &str = "
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: net}
spec:
  failurePolicy: {maxRestarts: 3}
  replicatedJobs:
  - name: w
    template:
      spec:
        backoffLimit: 2
        podFailurePolicy:
          rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: main, image: i, resources: {requests: {cpu: 2, nvidia.com/gpu: 8}}}
";
const AIRFLOW: &str = "airflow/growing.yaml";
const ARGO: &str = "argo/train.yaml";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples(&[AIRFLOW, ARGO]);
    sandbox.file("set.yaml", SET);
    sandbox
}

#[test]
fn layers_multiply_and_the_last_one_ends_them() {
    let sandbox = sandbox();
    let line = "explain budget -f set.yaml --runtime 2h --resubmits 1";
    snapshot!("of_a_set", sandbox.run(line).exits(0));
    let line = "explain budget -f set.yaml --failure exitCode=1 --runtime 30m -o json";
    let report = sandbox.run(line).exits(0).json();
    let budget = &report["budgets"][0];
    assert_eq!(budget["attempts"], json!(12));
    // 10 s and 20 s in each of four Jobs.
    assert_eq!(budget["waitSeconds"], json!(120.0));
    assert_eq!(
        (&budget["runHours"], &budget["coreHours"], &budget["gpuHours"]),
        (&json!(6.0), &json!(12.0), &json!(48.0))
    );
    assert_eq!(budget["endReason"], "ReachedMaxRestarts");
}

#[test]
fn a_deadline_cuts_off_the_time_that_attempts_run() {
    let sandbox = sandbox();
    let deadline =
        SET.replace("backoffLimit: 2", "backoffLimit: 2\n        activeDeadlineSeconds: 3600");
    sandbox.file("set.yaml", deadline);
    let line = "explain budget -f set.yaml --failure exitCode=1 --runtime 50m -o json";
    let budget = &sandbox.run(line).exits(0).json()["budgets"][0];
    // The second attempt of each Job is cut off 10 s and 50 minutes after the first one began.
    assert_eq!((&budget["attempts"], &budget["waitSeconds"]), (&json!(8), &json!(40.0)));
    let hours = budget["runHours"].as_f64().expect("hours");
    assert!((hours - 4.0 * 3590.0 / 3600.0).abs() < 1e-9, "{hours}");
    assert_eq!(budget["layers"][0]["endReason"], "DeadlineExceeded");
}

#[test]
fn workflows_are_around_the_work() {
    let sandbox = sandbox();
    let around = format!("explain budget -f {AIRFLOW} -f {ARGO} -f set.yaml --failure exitCode=1");
    snapshot!("in_workflows", sandbox.run(&around).exits(0));
    snapshot!("of_argo", sandbox.run(&format!("explain budget -f {ARGO}")).exits(0));
    let text = std::fs::read_to_string(sandbox.path().join(AIRFLOW)).expect("the example");
    sandbox.file("other.yaml", text.replacen("name: ", "name: other-", 1));
    let two = format!("{around} -f other.yaml");
    snapshot!("of_two_profiles", sandbox.run(&two).exits(2));
}

#[test]
fn a_document_without_layers_and_a_failure_that_is_none_are_refused() {
    let sandbox = sandbox();
    sandbox.examples(&["policies/infra.yaml"]);
    let unknown = "explain budget -f set.yaml --failure exitCode=1 --failure container=nope";
    sandbox.run(unknown).exits(3);
    snapshot!("of_a_policy", sandbox.run("explain budget -f policies/infra.yaml").exits(3));
    for (failure, text) in [
        ("exitCode=0", "is not a failure"),
        ("exitCode=x", "is not an exit code"),
        ("exitCode=", "has no value"),
        ("exitCode=1 --failure exitCode=2", "given twice"),
        ("container=main", "add exitCode=N"),
        ("message=x", "does not depend on `message`"),
    ] {
        let run = sandbox.run(&format!("explain budget -f set.yaml --failure {failure}")).exits(2);
        assert!(run.to_string().contains(text), "{run}");
    }
}
