//! Jobs without indexes, from pods and from JSON Lines: all pods of the Job are one sequence.
//!
//! Holds cli.md The other systems.

use super::kube_pods::{each, job, set};
use super::sandbox::{Run, Sandbox};
use super::systems::only_unit;
use serde_json::{Value, json};

/// A pod without an index: its name, the seconds of its start and end, and its exit code.
type Pod<'p> = (&'p str, u32, u32, i64);

fn at(second: u32) -> String {
    format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60)
}

fn kube_pod((name, start, end, code): Pod<'_>) -> Value {
    let ended = json!({"exitCode": code, "startedAt": at(start), "finishedAt": at(end)});
    json!({
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ns", "labels": {
            "batch.kubernetes.io/job-name": if name.starts_with("js-") { "js-w-0" } else { "myjob" },
            "jobset.sigs.k8s.io/jobset-name": "js",
            "jobset.sigs.k8s.io/replicatedjob-name": "w",
            "jobset.sigs.k8s.io/job-index": "0",
        }},
        "status": {
            "phase": if code == 0 { "Succeeded" } else { "Failed" },
            "startTime": at(start),
            "containerStatuses": [{"name": "main", "state": {"terminated": ended}}],
        },
    })
}

fn line((name, start, end, code): Pod<'_>) -> String {
    let outcome = if code == 0 { "Succeeded" } else { "Failed" };
    let (start, end) = (at(start), at(end));
    let containers = json!([{"name": "main", "exitCode": code}]);
    format!(
        "{{\"jobId\":\"ns/myjob\",\"podName\":\"{name}\",\"outcome\":\"{outcome}\",\"startedAt\":\"{start}\",\
         \"finishedAt\":\"{end}\",\"containers\":{containers}}}\n"
    )
}

fn replay(manifest: &str, history: (&str, String), flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("manifest.yaml", manifest);
    sandbox.file(history.0, history.1);
    sandbox
        .run(&format!("simulate -f manifest.yaml --history {} --timelines all {flags}", history.0))
}

fn of_pods(pods: &[Pod<'_>]) -> (&'static str, String) {
    let items: Vec<Value> = pods.iter().map(|pod| kube_pod(*pod)).collect();
    ("pods.json", json!({"kind": "List", "items": items}).to_string())
}

fn of_lines(pods: &[Pod<'_>]) -> (&'static str, String) {
    let mut pods = pods.to_vec();
    pods.sort_by_key(|pod| pod.2);
    ("pods.jsonl", pods.into_iter().map(line).collect())
}

/// The unit of both histories, which is the same but for the pods' names.
fn unit(spec: &str, pods: &[Pod<'_>]) -> Value {
    let [mut unit, mut other] = [of_pods(pods), of_lines(pods)]
        .map(|history| only_unit(&replay(&job(spec), history, "-o json").exits(0)));
    for unit in [&mut unit, &mut other] {
        unit.as_object_mut().unwrap().remove("runs");
        for decision in unit["decisions"].as_array_mut().unwrap() {
            for key in ["podName", "failedAt", "retryAfter", "containers"] {
                decision.as_object_mut().unwrap().remove(key);
            }
        }
    }
    assert_eq!(unit, other);
    unit
}

/// The end of a unit, and the counts of its decisions.
fn ended(unit: &Value) -> (Value, Vec<Value>, u64, u64) {
    let runs = |key: &str| unit[key].as_u64().unwrap_or(0);
    (unit["systemOutcome"].clone(), each(unit, "count"), runs("notReached"), runs("cutOff"))
}

/// Failures and successes in turn (kubernetes/kubernetes#96630, #56853): a success takes no place of a later pod, and
/// every failure counts.
#[test]
fn every_failed_pod_counts_whatever_succeeded_before() {
    let spec = "backoffLimit: 2, completions: 4";
    let in_turn: Vec<Pod<'_>> = [("a", 1), ("b", 0), ("c", 1), ("d", 0), ("e", 1)]
        .into_iter()
        .zip(0..)
        .map(|((name, code), n)| (name, n * 100, n * 100 + 10, code))
        .collect();
    let found = unit(spec, &in_turn);
    assert_eq!(
        ended(&found),
        (json!("BackoffLimitExceeded"), vec![json!(1), json!(2), json!(3)], 0, 0)
    );
    // A success resets the wait.
    assert_eq!(each(&found, "delaySeconds"), [json!(10.0), json!(10.0), Value::Null]);
    let mut late = in_turn.clone();
    late.iter_mut().zip([0, 0, 1, 1, 1]).for_each(|(pod, code)| pod.3 = code);
    let found = unit(spec, &late);
    assert_eq!(
        ended(&found),
        (json!("BackoffLimitExceeded"), vec![json!(1), json!(2), json!(3)], 0, 0)
    );
    assert_eq!(each(&found, "delaySeconds"), [json!(10.0), json!(20.0), Value::Null]);
}

/// The replacement of a pod is the next one that starts, though the place of another was free before.
#[test]
fn a_success_that_needs_no_successor_takes_no_replacement() {
    let pods = [("a", 0, 10, 0), ("b", 0, 20, 1), ("c", 40, 50, 0)];
    let found = unit("completions: 2, parallelism: 2", &pods);
    assert_eq!(ended(&found), (json!("Complete"), vec![json!(1)], 0, 0));
    assert_eq!((&found["outcome"], &found["retries"]), (&json!("Succeeded"), &json!(1)));
}

/// A replacement may start before its predecessor has ended, which terminates: neither is lost or waits.
#[test]
fn pods_may_overlap() {
    let pods = [("a", 0, 40, 1), ("b", 10, 60, 0)];
    let found = only_unit(&replay(&job("backoffLimit: 2"), of_pods(&pods), "-o json").exits(0));
    assert_eq!(ended(&found), (json!("Complete"), vec![json!(1)], 0, 0));
    assert_eq!(
        (each(&found, "decision"), &found["contradictions"]),
        (vec![json!("not_replaced")], &json!([]))
    );
}

#[test]
fn pods_side_by_side_overshoot_the_limit() {
    let pods =
        [("a", 0, 10, 1), ("b", 0, 10, 1), ("c", 0, 30, 0), ("d", 10, 40, 0), ("e", 50, 60, 0)];
    let found = unit("completions: 4, parallelism: 3, backoffLimit: 1", &pods);
    // The pod that starts at the end of the Job is not reached, as the one after it.
    assert_eq!(ended(&found), (json!("BackoffLimitExceeded"), vec![json!(2), json!(2)], 2, 1));
    assert_eq!(found["decisions"][1]["counts"]["failed"], 3);
}

/// Failures are looked at before completion.
#[test]
fn a_failure_with_the_last_success_fails_the_job() {
    let pods = [("a", 0, 10, 1), ("b", 0, 10, 0)];
    for (limit, reason) in [(0, "BackoffLimitExceeded"), (1, "Complete")] {
        let spec = format!("completions: 1, parallelism: 2, backoffLimit: {limit}");
        assert_eq!(ended(&unit(&spec, &pods)).0, reason);
    }
}

/// A Job without completions creates no pod once one has succeeded; the others' failures count.
#[test]
fn a_work_queue_ends_with_its_last_pod() {
    let pods = [("a", 0, 10, 0), ("b", 0, 20, 1), ("c", 0, 30, 1), ("d", 45, 50, 0)];
    let found = unit("parallelism: 3, backoffLimit: 2", &pods);
    assert_eq!(ended(&found), (json!("Complete"), vec![json!(1), json!(2)], 1, 0));
    assert_eq!(each(&found, "decision"), ["not_replaced", "not_replaced"]);
    let found = unit("parallelism: 3, backoffLimit: 1", &pods);
    assert_eq!(ended(&found), (json!("BackoffLimitExceeded"), vec![json!(1), json!(2)], 1, 0));
}

/// A success ends the waits: the pod that replaces a failed one starts at once, and that is no contradiction.
#[test]
fn a_success_ends_the_wait_of_other_pods() {
    let pods = [("a", 0, 10, 1), ("b", 0, 12, 0), ("c", 12, 30, 0), ("d", 12, 30, 0)];
    let found = unit("completions: 3, parallelism: 2", &pods);
    assert_eq!(ended(&found).0, "Complete");
    assert_eq!(found["contradictions"], json!([]));
    let early = [("a", 0, 10, 1), ("b", 0, 90, 0), ("c", 12, 30, 0), ("d", 95, 99, 0)];
    let found = unit("completions: 3, parallelism: 2", &early);
    assert_eq!(found["contradictions"].as_array().unwrap().len(), 1);
}

#[test]
fn an_index_of_a_job_without_indexes_is_ignored_with_a_note() {
    let with_index = |n: u32| {
        let line = line(("p", n * 100, n * 100 + 10, i64::from(n < 3)));
        line.replacen('{', &format!("{{\"podIndex\":{},", n % 2), 1)
    };
    let lines: String = (0..4).map(with_index).collect();
    let report =
        replay(&job("backoffLimit: 2, completions: 4"), ("pods.jsonl", lines), "-o json").exits(0);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["jobs"][0]["systemOutcome"], "BackoffLimitExceeded");
    let note = &report["notes"][0];
    assert_eq!(
        (&note["kind"], &note["severity"], &note["count"]),
        (&json!("ignoredIndexes"), &json!("warning"), &json!(4))
    );
    assert!(
        note["message"]
            .as_str()
            .unwrap()
            .starts_with("4 records have a podIndex, which is ignored")
    );
}

/// Dumps without the label of the index, and Jobs whose manifest lacks or has the wrong `completionMode`.
#[test]
fn pods_without_an_index_of_an_indexed_job_are_noted() {
    let note = |manifest: &str, lines: String| {
        let run = replay(manifest, ("pods.json", lines), "-o json").exits(0);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let notes = report["notes"].as_array().unwrap().clone();
        notes.into_iter().find(|note| note["kind"] == "missingIndexes")
    };
    let pods = |set: bool, index: bool| {
        let one = |name: &str| {
            let mut labels =
                json!({"batch.kubernetes.io/job-name": if set { "js-w-0" } else { "myjob" }});
            if set {
                labels["jobset.sigs.k8s.io/jobset-name"] = json!("js");
                labels["jobset.sigs.k8s.io/replicatedjob-name"] = json!("w");
                labels["jobset.sigs.k8s.io/job-index"] = json!("0");
            }
            if index {
                labels["batch.kubernetes.io/job-completion-index"] = json!("0");
            }
            let ended = json!({"exitCode": 1, "startedAt": "2026-10-01T00:00:00Z", "finishedAt": "2026-10-01T00:01:00Z"});
            json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": "ns", "labels": labels},
                "status": {
                    "phase": "Failed", "startTime": "2026-10-01T00:00:00Z",
                    "containerStatuses": [{"name": "main", "state": {"terminated": ended}}],
                },
            })
        };
        json!({"apiVersion": "v1", "kind": "List", "items": [one("a"), one("b")]}).to_string()
    };
    let indexed = job("backoffLimit: 6, completionMode: Indexed, completions: 2");
    // A child Job is Indexed by default.
    for (manifest, is_set) in [(indexed, false), (set("failurePolicy: {maxRestarts: 1}"), true)] {
        let found = note(&manifest, pods(is_set, false)).expect("a note");
        assert_eq!(
            (&found["severity"], &found["count"]),
            (&json!("warning"), &json!(2)),
            "{is_set}"
        );
        assert!(found["message"].as_str().unwrap().starts_with("2 pods have no completion index"));
        assert_eq!(note(&manifest, pods(is_set, true)), None, "{is_set}");
    }
    assert_eq!(note(&job("backoffLimit: 6, completions: 2"), pods(false, false)), None);
}

/// A child Job of a set, which restarts with pods of its own.
#[test]
fn a_set_restarts_a_job_without_indexes() {
    let manifest = set("failurePolicy: {maxRestarts: 1}").replace(
        "backoffLimit: 0,",
        "backoffLimit: 0, completionMode: NonIndexed, completions: 2, parallelism: 2,",
    );
    let pods = [("js-a", 0, 10, 1), ("js-b", 0, 90, 0), ("js-c", 12, 30, 0), ("js-d", 12, 40, 0)];
    let found = only_unit(&replay(&manifest, of_pods(&pods), "-o json").exits(0));
    assert_eq!((&found["systemOutcome"], &found["cutOff"]), (&json!("Completed"), &json!(1)));
    assert_eq!(each(&found, "decision"), ["fail_backoff_limit", "restart_jobset"]);
    let pods = [("js-a", 0, 10, 1), ("js-b", 0, 90, 0), ("js-c", 12, 30, 0), ("js-d", 12, 40, 1)];
    let found = only_unit(&replay(&manifest, of_pods(&pods), "-o json").exits(0));
    assert_eq!(found["systemOutcome"], "ReachedMaxRestarts");
}

/// The namespace of a job may be left out where one job alone has the name.
#[test]
fn a_job_is_found_by_the_last_part_of_its_id() {
    let pods = [("a", 0, 10, 1), ("b", 30, 40, 0)];
    let whole = replay(&job("backoffLimit: 2"), of_lines(&pods), "--job ns/myjob").exits(0);
    let part = replay(&job("backoffLimit: 2"), of_lines(&pods), "--job myjob").exits(0);
    assert_eq!(whole.stdout, part.stdout);
    replay(&job("backoffLimit: 2"), of_lines(&pods), "--job job").exits(3);
    let two = line(pods[0]) + &line(pods[1]).replace("ns/", "other/");
    let run = replay(&job("backoffLimit: 2"), ("pods.jsonl", two), "--job myjob").exits(3);
    assert!(run.stderr.contains("2 jobs of the history are called `myjob`"), "{run}");
    assert!(run.stderr.contains("`ns/myjob` or `other/myjob`"), "{run}");
}

#[test]
fn pods_without_times_stop_no_other_pods() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "set.yaml",
        "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js, namespace: ns}
spec:
  failurePolicy: {maxRestarts: 3}
  replicatedJobs:
  - name: w
    replicas: 1
    template:
      spec:
        parallelism: 3
        completionMode: NonIndexed
        completions: 3
        backoffLimit: 0
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
",
    );
    let line = |name: &str, outcome: &str, times: Option<(u32, u32)>| {
        let times = times.map(|(start, end)| {
            format!(r#","startedAt":"2026-01-01T00:0{start}:00Z","finishedAt":"2026-01-01T00:0{end}:00Z""#)
        });
        let times = times.unwrap_or_default();
        format!(
            r#"{{"jobId":"ns/js","jobName":"js-w-0","replicatedJob":"w","podName":"{name}","outcome":"{outcome}"{times}}}"#
        ) + "\n"
    };
    let rest = line("a", "Failed", Some((0, 3)))
        + &line("b", "Succeeded", Some((0, 5)))
        + &line("d", "Succeeded", Some((7, 8)))
        + &line("e", "Succeeded", Some((7, 9)))
        + &line("f", "Succeeded", Some((7, 9)));
    for times in [Some((0, 1)), None] {
        sandbox.file("h.jsonl", line("z", "Succeeded", times) + &rest);
        let run = sandbox.run("simulate -f set.yaml --history h.jsonl --timelines all").exits(0);
        assert!(run.stdout.contains("1 recorded run was cut off"), "{times:?}: {run}");
        assert!(!run.stdout.contains("Contradiction"), "{times:?}: {run}");
    }
}
