//! Pods of Jobs and JobSets as clusters report them: evicted, disrupted, restarted and still
//! running ones.

use super::sandbox::{Run, Sandbox};
use super::systems::only_unit;
use serde_json::{Value, json};

/// A Job `myjob` with a specification beside its template.
fn job(spec: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: myjob, namespace: ns}}\nspec: {{{spec}, \
         template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: i}}]}}}}}}\n"
    )
}

/// A JobSet `js` of one Job `w`, with a specification beside its replicated Job.
fn set(spec: &str) -> String {
    format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js, namespace: ns}}\n\
         spec: {{{spec}, replicatedJobs: [{{name: w, replicas: 1, template: {{spec: {{backoffLimit: 0, \
         template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: i}}]}}}}}}}}}}]}}\n"
    )
}

/// A pod of both, of completion index 0.
fn pod(name: &str, status: &Value) -> Value {
    json!({
        "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "ns", "creationTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {},
            "labels": {
                "batch.kubernetes.io/job-name": if name.starts_with("js-") { "js-w-0" } else { "myjob" },
                "batch.kubernetes.io/job-completion-index": "0",
                "jobset.sigs.k8s.io/jobset-name": "js",
                "jobset.sigs.k8s.io/replicatedjob-name": "w",
                "jobset.sigs.k8s.io/job-index": "0",
            },
        },
        "spec": {"nodeName": "n", "restartPolicy": "Never"},
        "status": status,
    })
}

/// The status of a pod whose container ended at a minute of the first hour.
fn ended(minute: u32, exit_code: i32, reason: &str) -> Value {
    let at = |second: u32| format!("2026-01-01T00:{minute:02}:{second:02}Z");
    json!({
        "phase": if exit_code == 0 { "Succeeded" } else { "Failed" },
        "startTime": at(1),
        "containerStatuses": [{"name": "main", "state": {"terminated": {
            "exitCode": exit_code, "reason": reason, "finishedAt": at(30),
        }}}],
    })
}

/// The status of a pod that the kubelet evicted, which has neither containers nor conditions.
fn evicted(minute: u32) -> Value {
    let at = format!("2026-01-01T00:{minute:02}:01Z");
    json!({"phase": "Failed", "reason": "Evicted", "startTime": at})
}

/// Replays a list of pods.
fn replay(manifest: &str, pods: &[Value], flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("manifest.yaml", manifest);
    sandbox.file("pods.json", json!({"kind": "List", "items": pods}).to_string());
    sandbox.run(&format!("simulate -f manifest.yaml --history pods.json --timelines all {flags}"))
}

/// The unit that pods are of.
fn unit(manifest: &str, pods: &[Value]) -> Value {
    only_unit(&replay(manifest, pods, "-o json").exits(0))
}

/// A field of each decision about a unit.
fn each(unit: &Value, field: &str) -> Vec<Value> {
    let decisions = unit["decisions"].as_array().unwrap().iter();
    decisions.map(|decision| decision[field].clone()).collect()
}

#[test]
fn evicted_pods_are_failures() {
    let pods = [
        pod("myjob-0-a", &evicted(1)),
        pod("myjob-0-b", &ended(5, 1, "Error")),
        pod("myjob-0-c", &evicted(9)),
    ];
    let job = unit(&job("backoffLimit: 2"), &pods);
    assert_eq!(each(&job, "decision"), ["retry", "retry", "fail_backoff_limit"]);
    assert_eq!(each(&job, "count"), [1, 2, 3]);
    let ends = ["2026-01-01T00:01:01Z", "2026-01-01T00:05:30Z", "2026-01-01T00:09:01Z"];
    assert_eq!(each(&job, "failedAt"), ends);
    let set = unit(&set("failurePolicy: {maxRestarts: 0}"), &[pod("js-w-0-0-a", &evicted(1))]);
    assert_eq!(each(&set, "decision"), ["fail_backoff_limit", "fail_max_restarts"]);
}

#[test]
fn a_bad_pod_is_named() {
    let mut status = ended(5, 1, "Error");
    status["startTime"] = json!("2026-01-01T00:06:00Z");
    let run = replay(&job("backoffLimit: 2"), &[pod("myjob-0-a", &status)], "").exits(3);
    let message = "error[RP029]: pod `ns/myjob-0-a`: the run finishes at 2026-01-01T00:05:30Z, \
                   before it starts at 2026-01-01T00:06:00Z";
    assert!(run.stderr.contains(message), "{run}");
}

/// A condition of a pod.
fn condition(kind: &str, reason: &str) -> Value {
    let status = if ["Ready", "ContainersReady"].contains(&kind) { "False" } else { "True" };
    json!({"type": kind, "status": status, "reason": reason})
}

/// The conditions that the kubelet leaves on every pod that has failed.
fn of_every_pod() -> Vec<Value> {
    ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]
        .map(|kind| condition(kind, ""))
        .to_vec()
}

/// A failed pod with the kubelet's conditions, more of them, and a reason of its own.
fn disturbed(exit_code: i32, why: &str, more: &[Value], reason: &str) -> Value {
    let mut status = ended(1, exit_code, why);
    status["conditions"] = [of_every_pod(), more.to_vec()].concat().into();
    status["reason"] = json!(reason);
    status
}

/// What tables show of a failure, and the rule that is suggested where none matched it.
#[test]
fn a_failure_is_called_by_its_cause() {
    const IGNORE: &str = "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}";
    let fail =
        |code| format!("{{action: FailJob, onExitCodes: {{operator: In, values: [{code}]}}}}");
    let drained = [condition("DisruptionTarget", "EvictionByEvictionAPI")];
    let silent = [condition("DisruptionTarget", "")];
    let custom = [condition("ConfigIssue", "")];
    for (status, failure, rule) in [
        (disturbed(137, "OOMKilled", &[], ""), "OOMKilled (137)", Some(fail(137))),
        (disturbed(137, "OOMKilled", &drained, "Evicted"), "OOMKilled (137)", Some(fail(137))),
        (
            disturbed(137, "Error", &drained, "Evicted"),
            "DisruptionTarget (EvictionByEvictionAPI)",
            Some(IGNORE.to_owned()),
        ),
        (disturbed(143, "Error", &silent, ""), "DisruptionTarget (143)", Some(IGNORE.to_owned())),
        (disturbed(137, "Error", &[], "Evicted"), "Evicted (137)", None),
        (disturbed(143, "Error", &custom, "DeadlineExceeded"), "DeadlineExceeded (143)", None),
        (disturbed(3, "Error", &custom, ""), "ConfigIssue (3)", None),
        (disturbed(3, "Error", &[], ""), "exit 3", Some(fail(3))),
        (evicted(1), "Evicted", None),
    ] {
        let report = replay(&job("backoffLimit: 2"), &[pod("myjob-0-a", &status)], "-o json");
        let report = report.exits(0).json();
        assert_eq!(report["jobs"][0]["decisions"][0]["failure"], failure);
        let uncaught = &report["summary"]["uncaught"];
        assert_eq!(uncaught["suggestedRule"].as_str(), rule.as_deref(), "{failure}");
        let set = unit(&set("failurePolicy: {maxRestarts: 0}"), &[pod("js-w-0-0-a", &status)]);
        assert_eq!(each(&set, "failure"), [failure, failure]);
    }
}

/// A rule that is suggested catches what it is suggested for.
#[test]
fn a_suggested_rule_catches_a_drain() {
    let drained = [condition("DisruptionTarget", "PreemptionByScheduler")];
    let pods = [pod("myjob-0-a", &disturbed(143, "Error", &drained, ""))];
    let suggested = replay(&job("backoffLimit: 0"), &pods, "-o json").exits(0).json();
    let rule = suggested["summary"]["uncaught"]["suggestedRule"].as_str().unwrap().to_owned();
    let with = job(&format!("backoffLimit: 0, podFailurePolicy: {{rules: [{rule}]}}"));
    assert_eq!(each(&unit(&with, &pods), "decision"), ["retry_ignored"]);
}
