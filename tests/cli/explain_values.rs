//! Values of `explain decision --failure` that no rule can match: warned about, with the word that was probably meant. The
//! decision stands.
//!
//! Holds semantics.md 4; cli.md simulate.

use super::sandbox::{Run, Sandbox};

const POLICY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml}
spec:
  defaultAction: Fail
  rules:
  - {action: Retry, onConditions: [OOMKilled], retryLimit: 2}
  - {action: Retry, onFailureCategory: [node], onFailureSubcategory: [lost], retryLimit: 2}
  - {action: Retry, onExitCodes: {operator: In, values: [247]}, retryLimit: 2}
";

const EXECUTOR: &str = "application:
  errorCategories:
    enabled: true
    categories:
    - name: storage
      rules: [{onExitCodes: {operator: In, values: [3]}, subcategory: full}]
";

fn explain(failure: &str, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", POLICY).file("executor.yaml", EXECUTOR);
    let mut line = format!("explain decision -f policy.yaml {flags}");
    for pair in failure.split_whitespace() {
        line += " --failure ";
        line += pair;
    }
    sandbox.run(&line)
}

/// The messages of the warnings.
fn warnings(failure: &str, flags: &str) -> Vec<String> {
    let report = explain(failure, &format!("{flags} -o json")).exits(0).json();
    let notes = report["notes"].as_array().expect("notes").iter();
    let notes = notes.filter(|note| note["severity"] == "warning");
    notes.map(|note| note["message"].as_str().expect("a message").to_owned()).collect()
}

#[test]
fn values_of_failures_are_checked() {
    for (failure, warning) in [
        (
            "reason=Preempted",
            "no rule can match the reason `Preempted`; `Preempted` is a condition: write condition=Preempted",
        ),
        (
            "reason=Evicted",
            "no rule can match the reason `Evicted`; `Evicted` is a condition: write condition=Evicted",
        ),
        ("reason=oomkilled", "no rule can match the reason `oomkilled`; did you mean `OOMKilled`?"),
        (
            "condition=OomKilled",
            "no rule can match the condition `OomKilled`; did you mean `OOMKilled`?",
        ),
        (
            "condition=Error",
            "no rule can match the condition `Error`; `Error` is the reason of a container: write reason=Error",
        ),
        (
            "condition=LeaseExpired",
            "no rule can match the condition `LeaseExpired`; `LeaseExpired` is an outcome: write outcome=LeaseExpired",
        ),
        ("category=nod", "no rule names the category `nod`; did you mean `node`?"),
        (
            "category=Evicted",
            "no rule names the category `Evicted`; `Evicted` is a condition: write condition=Evicted",
        ),
        (
            "category=node subcategory=lots",
            "no rule names the subcategory `lots`; did you mean `lost`?",
        ),
        ("category=something-else", "no rule names the category `something-else`"),
    ] {
        assert_eq!(warnings(failure, ""), [warning], "{failure}");
        let run = explain(failure, "").exits(0);
        assert_eq!(
            run.stdout.lines().next(),
            Some(format!("warning: {warning}").as_str()),
            "{run}"
        );
        assert!(run.stdout.contains("Fail (fail_default)"), "the decision stands: {run}");
    }
}

#[test]
fn words_that_are_known_have_no_warning() {
    for failure in [
        "exitCode=1",
        "reason=OOMKilled exitCode=137",
        "reason=Error exitCode=1",
        "reason=ContainerCannotRun exitCode=128",
        "condition=Evicted",
        "condition=OOMKilled condition=Preempted",
        "category=node subcategory=lost",
        "category=internal",
        "outcome=LeaseExpired",
        "message=OOM exitCode=1",
        "node=Preempted exitCode=1",
    ] {
        assert_eq!(warnings(failure, ""), [""; 0], "{failure}");
    }
}

#[test]
fn categories_of_the_executors_are_known() {
    assert_eq!(
        warnings("category=storage subcategory=full", "--executor-config executor.yaml"),
        [""; 0]
    );
    let warning = "no rule names the category `storag`; did you mean `storage`?";
    assert_eq!(warnings("category=storag", "--executor-config executor.yaml"), [warning]);
    assert_eq!(warnings("exitCode=3", "--executor-config executor.yaml"), [""; 0], "given by it");
}

#[test]
fn an_outcome_that_is_a_condition_is_refused_with_its_key() {
    let run = explain("outcome=OOMKilled", "").exits(2);
    assert!(run.stderr.contains("it is a condition: write condition=OOMKilled"), "{run}");
}

#[test]
fn no_failure_at_all_is_said() {
    let warning = "no --failure is given: a failure of which nothing is known is decided about; write --failure KEY=VALUE";
    assert_eq!(warnings("", ""), [warning]);
}

#[test]
fn values_of_other_systems() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["job/disruption.yaml"]);
    let first = |line: &str| {
        let run = sandbox.run(line).exits(0);
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let job = "explain decision -f job/disruption.yaml --failure";
    let line = first(&format!("{job} podCondition=DisruptionTargt"));
    assert_eq!(
        line,
        "warning: no rule can match the condition `DisruptionTargt`; did you mean `DisruptionTarget`?"
    );
    let line = first(&format!("{job} exitCode=42"));
    assert!(!line.starts_with("warning"), "{line}");
}

/// The reason of a container in a history that is a condition, or nearly one.
#[test]
fn reasons_of_histories_that_are_conditions_are_noted() {
    let sandbox = Sandbox::new();
    let record = |id: &str, reason: &str| {
        format!(
            "{{\"jobId\":\"{id}\",\"outcome\":\"Failed\",\"containers\":[{{\"name\":\"m\",\"exitCode\":1,\"reason\":\"{reason}\"}}]}}\n"
        )
    };
    let reasons = ["Preempted", "Preempted", "oomkilled", "Error", "OOMKilled", "StartError", ""];
    let lines: Vec<String> =
        reasons.iter().enumerate().map(|(at, reason)| record(&at.to_string(), reason)).collect();
    sandbox.file("policy.yaml", POLICY).file("h.jsonl", lines.concat());
    let run = sandbox.run("simulate -f policy.yaml --history h.jsonl -o json").exits(0).json();
    let notes = run["notes"].as_array().expect("notes").iter();
    let unread: Vec<_> = notes.filter(|note| note["kind"] == "unreadKeys").collect();
    let message = "2 unknown reasons: `Preempted` (2 records; a condition: name it in `conditions`), `oomkilled` (1 record; did you mean `OOMKilled`?)";
    assert_eq!(unread.len(), 1, "{unread:?}");
    assert_eq!((&unread[0]["message"], &unread[0]["count"]), (&message.into(), &2.into()));
    let run = sandbox.run("simulate -f policy.yaml --history h.jsonl --strict-records").exits(3);
    assert!(run.stderr.contains("unknown reason `Preempted` (2 records)"), "{run}");
}

/// Failures of other systems than Armada, each with its warning; none for a value that may be right.
#[test]
fn values_of_other_systems_are_checked() {
    let job = "apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {containerName: main, operator: In, values: [3]}}
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
";
    let set = format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: s}}
spec:
  failurePolicy: {{rules: [{{name: a, action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}}]}}
  replicatedJobs:
  - name: w
    template:
      spec: {}",
        job.split_once("spec:").unwrap().1.replace('\n', "\n      ")
    );
    let airflow = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: a}
spec:
  system: airflow
  profile: \"3.3\"
  policy: {retry_policy: {rules: [{exception: builtins.ConnectionError, action: retry}]}}
";
    let sandbox = Sandbox::new();
    sandbox.file("job.yaml", job).file("set.yaml", &set).file("airflow.yaml", airflow);
    for (file, failure, expected) in [
        ("job.yaml", "container=mian", "no rule names the container `mian`; did you mean `main`?"),
        ("job.yaml", "container=sidecar", ""),
        ("job.yaml", "container=main", ""),
        ("job.yaml", "podCondition=DisruptionTargt", "did you mean `DisruptionTarget`?"),
        ("job.yaml", "podCondition=DisruptionTarget=False", ""),
        ("job.yaml", "reason=Evicted", "write podCondition=DisruptionTarget"),
        ("job.yaml", "reason=OOMKilled", ""),
        ("job.yaml", "exitCode=0", "exit code 0 is a success; no rule matches it"),
        ("set.yaml", "container=mian", "did you mean `main`?"),
        ("set.yaml", "failureReason=PodFailurPolicy", "did you mean `PodFailurePolicy`?"),
        ("set.yaml", "failureReason=BackoffLimitExceeded", ""),
        (
            "airflow.yaml",
            "exception=builtins.ConnectonError",
            "did you mean `builtins.ConnectionError`?",
        ),
        ("airflow.yaml", "exception=builtins.OSError", ""),
    ] {
        let line = format!("explain decision -f {file} --failure {failure} -o json");
        let run = sandbox.run(&line).exits(0);
        let notes = run.json()["notes"].to_string();
        match expected {
            "" => assert_eq!(notes, "[]", "{failure}"),
            text => assert!(notes.contains(text), "{failure}: {notes}"),
        }
    }
}

#[test]
fn a_failure_without_the_category_that_all_rules_compare_is_noted() {
    let policy = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: ml
retryLimit: 3
defaultAction: Fail
rules: [{action: Retry, onCategory: storage}]
";
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy).file("executor.yaml", EXECUTOR);
    let has_note = |flags: &str| {
        let run = sandbox.run(&format!("explain decision -f policy.yaml {flags}")).exits(0);
        run.stdout.contains("every rule compares the category, and the failure has none")
    };
    assert!(has_note("--failure exitCode=137"));
    assert!(!has_note("--failure category=storage"));
    assert!(!has_note("--failure outcome=LeaseExpired"));
    assert!(!has_note("--failure exitCode=3 --executor-config executor.yaml"));
    assert!(has_note("--failure exitCode=4 --executor-config executor.yaml"));
}

#[test]
fn a_container_has_one_exit_code() {
    let run = explain("exitCode=1 exitCode=2", "").exits(2);
    assert!(run.stderr.contains("`exitCode` is given twice for one container"), "{run}");
    assert!(run.stderr.contains("container=NAME"), "{run}");
    explain("exitCode=1 container=b exitCode=2", "").exits(0);
}

#[test]
fn conditions_of_pods_are_led_to_those_of_runs() {
    let found = warnings("condition=DisruptionTarget", "");
    assert!(found[0].contains("have the condition Preempted or Evicted"), "{found:?}");
}

#[test]
fn exit_codes_that_no_container_has() {
    assert_eq!(warnings("exitCode=0", ""), ["exit code 0 is a success; no rule matches it"]);
    assert_eq!(warnings("exitCode=0 container=b exitCode=3", ""), [""; 0]);
    let run = explain("exitCode=99999999999", "").exits(3);
    assert!(run.stderr.contains("from -2147483648 to 2147483647"), "{run}");
}

#[test]
fn annotations_that_are_not_read_are_warned_of() {
    let near = |key: &str| {
        format!("annotation `{key}` is not read; did you mean `armadaproject.io/failFast`?")
    };
    for (pair, expected) in [
        ("failFast=true", vec![near("failFast")]),
        ("armadaproject.io/failfast=true", vec![near("armadaproject.io/failfast")]),
        (
            "armadaproject.io/failFast=yes",
            vec![
                "the value `yes` of `armadaproject.io/failFast` counts as false; write \
                  `armadaproject.io/failFast=true` or `armadaproject.io/failFast=false`"
                    .to_owned(),
            ],
        ),
        ("armadaproject.io/failFast=true", Vec::new()),
        ("example.com/team=ml", Vec::new()),
    ] {
        assert_eq!(warnings("exitCode=247", &format!("--annotation {pair}")), expected, "{pair}");
    }
}

/// A retry after a preemption waits for the pod, as long as its grace period.
#[test]
fn the_grace_period_of_a_preempted_run_is_a_part_of_the_failure() {
    let wait = |failure: &str| {
        let policy = POLICY.replace("[OOMKilled]", "[Preempted]");
        let sandbox = Sandbox::new();
        sandbox.file("policy.yaml", policy);
        let line = format!("explain decision -f policy.yaml --failure outcome=Preempted {failure}");
        sandbox.run(&format!("{line} -o json")).exits(0).json()["decision"]["delaySeconds"].clone()
    };
    assert_eq!(wait("--failure terminationGracePeriodSeconds=45"), 45.0);
    assert_eq!(wait(""), 1.0);
}
