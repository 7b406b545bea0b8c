//! Histories given as policies, policies given as histories, and files with thousands of findings of one kind.
//!
//! Holds cli.md Exit codes, Diagnostics.

use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};
use std::fmt::Write;

const POLICY: &str = "\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: a}
spec:
  defaultAction: Fail
  retryLimit: 3
  rules:
  - {action: Retry, onExitCodes: {operator: In, values: [1]}}
";

fn pod(number: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("a-{number}"), "namespace": "x"},
        "status": {"phase": "Failed"}})
}

fn job() -> Value {
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}}}})
}

fn list(kind: &str, items: &[Value]) -> String {
    serde_json::to_string_pretty(&json!({"apiVersion": "v1", "kind": kind, "items": items}))
        .unwrap()
}

/// Histories of every source, each with words that name it.
fn histories() -> Vec<(&'static str, String, &'static str)> {
    let pods: Vec<Value> = (0..300).map(pod).collect();
    let bare: Vec<Value> = (0..3)
        .map(|number| {
            let mut pod = pod(number);
            pod.as_object_mut().unwrap().remove("kind");
            pod
        })
        .collect();
    let line = r#"{"jobId":"a","outcome":"Failed","finishedAt":"1m"}"#;
    let yaml = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n";
    vec![
        ("pods.json", list("List", &pods), "Pods"),
        ("podlist.json", list("PodList", &bare), "Pods"),
        ("pod.json", pod(1).to_string(), "Pods"),
        ("pods.yaml", yaml.to_owned(), "Pods"),
        ("watch.json", json!({"type": "ADDED", "object": pod(1)}).to_string(), "Pods"),
        ("lines.jsonl", format!("{line}\n{line}\n"), "JSON Lines"),
        ("lines.json", line.to_owned(), "JSON Lines"),
        ("runs.json", format!("[{line},{line}]"), "a list of runs"),
        ("sacct.txt", "JobID|State|ExitCode\n1|FAILED|1:0\n".to_owned(), "Slurm"),
        ("sacct.csv", "JobID,State,ExitCode\n1,FAILED,1:0\n".to_owned(), "Slurm"),
        ("lookout.json", r#"{"jobs":[{"jobId":"a","queue":"q","runs":[]}]}"#.to_owned(), "Lookout"),
        (
            "events.json",
            r#"{"result":{"id":"1","message":{"queued":{}}}}"#.to_owned(),
            "Armada's events",
        ),
    ]
}

fn is_told(run: &Run, title: &str) {
    let told = run.stdout.clone() + &run.stderr;
    assert!(told.contains("this is a history, not a policy: "), "{run}");
    assert!(told.contains(title) && told.contains("--history"), "{run}");
    assert_eq!(told.matches("error[").count(), 1, "{run}");
}

#[test]
fn a_history_given_as_a_policy_is_one_finding_of_every_command() {
    for (name, text, title) in histories() {
        let sandbox = Sandbox::new();
        sandbox.file(name, text).file("policy.yaml", POLICY);
        for line in [
            "validate F",
            "validate policy.yaml F",
            "lint F",
            "convert F --to v1beta1",
            "simulate -f F --history policy.yaml",
            "simulate -f F --history F",
            "explain decision -f F --failure exitCode=1",
            "apply F --dry-run client",
        ] {
            is_told(&sandbox.run(&line.replace('F', name)).exits(3), title);
        }
        for (line, documents, files) in [("", 0, "1 file"), ("policy.yaml", 1, "2 files")] {
            let mut run = sandbox.run(&format!("validate {line} {name}")).stdout;
            let summary = run.split_off(run.trim_end().rfind('\n').unwrap() + 1);
            assert!(summary.contains(&format!("{documents} document")), "{summary}");
            assert!(summary.contains(&format!(" in {files}: 1 error, ")), "{summary}");
            assert!(summary.ends_with("; 1 history not checked\n"), "{summary}");
            for command in ["validate", "lint"] {
                let report = sandbox.run(&format!("{command} {line} {name} -o json")).json();
                let count = |key: &str| report["summary"][key].as_u64();
                assert_eq!(count("histories"), Some(1), "{report}");
                assert_eq!(count("documents"), Some(documents), "{report}");
            }
        }
        let skipped = sandbox.run(&format!("validate policy.yaml {name} --ignore-other-kinds"));
        assert!(!skipped.stdout.contains("this is a history"), "{skipped}");
        // A directory may hold anything.
        let walked = sandbox.run("validate .");
        assert!(!walked.stdout.contains("this is a history"), "{walked}");
    }
}

#[test]
fn a_document_with_a_history_is_no_policy() {
    let sandbox = Sandbox::new();
    let history = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec: {jobs: [{jobId: a, runs: [{outcome: Failed}]}]}\n";
    sandbox.file("h.yaml", history).file("policy.yaml", POLICY);
    sandbox.file("both.yaml", format!("{POLICY}---\n{history}"));
    for line in [
        "simulate -f h.yaml --history policy.yaml",
        "explain decision -f h.yaml --failure exitCode=1",
    ] {
        is_told(&sandbox.run(line).exits(3), "a FailureHistory");
    }
    // It is a document like any other beside policies, and alone for `validate`.
    sandbox.run("validate h.yaml").exits(0);
    sandbox.run("simulate -f both.yaml --history h.yaml").exits(0);
}

/// A workflow in JSON is a policy where one is expected, with or without its status, and a history for `--history`.
#[test]
fn a_manifest_with_a_status_is_a_policy_and_a_history() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/workflow.json"]);
    let dump = std::fs::read(super::sandbox::root().join("examples/argo/workflow.json")).unwrap();
    let mut dump: Value = serde_json::from_slice(&dump).unwrap();
    dump["items"][0]["spec"] = json!({"entrypoint": "fetch",
        "templates": [{"name": "fetch", "retryStrategy": {"limit": 2}, "container": {"image": "x"}},
            {"name": "train", "retryStrategy": {"limit": 1}, "container": {"image": "x"}}]});
    let mut bare = dump["items"][0].clone();
    bare.as_object_mut().unwrap().remove("status");
    for text in [bare.to_string(), dump["items"][0].to_string(), dump.to_string()] {
        sandbox.file("f.json", &text).file("d/f.json", &text);
        for file in ["f.json", "d"] {
            for line in [
                "validate F",
                "lint F",
                "convert F --to v1",
                "simulate -f F --history argo/workflow.json",
            ] {
                let run = sandbox.run(&line.replace('F', file));
                assert!(run.code < 2, "{text}: {run}");
                assert!(!(run.stdout + &run.stderr).contains("this is a history"), "{text}");
            }
        }
        let piped = sandbox.run_on("validate -f -", &text);
        assert_eq!(piped.code, 0, "{piped}");
    }
    sandbox.run("simulate -f f.json --history f.json").exits(0);
}

#[test]
fn documents_that_look_like_histories_are_documents() {
    let policy = json!({"apiVersion": "armadaproject.io/v1beta1", "kind": "RetryPolicy", "name": "a",
        "retryLimit": 1, "defaultAction": "Fail", "rules": [{"action": "Retry", "onCategory": "a"}]});
    let headless = json!({"name": "a", "retryLimit": 1, "rules": []});
    for (text, code) in [
        (policy.to_string(), 0),
        (serde_json::to_string_pretty(&policy).unwrap(), 0),
        (list("List", &[job()]), 0),
        (job().to_string(), 0),
        (headless.to_string(), 3),
        (list("List", &[pod(1), job()]), 0),
        (json!({"error": "no", "code": 5}).to_string(), 3),
        ("jobs: []\nkind: FailureHistory\n".to_owned(), 3),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("f.json", &text);
        let run = sandbox.run("validate f.json");
        assert!(!run.stdout.contains("this is a history"), "{text}: {run}");
        assert_eq!(run.code, code, "{text}: {run}");
    }
}

#[test]
fn a_policy_given_as_a_history_is_named() {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", POLICY).file("job.json", job().to_string());
    sandbox.file("job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n");
    sandbox.file("jobs.json", list("List", &[job(), job()]));
    sandbox.file(
        "set.yaml",
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n",
    );
    for (name, told) in [
        ("policy.yaml", "a RetryPolicy is not a history"),
        ("job.json", "a Job is not a history"),
        ("job.yaml", "a Job is not a history"),
        ("set.yaml", "a JobSet is not a history"),
        ("jobs.json", "2 Jobs or JobSets, which `-f` takes, were skipped"),
    ] {
        for line in ["simulate -f policy.yaml --history F", "lint policy.yaml --against F"] {
            let refused = sandbox.run(&line.replace('F', name)).exits(3);
            assert!(refused.stderr.contains(told), "{refused}");
        }
    }
    let refused = sandbox.run("lint policy.yaml --against policy.yaml").exits(3);
    for line in ["`simulate -f policy.yaml --history ", "`lint policy.yaml --against "] {
        assert!(refused.stderr.contains(line), "{refused}");
    }
}

#[test]
fn of_many_findings_alike_the_first_are_printed_and_json_has_all() {
    let sandbox = Sandbox::new();
    let mut text = POLICY.split("  - {").next().unwrap().to_owned();
    for number in 0..990 {
        writeln!(text, "  - {{action: Retry, onExitCode{number}: 1, onConditions: [Evicted]}}")
            .unwrap();
    }
    sandbox.file("p.yaml", text);
    let human = sandbox.run("validate p.yaml").exits(3).stdout;
    assert!(
        human.contains("\nerror[RP005]: and 970 more like this; `--error-format json`"),
        "{human}"
    );
    assert!(human.ends_with("990 errors, 0 warnings\n"), "{human}");
    assert_eq!(human.matches("error[").count(), 21);
    let short = sandbox.run("validate p.yaml --error-format short").exits(3).stdout;
    assert_eq!(short.lines().count(), 22, "{short}");
    assert!(short.lines().nth(20).unwrap().contains("and 970 more like this"), "{short}");
    let lines = sandbox.run("validate p.yaml --error-format json").exits(3).stdout;
    assert_eq!(lines.lines().count(), 990);
    let report = sandbox.run("validate p.yaml -o json").exits(3).json();
    assert_eq!(report["items"].as_array().unwrap().len(), 990);
    let github = sandbox.run("validate p.yaml --error-format github").exits(3).stdout;
    assert_eq!(github.matches("::error ").count(), 990);
}

#[test]
fn policies_given_as_a_configuration_or_a_table_are_one_error() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", POLICY).file("h.jsonl", "");
    for (line, expected) in [
        (
            "simulate -f p.yaml --history h.jsonl --allow-empty --executor-config p.yaml",
            "an executor's configuration",
        ),
        ("validate p.yaml --executor-config p.yaml", "an executor's configuration"),
        (
            "explain category --executor-config p.yaml --failure exitCode=1",
            "an executor's configuration",
        ),
        (
            "simulate -f p.yaml --history h.jsonl --allow-empty --scheduler-config p.yaml",
            "a scheduler configuration",
        ),
        (
            "simulate -f p.yaml --history h.jsonl --allow-empty --disruptions p.yaml",
            "a table of disruptions",
        ),
    ] {
        let run = sandbox.run(line).exits(3);
        let output = format!("{}{}", run.stdout, run.stderr);
        assert!(output.contains(&format!("this is a RetryPolicy, not {expected}")), "{run}");
        assert!(output.contains("give the RetryPolicy with -f"), "{run}");
        assert_eq!(output.matches("error[").count(), 1, "{run}");
    }
}

#[test]
fn inputs_of_simulations_at_another_flag_are_named_with_theirs() {
    let sandbox = super::cluster::sandbox("two-teams");
    let (cluster, workload) = ("cluster.yaml", "workload.yaml");
    let state = "jobs: [{name: a, queue: q, req: {cpu: 1}}]\nqueues: [{name: q}]\n";
    let scheduler = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 3}}\n";
    sandbox.file("state.yaml", state).file("scheduler.yaml", scheduler).file("policy.yaml", POLICY);
    sandbox.file("h.jsonl", "{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n");
    let simulated = |cluster: &str, workload: &str| {
        format!("simulate --cluster {cluster} --workload {workload}")
    };
    let policy = "-f policy.yaml --history h.jsonl";
    for (line, expected, flags) in [
        (
            simulated(workload, cluster),
            vec!["a workload file, not a cluster file", "a cluster file, not a workload file"],
            vec!["--workload", "--cluster"],
        ),
        (
            simulated(cluster, cluster),
            vec!["a cluster file, not a workload file"],
            vec!["--cluster"],
        ),
        (
            simulated("scheduler.yaml", workload),
            vec!["a scheduler configuration, not a cluster file"],
            vec!["--scheduler-config"],
        ),
        (
            simulated(cluster, "state.yaml"),
            vec!["a state file, not a workload file"],
            vec!["--state"],
        ),
        (
            simulated(cluster, "h.jsonl"),
            vec!["a history (JSON Lines), not a workload file"],
            vec!["--history"],
        ),
        (simulated("policy.yaml", workload), vec!["a RetryPolicy, not a cluster file"], vec!["-f"]),
        (
            format!("explain round --state {cluster} --cluster {cluster}"),
            vec!["a cluster file, not a state file"],
            vec!["--cluster"],
        ),
        (
            format!("explain category --executor-config {workload} --pod x.yaml"),
            vec!["a workload file, not an executor's configuration"],
            vec!["--workload"],
        ),
        (
            format!("simulate {policy} --executor-config {workload}"),
            vec!["a workload file, not an executor's configuration"],
            vec!["--workload"],
        ),
        (
            format!("simulate {policy} --scheduler-config {workload}"),
            vec!["a workload file, not a scheduler configuration"],
            vec!["--workload"],
        ),
        (
            format!("lint policy.yaml --scheduler-config {cluster}"),
            vec!["a cluster file, not a scheduler configuration"],
            vec!["--cluster"],
        ),
        (
            format!("simulate -f {workload} --history h.jsonl"),
            vec!["a workload file, not a policy"],
            vec!["--workload"],
        ),
        (
            format!("simulate -f policy.yaml --history {workload}"),
            vec!["a workload file, not a history"],
            vec!["--workload"],
        ),
    ] {
        let run = sandbox.run(&line).exits(3);
        let told = run.stdout.clone() + &run.stderr;
        for expected in &expected {
            assert!(told.contains(&format!("this is {expected}")), "{run}");
        }
        for flag in flags {
            assert!(told.contains(&format!(" with {flag};")), "{run}");
        }
        assert_eq!(told.matches("error[").count(), expected.len(), "{run}");
    }
    // They are inputs of `validate`.
    sandbox.run(&format!("validate {cluster} {workload} scheduler.yaml")).exits(0);
}
