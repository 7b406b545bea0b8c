//! Pods of Jobs and JobSets as clusters report them: evicted, disrupted, restarted and still
//! running ones.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox};
use super::systems::only_unit;
use serde_json::{Value, json};

/// A Job `myjob` with a specification beside its template.
pub fn job(spec: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: myjob, namespace: ns}}\nspec: {{{spec}, \
         template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: i}}]}}}}}}\n"
    )
}

/// A JobSet `js` of one Job `w`, with a specification beside its replicated Job.
pub fn set(spec: &str) -> String {
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
pub fn each(unit: &Value, field: &str) -> Vec<Value> {
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

#[test]
fn a_bad_pod_is_named_under_a_retry_policy_too() {
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: {rules: [{action: Retry, onConditions: [Evicted]}]}\n";
    let mut early = ended(5, 1, "Error");
    early["startTime"] = json!("2026-01-01T00:06:00Z");
    let mut twice = ended(5, 1, "Error");
    let containers = twice["containerStatuses"].as_array_mut().unwrap();
    containers.push(containers[0].clone());
    for (status, message) in [
        (
            early,
            "the run finishes at 2026-01-01T00:05:30Z, before it starts at 2026-01-01T00:06:00Z",
        ),
        (twice, "two containers are named `main`"),
    ] {
        let pods = [pod("myjob-0-a", &status), pod("myjob-0-b", &evicted(9))];
        let named = format!("error[RP029]: pod `ns/myjob-0-a`: {message}\n");
        for manifest in [policy, &job("backoffLimit: 2")] {
            let run = replay(manifest, &pods, "").exits(3);
            assert!(run.stderr.contains(&named), "{run}");
        }
    }
}

/// A label or an annotation that a controller writes, with a value that it never has.
#[test]
fn values_that_no_controller_writes_are_bad_records() {
    const COUNT: &str = "batch.kubernetes.io/job-index-failure-count";
    const IGNORED: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
    const ATTEMPT: &str = "jobset.sigs.k8s.io/restart-attempt";
    let indexed = job("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 2");
    let set = set("failurePolicy: {maxRestarts: 9}");
    for (manifest, what, field, key, value) in [
        (&indexed, "annotation", "annotations", COUNT, "x"),
        (&indexed, "annotation", "annotations", COUNT, "99999999999"),
        (&indexed, "annotation", "annotations", IGNORED, "-1"),
        (&indexed, "annotation", "annotations", IGNORED, ""),
        (&set, "annotation", "annotations", COUNT, "1.0"),
        (&set, "label", "labels", ATTEMPT, "x"),
        (&set, "label", "labels", ATTEMPT, "-1"),
    ] {
        let name = if what == "label" || manifest == &set { "js-w-0-0-a" } else { "myjob-0-a" };
        let mut bad = pod(name, &ended(1, 1, "Error"));
        bad["metadata"][field][key] = json!(value);
        let run = replay(manifest, &[bad.clone()], "").exits(3);
        let message = format!(
            "error[RP029]: pod `ns/{name}`: {what} `{key}`: `{value}` is not a whole number from 0 to \
             2147483647\n"
        );
        assert!(run.stderr.contains(&message), "{message}: {run}");
        let good = pod(&format!("{name}b"), &ended(5, 1, "Error"));
        let run = replay(manifest, &[bad, good], "--on-bad-record skip -o json").exits(0);
        assert_eq!(run.json()["summary"]["skippedRecords"], 1, "{run}");
    }
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
    let fail = |code| {
        format!("{{action: <FailJob or Count>, onExitCodes: {{operator: In, values: [{code}]}}}}")
    };
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

/// A pod with an annotation or a label more.
fn with(mut pod: Value, kind: &str, key: &str, value: &str) -> Value {
    pod["metadata"][kind][key] = json!(value);
    pod
}

/// A pod of generation `attempt` of the set.
fn of_generation(attempt: u32, minute: u32) -> Value {
    let pod = pod(&format!("js-w-0-0-{minute}"), &ended(minute, 1, "Error"));
    with(pod, "labels", "jobset.sigs.k8s.io/restart-attempt", &attempt.to_string())
}

/// JobSet deletes the Jobs of old generations, so that a dump has those of the last.
#[test]
fn the_restart_attempt_of_a_set_starts_its_count() {
    let restarts = |policy: &str, pods: &[Value]| {
        let unit = unit(&set(&format!("failurePolicy: {{{policy}}}")), pods);
        let decisions = unit["decisions"].as_array().unwrap();
        let of_set: Vec<_> = decisions.iter().filter(|one| one["level"] == "jobset").collect();
        let count = |one: &&Value| one["counts"]["restarts"].as_u64().unwrap();
        let (last, counts) = (of_set[of_set.len() - 1], of_set.iter().map(count));
        let reason = last["reason"].as_str().unwrap().to_owned();
        (last["decision"].clone(), counts.collect::<Vec<_>>(), reason)
    };
    let last = [of_generation(2, 9)];
    let (decision, counts, reason) = restarts("maxRestarts: 2", &last);
    assert_eq!((decision, counts), (json!("fail_max_restarts"), vec![2]));
    assert!(reason.ends_with("; 2 of these restarts are not recorded"), "{reason}");
    let (decision, counts, _) = restarts("maxRestarts: 3", &last);
    assert_eq!((decision, counts), (json!("restart_jobset"), vec![3]));
    // Restarts that are on record are counted once, generations that are missing too.
    let all: Vec<Value> = (0..3).map(|attempt| of_generation(attempt, attempt)).collect();
    let (decision, counts, reason) = restarts("maxRestarts: 2", &all);
    assert_eq!((decision, counts), (json!("fail_max_restarts"), vec![1, 2, 2]));
    assert!(reason.ends_with("are used"), "{reason}");
    let gap = [of_generation(0, 0), of_generation(3, 3)];
    let (decision, counts, _) = restarts("maxRestarts: 3", &gap);
    assert_eq!((decision, counts), (json!("fail_max_restarts"), vec![1, 3]));
}

/// A failed pod of index 0 before which so many of its index failed.
fn after_failures(counted: u32, ignored: u32, minute: u32) -> Value {
    let pod = pod(&format!("myjob-0-{minute}"), &ended(minute, 1, "Error"));
    let key = |what: &str| format!("batch.kubernetes.io/job-index-{what}");
    let pod = with(pod, "annotations", &key("failure-count"), &counted.to_string());
    with(pod, "annotations", &key("ignored-failure-count"), &ignored.to_string())
}

#[test]
fn the_failure_count_of_an_index_starts_its_count() {
    let job =
        job("completionMode: Indexed, completions: 1, parallelism: 1, backoffLimitPerIndex: 2");
    let last = unit(&job, &[after_failures(2, 0, 9)]);
    assert_eq!(each(&last, "decision"), ["fail_indexes"]);
    assert_eq!(last["systemOutcome"], "FailedIndexes");
    assert_eq!(each(&last, "counts")[0]["failed"], 3);
    // The wait is of all failures of the index, ignored ones too.
    let later = unit(&job, &[after_failures(1, 2, 9)]);
    assert_eq!(each(&later, "delaySeconds"), [80.0]);
    let all = [after_failures(0, 0, 1), after_failures(1, 0, 5), after_failures(2, 0, 9)];
    let all = unit(&job, &all);
    assert_eq!(each(&all, "decision"), ["retry", "retry", "fail_indexes"]);
    assert_eq!(each(&all, "counts")[2]["failed"], 3);
    let gap = unit(&job, &[after_failures(0, 0, 1), after_failures(2, 0, 9)]);
    assert_eq!(each(&gap, "decision"), ["retry", "fail_indexes"]);
    assert_eq!(each(&gap, "counts")[1]["failed"], 3);
}

/// A pod of a Job's index in a phase in which it goes on.
fn going_on(index: u32, phase: &str) -> Value {
    let mut status = json!({"phase": phase});
    if phase == "Running" {
        status["startTime"] = json!("2026-01-01T00:00:01Z");
    }
    let key = "batch.kubernetes.io/job-completion-index";
    with(pod(&format!("myjob-{index}-x"), &status), "labels", key, &index.to_string())
}

/// Indexes whose pods are on record and have not ended are not assumed to have succeeded.
#[test]
fn a_unit_with_pods_that_go_on_is_unresolved() {
    let job =
        job("completionMode: Indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 0");
    let on = [going_on(1, "Running"), going_on(2, "Pending")];
    for (code, reason, decisions) in
        [(1, "Error", json!(["fail_index"])), (0, "Completed", json!([]))]
    {
        let first = pod("myjob-0-a", &ended(1, code, reason));
        let both = [std::slice::from_ref(&first), &on[..]].concat();
        let unit = unit(&job, &both);
        assert_eq!(unit["outcome"], "Unresolved");
        assert_eq!(unit["reason"], "2 of its pods have not ended");
        assert_eq!(json!(each(&unit, "decision")), decisions);
        let alone = replay(&job, &[first], "-o json").exits(0);
        assert_ne!(only_unit(&alone)["outcome"], "Unresolved", "{alone}");
    }
    let pod = pod("js-w-0-0-a", &json!({"phase": "Running", "startTime": "2026-01-01T00:00:01Z"}));
    let set = unit(&set("failurePolicy: {maxRestarts: 0}"), &[pod]);
    assert_eq!(set["outcome"], "Unresolved");
    assert_eq!(set["reason"], "1 of its pods has not ended");
}

/// A Job without indexes whose pods go on is not over, even if others have replaced those that failed.
#[test]
fn a_replacement_does_not_end_a_pod_that_goes_on() {
    let without_index = |name: &str, status: &Value| {
        let mut pod = pod(name, status);
        let labels = pod["metadata"]["labels"].as_object_mut().unwrap();
        labels.remove("batch.kubernetes.io/job-completion-index");
        pod
    };
    let running = json!({"phase": "Running", "startTime": "2026-01-01T00:00:01Z"});
    let pods = [
        without_index("myjob-a", &running),
        without_index("myjob-b", &ended(1, 1, "Error")),
        without_index("myjob-c", &ended(9, 0, "Completed")),
    ];
    let unit = unit(&job("completions: 2, parallelism: 2"), &pods);
    assert_eq!(each(&unit, "podIndex"), [Value::Null]);
    assert_eq!((&unit["outcome"], &unit["retries"]), (&json!("Unresolved"), &json!(1)));
}

/// The controller of an Indexed Job counts no pod without a valid index, but looks for `FailJob` in
/// every failed one (Kubernetes 1.34, `getFailJobMessage`).
#[test]
fn an_indexed_job_counts_no_pod_without_an_index() {
    let rule =
        "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}";
    let manifest =
        job(&format!("completionMode: Indexed, completions: 1, backoffLimit: 0, {rule}"));
    let with_index = |index: &str, status: &Value| {
        with(pod("myjob-a", status), "labels", "batch.kubernetes.io/job-completion-index", index)
    };
    let succeeded = pod("myjob-b", &ended(5, 0, "Completed"));
    for index in ["", "x", "-1"] {
        let failed = with_index(index, &ended(1, 1, "Error"));
        let alone = unit(&manifest, std::slice::from_ref(&failed));
        assert_eq!(alone["outcome"], "Unresolved", "{alone}");
        let decision = &alone["decisions"][0];
        assert_eq!(decision["decision"], "not_replaced", "{decision}");
        assert_eq!((&decision["count"], &decision["podIndex"]), (&json!(0), &Value::Null));
        let done = unit(&manifest, &[failed, succeeded.clone()]);
        assert_eq!(done["outcome"], "Succeeded", "{done}");
        let by_rule = unit(&manifest, &[with_index(index, &ended(1, 42, "Error"))]);
        assert_eq!(each(&by_rule, "decision"), ["fail_job"]);
        let unindexed = unit(&manifest, &[with_index(index, &ended(1, 0, "Completed"))]);
        assert_eq!(unindexed["outcome"], "Unresolved", "{unindexed}");
    }
}

/// A watch tells of pods that were deleted before they ended: nothing of them goes on.
#[test]
fn a_pod_that_a_watch_saw_deleted_does_not_go_on() {
    let mut running = going_on(0, "Running");
    running["status"]["startTime"] = json!("2026-01-01T00:02:00Z");
    let event = |kind: &str, pod: &Value| json!({"type": kind, "object": pod}).to_string();
    let failed = pod("myjob-0-a", &ended(1, 1, "Error"));
    let sandbox = Sandbox::new();
    sandbox.file("manifest.yaml", job("backoffLimit: 2"));
    for (is_gone, reason) in [
        (false, "1 of its pods has not ended"),
        (true, "it was granted a retry that is not recorded"),
    ] {
        let mut events = vec![event("MODIFIED", &failed), event("ADDED", &running)];
        events.extend(is_gone.then(|| event("DELETED", &running)));
        sandbox.file("watch.json", events.join("\n"));
        let line = "simulate -f manifest.yaml --history watch.json --timelines all -o json";
        assert_eq!(only_unit(&sandbox.run(line).exits(0))["reason"], reason);
    }
}

/// A pod with the requests of its only container.
fn requesting(mut pod: Value, requests: &Value) -> Value {
    pod["spec"]["containers"] = json!([{"name": "main", "resources": {"requests": requests}}]);
    pod
}

/// The unit of cost of an answer, and the values of a row: on record, then under each set of policies.
fn row(report: &Value, id: &str) -> (String, Value) {
    let rows = report["answer"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == id).unwrap();
    (report["answer"]["unit"].as_str().unwrap().to_owned(), row["values"].clone())
}

/// Hours of so many pods of the tests, each of which runs for 29 seconds, times what each requests.
fn hours(pods: f64, requests: f64) -> f64 {
    29.0 * pods * requests / 3600.0
}

/// Checks the values of a row.
fn assert_near(values: &Value, expected: &[f64]) {
    let values: Vec<f64> =
        values.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
    let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
    let are_near = values.len() == expected.len() && values.iter().zip(expected).all(is_near);
    assert!(are_near, "{values:?} instead of {expected:?}");
}

#[test]
fn hours_of_pods_are_those_of_their_requests() {
    let requests = json!({"cpu": "500m", "memory": "1Gi"});
    let pods: Vec<Value> = [1, 2, 3]
        .into_iter()
        .map(|minute| {
            let code = i32::from(minute < 3);
            let status = ended(minute, code, if code == 0 { "Completed" } else { "Error" });
            requesting(pod(&format!("myjob-0-{minute}"), &status), &requests)
        })
        .collect();
    let job = job("completionMode: Indexed, completions: 1, parallelism: 1, backoffLimit: 1");
    let report = replay(&job, &pods, "-o json").exits(0).json();
    let (unit, failed) = row(&report, "failedRetryHours");
    assert_eq!(unit, "core-hours");
    assert_near(&failed, &[hours(1.0, 0.5), hours(1.0, 0.5)]);
    assert_near(&row(&report, "succeededRetryHours").1, &[hours(1.0, 0.5), 0.0]);
    let not_reached = &report["summary"]["notReachedRuns"];
    assert_near(&json!([not_reached["cpuHours"]]), &[hours(1.0, 0.5)]);
    // Records have the same field, and a Job of a document may have it for all of its pods.
    let sandbox = Sandbox::new();
    sandbox.file("job.yaml", &job);
    let run = |at: u32, outcome: &str| {
        format!(
            "{{startedAt: '2026-01-01T00:0{at}:01Z', finishedAt: '2026-01-01T00:0{at}:30Z', outcome: {outcome}}}"
        )
    };
    sandbox.file(
        "history.yaml",
        format!(
            "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n  - jobId: myjob\n    \
             resources: {{cpu: 500m}}\n    runs: [{}, {}, {}]\n",
            run(1, "Failed"),
            run(2, "Failed"),
            run(3, "Succeeded").replace('}', ", resources: {cpu: 3}}")
        ),
    );
    let report = sandbox.run("simulate -f job.yaml --history history.yaml -o json").exits(0).json();
    assert_near(&row(&report, "failedRetryHours").1, &[hours(1.0, 0.5), hours(1.0, 0.5)]);
    assert_near(&row(&report, "succeededRetryHours").1, &[hours(1.0, 3.0), 0.0]);
}

/// Pods of several replicated Jobs differ, so that each has its own requests. Without policies too.
#[test]
fn hours_of_a_set_are_those_of_each_pod() {
    let worker = |minute: u32, code: i32, attempt: &str| {
        let status = ended(minute, code, "Error");
        let pod =
            requesting(pod(&format!("js-w-0-0-{minute}"), &status), &json!({"nvidia.com/gpu": 4}));
        with(pod, "labels", "jobset.sigs.k8s.io/restart-attempt", attempt)
    };
    let leader = |minute: u32, attempt: &str| {
        let pod = pod(&format!("js-l-0-0-{minute}"), &ended(minute, 0, "Completed"));
        let pod = requesting(pod, &json!({"cpu": 2}));
        let pod = with(pod, "labels", "batch.kubernetes.io/job-name", "js-l-0");
        let pod = with(pod, "labels", "jobset.sigs.k8s.io/replicatedjob-name", "l");
        with(pod, "labels", "jobset.sigs.k8s.io/restart-attempt", attempt)
    };
    let pods = [worker(1, 1, "0"), leader(1, "0"), worker(2, 0, "1"), leader(2, "1")];
    let sandbox = Sandbox::new();
    sandbox.file("pods.json", json!({"kind": "List", "items": pods}).to_string());
    let report = sandbox.run("simulate --history pods.json -o json").exits(0).json();
    let (unit, succeeded) = row(&report, "succeededRetryHours");
    assert_eq!(unit, "GPU-hours");
    assert_near(&succeeded, &[hours(1.0, 4.0)]);
    assert_eq!(row(&report, "retriesSucceeded").1, json!([2.0]));
}

/// A Job or a JobSet of the tests with a condition.
fn object(kind: &str, condition: &Value) -> Value {
    let name = if kind == "Job" { "myjob" } else { "js" };
    json!({
        "kind": kind,
        "metadata": {"name": name, "namespace": "ns", "uid": kind},
        "status": {"conditions": [condition], "active": 0},
    })
}

/// The jobs on record of a list without policies that succeeded, failed and are open, and what is printed beside.
fn outcomes(items: &[Value]) -> (Vec<Value>, String) {
    let sandbox = Sandbox::new();
    sandbox.file("list.json", json!({"kind": "List", "items": items}).to_string());
    let run = sandbox.run("simulate --history list.json -o json").exits(0);
    let of = |id: &str| row(&run.json(), id).1[0].clone();
    let counts = ["jobsSucceeded", "jobsFailed", "jobsUnresolved"].map(of);
    (counts.to_vec(), run.to_string())
}

/// What `kubectl get jobs,pods -o json` prints: pods may be deleted, the Job's condition is its outcome.
#[test]
fn the_condition_of_a_job_is_its_outcome_on_record() {
    let [succeeded, failed, open] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (lost, done) = (ended(1, 1, "Error"), ended(2, 0, "Completed"));
    let running = json!({"phase": "Running", "startTime": "2026-01-01T00:03:01Z"});
    let is = |kind: &str, status: &str| json!({"type": kind, "status": status, "reason": "X"});
    let cases = [
        (None, vec![&lost], failed),
        (Some(is("Complete", "True")), vec![&lost], succeeded),
        (Some(is("SuccessCriteriaMet", "True")), vec![&lost], succeeded),
        (Some(is("Complete", "False")), vec![&lost], failed),
        (Some(is("Suspended", "True")), vec![&lost], failed),
        (Some(is("Failed", "True")), vec![&lost, &done], failed),
        (Some(is("Failed", "True")), vec![&lost, &running], failed),
        (None, vec![&lost, &done], succeeded),
        (None, vec![&lost, &running], open),
        (Some(is("Suspended", "True")), vec![&lost, &running], open),
    ];
    for (kind, prefix) in [("Job", "myjob"), ("JobSet", "js-w-0")] {
        for (condition, statuses, expected) in &cases {
            let pods = statuses.iter().enumerate();
            let pods = pods.map(|(at, status)| {
                let mut pod = pod(&format!("{prefix}-0-{at}"), status);
                if kind == "Job" {
                    pod["metadata"]["labels"]
                        .as_object_mut()
                        .unwrap()
                        .retain(|key, _| key.starts_with("batch"));
                }
                pod
            });
            let object = condition.as_ref().map(|condition| object(kind, condition));
            let items: Vec<Value> = object.into_iter().chain(pods).collect();
            let (counts, printed) = outcomes(&items);
            assert_eq!(json!(counts), json!(expected), "{kind} {condition:?}: {printed}");
            let is_used = condition
                .as_ref()
                .is_some_and(|it| it["type"] != "Suspended" && it["status"] == "True");
            let is_skipped = condition.is_some() && !is_used;
            assert_eq!(printed.contains("which `-f` takes"), is_skipped, "{printed}");
        }
    }
    // JobSet has another name for it.
    let items = [object("JobSet", &is("Completed", "True")), pod("js-w-0-0-a", &lost)];
    assert_eq!(json!(outcomes(&items).0), json!(succeeded));
    // Those of other kinds are not the unit's, whatever their names are.
    let mut other = object("Job", &is("Complete", "True"));
    other["metadata"]["name"] = json!("js");
    assert_eq!(json!(outcomes(&[other, pod("js-w-0-0-a", &lost)]).0), json!(failed));
}

/// Armada's jobs have no object; a pod that has not ended leaves its job open, unless it is gone.
#[test]
fn a_job_with_a_pod_that_goes_on_is_open_on_record() {
    let pod =
        |name: &str, status: &Value| with(pod(name, status), "labels", "armada_job_id", "01k");
    let first = with(pod("a", &ended(1, 1, "Error")), "labels", "armada_job_run_index", "0");
    let running = json!({"phase": "Running", "startTime": "2026-01-01T00:03:01Z"});
    let mut items = vec![first, pod("b", &running)];
    for pod in &mut items {
        pod["metadata"]["labels"]
            .as_object_mut()
            .unwrap()
            .retain(|key, _| key.starts_with("armada"));
    }
    assert_eq!(json!(outcomes(&items).0), json!([0.0, 0.0, 1.0]));
    assert_eq!(json!(outcomes(&items[..1]).0), json!([0.0, 1.0, 0.0]));
    let sandbox = Sandbox::new();
    let events = [("ADDED", &items[0]), ("DELETED", &items[1])];
    let text: String =
        events.map(|(kind, pod)| json!({"type": kind, "object": pod}).to_string() + "\n").concat();
    sandbox.file("watch.json", text);
    let run = sandbox.run("simulate --history watch.json -o json").exits(0);
    assert_eq!(row(&run.json(), "jobsFailed").1, json!([1.0]), "{run}");
    // A later file has the end of the run.
    sandbox.file(
        "monday.txt",
        "JobID|State|ExitCode|Start|End\n7|FAILED|1:0|100|200\n7|RUNNING|0:0|300|\n",
    );
    sandbox.file("tuesday.txt", "JobID|State|ExitCode|Start|End\n7|COMPLETED|0:0|300|400\n");
    let on_record = |files: &str, id: &str| {
        row(&sandbox.run(&format!("simulate {files} -o json")).exits(0).json(), id).1
    };
    assert_eq!(on_record("--history monday.txt", "jobsUnresolved"), json!([1.0]));
    let both = "--history monday.txt --history tuesday.txt";
    assert_eq!(on_record(both, "jobsSucceeded"), json!([1.0]));
    // The last record of a line may be a run that goes on, too.
    sandbox.file(
        "pods.jsonl",
        "{\"jobId\":\"j\",\"podIndex\":0,\"outcome\":\"Failed\"}\n{\"jobId\":\"j\",\"podIndex\":0,\"outcome\":\"Running\"}\n",
    );
    assert_eq!(on_record("--history pods.jsonl", "jobsUnresolved"), json!([1.0]));
}

/// The condition of a Job is its outcome on record whether its file is read before or after that of its pods.
#[test]
fn the_condition_of_a_job_holds_in_any_order_of_files() {
    let sandbox = Sandbox::new();
    let mut failed = pod("myjob-0-a", &ended(1, 1, "Error"));
    let labels = failed["metadata"]["labels"].as_object_mut().unwrap();
    labels.retain(|label, _| !label.starts_with("jobset."));
    let metadata = json!({"name": "myjob", "namespace": "ns"});
    let status = json!({"conditions": [{"type": "Complete", "status": "True"}]});
    let job =
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "status": status});
    let list = |item: &Value| json!({"apiVersion": "v1", "kind": "List", "items": [item]});
    sandbox.file("jobs.json", list(&job).to_string()).file("pods.json", list(&failed).to_string());
    for files in ["jobs.json pods.json", "pods.json jobs.json"] {
        let report = sandbox.run(&format!("simulate --history {files} -o json")).exits(0).json();
        let row = &report["answer"]["rows"][0];
        assert_eq!((&row["id"], &row["values"][0]), (&json!("jobsSucceeded"), &json!(1.0)));
    }
}
