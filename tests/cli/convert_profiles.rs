//! `convert` between policies of Armada and profiles of Iris, of the BEP-1053 draft and of Airflow.
//!
//! Holds cli.md Commands, The other systems.

use super::sandbox::{Run, Sandbox, snapshot};

const IRIS: &str = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: sweep}
spec:
  system: iris
  profile: upstream
  policy:
    max_retries_failure: 3
    max_retries_preemption: 10
    max_task_failures: 2
    replicas: 4
";

const DRAFT: &str = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: batch}
spec:
  system: backendai
  layers:
    cluster: {max_retries: 2, jitter: random}
    session:
      backoff: exponential
      eligible_causes: [oom_killed, kernel_nonzero_exit, image_pull_failure]
      emit_retry_events: false
";

const AIRFLOW: &str = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: extract}
spec:
  system: airflow
  policy:
    retries: 25
    retry_delay_seconds: 300
    retry_exponential_backoff: 2
    max_retry_delay_seconds: 3600
";

const POLICY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml}
spec:
  retryLimit: 3
  defaultAction: Retry
  antiAffinity: {mode: node}
  backoff: {initialDelay: 30s, maxDelay: 10m, multiplier: 2}
  rules:
  - action: Retry
    retryLimit: 5
    onConditions: [Preempted, Evicted]
  - action: Fail
    onExitCodes: {operator: In, values: [42]}
  - action: Fail
    onConditions: [OOMKilled]
";

/// A profile of each system of which nothing is lost, with the flag that leads back to it.
const EXACT: [(&str, &str); 3] = [
    (
        "iris",
        "{system: iris, policy: {max_retries_failure: 3, max_retries_preemption: 0, max_task_failures: 3}}",
    ),
    ("backendai", "{system: backendai, layers: {session: {max_retries: 3, jitter: none}}}"),
    ("airflow", "{system: airflow, policy: {retries: 3, retry_delay_seconds: 60}}"),
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("iris.yaml", IRIS).file("draft.yaml", DRAFT).file("airflow.yaml", AIRFLOW);
    sandbox.file("policy.yaml", POLICY);
    sandbox
}

#[test]
fn what_is_kept_approximated_and_lost_is_said_of_each_field() {
    let sandbox = sandbox();
    snapshot!("iris", sandbox.run("convert -f iris.yaml --to v1").exits(0));
    snapshot!("draft", sandbox.run("convert -f draft.yaml --to v1").exits(0));
    snapshot!("airflow", sandbox.run("convert -f airflow.yaml --to v1").exits(0));
    snapshot!("to_iris", sandbox.run("convert -f policy.yaml --to iris").exits(0));
    snapshot!("to_backendai", sandbox.run("convert -f policy.yaml --to backendai").exits(0));
    snapshot!("to_airflow", sandbox.run("convert -f policy.yaml --to airflow").exits(0));
    for words in ["iris.yaml --to v1", "draft.yaml --to v1", "airflow.yaml --to v1"] {
        let strict =
            sandbox.run(&format!("convert --strict --error-format short -f {words}")).exits(1);
        assert!(strict.stderr.contains("RP039"), "{}", strict.stderr);
    }
    for to in ["iris", "backendai", "airflow"] {
        let strict = sandbox.run(&format!("convert --strict -q -f policy.yaml --to {to}")).exits(1);
        assert!(strict.stdout.contains("kind: RetryProfile"), "{}", strict.stdout);
    }
}

#[test]
fn what_comes_out_is_valid_and_goes_in_again() {
    let sandbox = sandbox();
    for (file, to, back) in [
        ("iris", "v1", "iris"),
        ("draft", "v1", "backendai"),
        ("airflow", "v1", "airflow"),
        ("policy", "iris", "v1"),
        ("policy", "backendai", "v1"),
        ("policy", "airflow", "v1"),
    ] {
        let there = sandbox.run(&format!("convert -q -f {file}.yaml --to {to}")).exits(0);
        sandbox.run_on("validate -q -f -", &there.stdout).exits(0);
        let again = sandbox.run_on(&format!("convert -q -f - --to {back}"), &there.stdout).exits(0);
        sandbox.run_on("validate -q -f -", &again.stdout).exits(0);
    }
    let mixed = sandbox.run("convert -q -f iris.yaml draft.yaml airflow.yaml --to v1 -o json");
    let mixed = mixed.exits(0).json();
    assert_eq!(mixed["kind"], "RetryPolicyList");
    assert_eq!(mixed["items"].as_array().map(Vec::len), Some(3));
    let one = sandbox.run("convert -q -f policy.yaml --to iris -o json").exits(0).json();
    assert_eq!((&one["kind"], &one["spec"]["system"]), (&"RetryProfile".into(), &"iris".into()));
}

#[test]
fn a_profile_of_which_nothing_is_lost_is_strict_there_and_back() {
    let sandbox = Sandbox::new();
    for (system, spec) in EXACT {
        let profile = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec: {spec}\n"
        );
        let there = sandbox.run_on("convert --strict -f - --to v1", &profile).exits(0);
        let back = format!("convert --strict -f - --to {system}");
        sandbox.run_on(&back, &there.stdout).exits(0);
    }
}

#[test]
fn a_pair_that_is_not_done_is_refused_with_the_reason() {
    let sandbox = sandbox();
    for words in [
        "iris.yaml --to v1beta1",
        "iris.yaml --to airflow",
        "draft.yaml --to jobset",
        "airflow.yaml --to backendai",
        "airflow.yaml --to job",
    ] {
        let Run { stdout, stderr, .. } = sandbox.run(&format!("convert -f {words}")).exits(6);
        assert!(stdout.is_empty() && stderr.contains("error: cannot convert "), "{stderr}");
        assert!(stderr.contains("help: convert in two steps"), "{stderr}");
    }
    let Run { stderr, .. } = sandbox.run("convert -f iris.yaml --to iris").exits(6);
    assert!(
        stderr.contains("the input already has this form") && !stderr.contains("through v1"),
        "{stderr}"
    );
}

#[test]
fn what_its_system_refuses_is_not_converted() {
    let sandbox = sandbox();
    sandbox.file("bad.yaml", IRIS.replace("replicas: 4", "replicas: 0"));
    sandbox.file("nobody.yaml", IRIS.replace("system: iris", "system: irys"));
    for file in ["bad", "nobody"] {
        let bad = sandbox.run(&format!("convert -f {file}.yaml --to v1")).exits(3);
        assert!(bad.stderr.contains("error[RP"), "{}", bad.stderr);
    }
}
