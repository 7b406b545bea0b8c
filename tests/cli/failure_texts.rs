//! What reports call a failure: the part of the pod by which the deciding rule matched, and why another did not.
//!
//! Holds answer.md 3.

use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

const TIMES: [&str; 2] = ["2026-05-04T10:00:00Z", "2026-05-04T10:05:00Z"];

fn ended(name: &str, code: i64, reason: &str) -> Value {
    let terminated =
        json!({"exitCode": code, "reason": reason, "startedAt": TIMES[0], "finishedAt": TIMES[1]});
    json!({"name": name, "state": {"terminated": terminated}})
}

/// A pod of the Job `j` in this phase, with its containers and init containers.
fn pod(phase: &str, main: &[Value], init: &[Value], conditions: &Value) -> String {
    let labels = json!({"batch.kubernetes.io/job-name": "j", "batch.kubernetes.io/job-completion-index": "0",
        "jobset.sigs.k8s.io/jobset-name": "s", "jobset.sigs.k8s.io/replicatedjob-name": "w",
        "jobset.sigs.k8s.io/job-index": "0", "jobset.sigs.k8s.io/restart-attempt": "0"});
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "j-x", "labels": labels, "creationTimestamp": TIMES[0]},
        "spec": {"containers": [{"name": "main"}, {"name": "worker"}], "initContainers": [{"name": "proxy"}]},
        "status": {"phase": phase, "startTime": TIMES[0], "conditions": conditions,
            "containerStatuses": main, "initContainerStatuses": init}});
    json!({"kind": "List", "items": [pod]}).to_string()
}

fn job(rules: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:\n  backoffLimit: 3\n  \
         podFailurePolicy:\n    rules: {rules}\n  template:\n    spec:\n      restartPolicy: Never\n      \
         initContainers: [{{name: proxy, image: i, restartPolicy: Always}}]\n      \
         containers: [{{name: main, image: i}}, {{name: worker, image: i}}]\n"
    )
}

fn policy(rules: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  rules: {rules}\n"
    )
}

fn replay(policy: &str, pods: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy).file("pods.json", pods);
    let run = sandbox.run("simulate -f policy.yaml --history pods.json --timelines all -o json");
    run.exits(0)
}

fn failure(run: &Run) -> String {
    run.json()["jobs"][0]["decisions"][0]["failure"].as_str().expect("a failure").to_owned()
}

/// As in kubernetes/kubernetes#111113: a rule on codes also reads sidecars.
#[test]
fn a_failure_is_called_by_what_the_rule_of_a_job_matched() {
    let (plain, oom) = ("Error", "OOMKilled");
    let target =
        json!([{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}]);
    let (none, custom) = (json!([]), json!([{"type": "Config", "status": "False"}]));
    let codes = |operator: &str, values: &str, name: &str| {
        let name = if name.is_empty() { String::new() } else { format!("containerName: {name}, ") };
        format!(
            "[{{action: FailJob, onExitCodes: {{{name}operator: {operator}, values: {values}}}}}]"
        )
    };
    let on_condition =
        |condition: &str| format!("[{{action: FailJob, onPodConditions: [{{{condition}}}]}}]");
    for (rules, main, init, conditions, expected) in [
        (
            codes("NotIn", "[0, 75]", ""),
            vec![("main", 75, plain)],
            vec![("proxy", 137, plain)],
            &none,
            "exit 75, proxy 137",
        ),
        (
            codes("In", "[75]", ""),
            vec![("main", 75, plain)],
            vec![("proxy", 137, plain)],
            &none,
            "exit 75",
        ),
        (
            codes("In", "[42]", "worker"),
            vec![("main", 1, plain), ("worker", 42, plain)],
            vec![],
            &none,
            "exit 1, worker 42",
        ),
        (
            codes("In", "[1]", "main"),
            vec![("main", 1, plain), ("worker", 42, plain)],
            vec![],
            &none,
            "exit 1",
        ),
        (
            codes("In", "[143]", ""),
            vec![("main", 143, plain)],
            vec![],
            &target,
            "DisruptionTarget (EvictionByEvictionAPI), main 143",
        ),
        (
            on_condition("type: DisruptionTarget"),
            vec![("main", 143, plain)],
            vec![],
            &target,
            "DisruptionTarget (EvictionByEvictionAPI)",
        ),
        (
            on_condition("type: DisruptionTarget"),
            vec![("main", 137, oom)],
            vec![],
            &target,
            "OOMKilled (137), DisruptionTarget",
        ),
        (
            on_condition("type: Config, status: \"False\""),
            vec![("main", 1, plain)],
            vec![],
            &custom,
            "exit 1, Config False",
        ),
        (codes("In", "[137]", ""), vec![("main", 137, oom)], vec![], &none, "OOMKilled (137)"),
        (
            codes("In", "[9]", ""),
            vec![("main", 1, plain)],
            vec![("proxy", 137, plain)],
            &none,
            "exit 1",
        ),
    ] {
        let list = |all: Vec<(&str, i64, &str)>| -> Vec<Value> {
            all.into_iter().map(|(name, code, reason)| ended(name, code, reason)).collect()
        };
        let run = replay(&job(&rules), &pod("Failed", &list(main), &list(init), conditions));
        assert_eq!(failure(&run), expected, "{rules}\n{run}");
    }
}

#[test]
fn a_failure_is_called_by_the_container_that_a_rule_of_armadas_names() {
    let pods = |reason: &str| {
        pod(
            "Failed",
            &[ended("main", 1, "Error"), ended("worker", 42, reason)],
            &[ended("proxy", 7, "Error")],
            &json!([]),
        )
    };
    for (rule, reason, expected) in [
        (
            "containerName: worker, onExitCodes: {operator: In, values: [42]}",
            "Error",
            "exit 1, worker 42 Error",
        ),
        (
            "containerName: worker, onConditions: [OOMKilled]",
            "OOMKilled",
            "exit 1, worker 42 OOMKilled",
        ),
        ("containerName: main, onExitCodes: {operator: In, values: [1]}", "Error", "exit 1"),
        (
            "includeInitContainers: true, onExitCodes: {operator: In, values: [7]}",
            "Error",
            "exit 1, proxy 7 Error",
        ),
        ("onExitCodes: {operator: In, values: [1]}", "Error", "exit 1"),
        ("onExitCodes: {operator: In, values: [3]}", "Error", "exit 1"),
    ] {
        let run = replay(&policy(&format!("[{{action: Retry, {rule}}}]")), &pods(reason));
        assert_eq!(failure(&run), expected, "{rule}\n{run}");
    }
}

/// Why a rule on messages does not match a run that has one.
#[test]
fn a_message_that_a_rule_does_not_read_is_named() {
    let rules = "[{action: Retry, onTerminationMessage: {pattern: x}}, \
                 {action: Retry, containerName: worker, onTerminationMessage: {pattern: x}}]";
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy(rules));
    for (failure, expected) in [
        (
            "exitCode=1 --failure message=y",
            ["no message matches", "container `worker` has no message"],
        ),
        ("exitCode=1", ["there is no message", "there is no message"]),
        ("outcome=Preempted --failure message=x", ["a run that is Preempted do not count"; 2]),
        (
            "init=true --failure exitCode=1 --failure message=x",
            ["of the init container", "container `worker` has no message"],
        ),
    ] {
        let run =
            sandbox.run(&format!("explain decision -f policy.yaml --failure {failure}")).exits(0);
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in expected {
            assert!(text.contains(part), "{part}\n{run}");
        }
    }
}

/// As in kubernetes/kubernetes#116042 and #131530: the main process goes on without its child.
#[test]
fn pods_that_succeed_after_an_oom_kill_are_noted() {
    let oom = pod("Succeeded", &[ended("main", 0, "OOMKilled")], &[], &json!([]));
    let plain = pod("Succeeded", &[ended("main", 0, "Completed")], &[], &json!([]));
    let rules = "[{action: Retry, onConditions: [OOMKilled]}]";
    let codes = "[{action: FailJob, onExitCodes: {operator: In, values: [3]}}]";
    let set = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\nspec:\n  replicatedJobs:\n  \
               - {name: w, template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}}\n";
    for policy in [policy(rules), job(codes), set.to_owned()] {
        let survived =
            |pods: &str| replay(&policy, pods).json()["summary"]["survivedMemory"].clone();
        assert_eq!((survived(&oom), survived(&plain)), (json!(1), Value::Null), "{policy}");
        let run = replay(&policy, &oom);
        let report = run.json();
        let mut all = report["notes"].as_array().expect("notes").iter();
        let note = all.find(|note| note["kind"] == "survivedMemory");
        let message = note.and_then(|note| note["message"].as_str()).unwrap_or_default();
        assert!(
            message.starts_with("1 run succeeded although a container of it was OOMKilled"),
            "{run}"
        );
    }
}

/// RP114 does not propose a rule that is there.
#[test]
fn a_rule_on_disruptions_that_comes_later_is_to_be_moved_up() {
    let codes = "{action: FailJob, onExitCodes: {operator: NotIn, values: [0, 75]}}";
    let named =
        "{action: FailJob, onExitCodes: {containerName: main, operator: NotIn, values: [0, 75]}}";
    let ignore = "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}";
    let count = "{action: Count, onPodConditions: [{type: DisruptionTarget}]}";
    let (one, retry) = (
        "{action: Fail, onExitCodes: {operator: In, values: [143]}}",
        "{action: Retry, onConditions: [Preempted, Evicted]}",
    );
    let half = "{action: Retry, onConditions: [Preempted]}";
    for (document, expected, absent) in [
        (job(&format!("[{codes}, {ignore}]")), "move rule 1 before it", "put a rule"),
        (job(&format!("[{codes}, {count}, {ignore}]")), "move rule 2 before it", "put a rule"),
        (job(&format!("[{codes}, {ignore}]")), "sidecar `proxy`", "put a rule"),
        (job(&format!("[{named}, {ignore}]")), "move rule 1 before it", "sidecar"),
        (job(&format!("[{codes}, {count}]")), "put a rule before it", "move rule"),
        (policy(&format!("[{one}, {retry}]")), "move `p[1]` before it", "put a rule"),
        (policy(&format!("[{one}, {half}]")), "put a rule before it", "move `p"),
    ] {
        let run = Sandbox::new().run_on("lint -f -", &document);
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected) && !text.contains(absent), "{document}\n{run}");
    }
}
