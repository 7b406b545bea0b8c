//! What lint finds in every policy of `examples`, `testdata` and the vectors. Each line of the snapshot was read, and is
//! one of these:
//!
//! - RP115 and RP122 are of severity `info`: examples of clusters retry by default on purpose, to show what that costs,
//!   and policies of examples are attached to queues by a later command.
//! - RP114 in `examples/jobset/fail-jobset.yaml`, an example of the JobSet project: a pod that is evicted fails the set.
//!   That is what the example does. So do two vectors of Kubernetes' tests of matching, `NotIn` rules that fail the Job.
//! - RP130 and RP132, of severity `info`: policies of examples and tests have no backoff, and some retry OOM kills with the
//!   same memory.
//! - RP116: explicit Fail rules in a policy of a test and in a vector, which name a failure in reports.
//! - RP101 in two vectors: Armada's own test that the first matching rule wins has a second one that matches the same,
//!   and JobSet's test of the default names of rules has rules without conditions.
//!
//! Holds cli.md Commands.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All YAML and JSON files below a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        // These are wrong on purpose.
        let is_wrong = ["lints", "diagnostics", "broken"];
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !is_wrong.contains(&name) {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|it| ending == *it))
        {
            found.push(path);
        }
    }
}

fn has_policy(text: &str) -> bool {
    ["RetryPolicy", "RetryProfile", "JobSet", "Job"].iter().any(|kind| {
        text.contains(&format!("kind: {kind}\n")) || text.contains(&format!("\"kind\": \"{kind}\""))
    })
}

/// Adds a line for each finding of a lint.
fn add(out: &mut String, name: &str, report: &Value) {
    for item in report["items"].as_array().expect("a report") {
        let id = item["id"].as_str().unwrap();
        if id.starts_with("RP1") {
            let (severity, message) = (&item["severity"], item["message"].as_str().unwrap());
            let severity = severity.as_str().unwrap();
            let _ = writeln!(out, "{name}:{} {severity}[{id}] {message}", item["line"]);
        }
    }
}

/// The JobSet or Job with the policy of a vector, and with what the policy names.
fn manifest(case: &Value) -> Value {
    let policy = &case["policy"];
    let names = |list: &Value, path: &[&str]| -> Vec<Value> {
        let items = list.as_array().into_iter().flatten();
        let named = items.filter_map(|item| path.iter().try_fold(item, |item, key| item.get(key)));
        named.flat_map(|it| it.as_array().cloned().unwrap_or_else(|| vec![it.clone()])).collect()
    };
    let pod = |containers: Vec<Value>| {
        let containers = containers.iter().map(|name| json!({"name": name, "image": "x"}));
        json!({"spec": {"restartPolicy": "Never", "containers": containers.collect::<Vec<_>>()}})
    };
    let metadata = json!({"name": "x"});
    if case["system"] == "jobset" {
        let mut jobs = names(&policy["rules"], &["targetReplicatedJobs"]);
        jobs.extend(names(&case["input"]["replicatedJobs"], &["name"]));
        jobs.push(json!("other"));
        jobs.sort_by_key(Value::to_string);
        jobs.dedup();
        let template = json!({"spec": {"template": pod(vec![json!("main")])}});
        let jobs =
            jobs.iter().map(|name| json!({"name": name, "replicas": 1, "template": template}));
        let spec = json!({"failurePolicy": policy, "replicatedJobs": jobs.collect::<Vec<_>>()});
        return json!({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec});
    }
    let rules = &policy["podFailurePolicy"]["rules"];
    let mut containers = names(rules, &["onExitCodes", "containerName"]);
    containers.push(json!("other"));
    containers.sort_by_key(Value::to_string);
    containers.dedup();
    let mut spec = policy.clone();
    spec["template"] = pod(containers);
    spec.as_object_mut().unwrap().remove("restartPolicy");
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})
}

#[test]
fn findings_in_all_policies_are_read_by_a_person() {
    let sandbox = Sandbox::new();
    let (mut paths, mut out, mut policies) = (Vec::new(), String::new(), 0);
    files(&root().join("examples"), &mut paths);
    files(&root().join("testdata"), &mut paths);
    // Their findings are expected in their `cases.yaml`.
    paths.retain(|path| !path.starts_with(root().join("testdata/reports")));
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if has_policy(&text) {
            policies += 1;
            let line =
                format!("lint -o json --feature-gates RestartJob=true -f {}", path.display());
            let run = sandbox.run(&line);
            // Without a manifest of Kubernetes the gate is refused.
            let run = if run.code == 2 {
                sandbox.run(&line.replace("--feature-gates RestartJob=true", ""))
            } else {
                run
            };
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            if !run.stdout.is_empty() {
                add(&mut out, &name, &run.json());
            }
        }
    }
    let vectors = root().join("testdata/vectors/armada_v1beta1.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(vectors).unwrap()).unwrap();
    for case in vectors.as_array().unwrap() {
        policies += 1;
        let mut document = case["policy"].clone();
        document["apiVersion"] = json!("armadaproject.io/v1beta1");
        document["kind"] = json!("RetryPolicy");
        let run = sandbox.run_on("lint -o json -f -", document.to_string());
        add(&mut out, &format!("vector `{}`", case["name"].as_str().unwrap()), &run.json());
    }
    let vectors = root().join("testdata/vectors/jobset_and_job.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(vectors).unwrap()).unwrap();
    for case in vectors.as_array().unwrap().iter().filter(|case| case["policy"].is_object()) {
        policies += 1;
        let gates =
            if case["system"] == "jobset" { " --feature-gates RestartJob=true" } else { "" };
        let run = sandbox.run_on(&format!("lint -o json -f -{gates}"), manifest(case).to_string());
        add(&mut out, &format!("vector `{}`", case["id"].as_str().unwrap()), &run.json());
    }
    let _ = writeln!(out, "{policies} files and vectors");
    insta::assert_snapshot!("lint_corpus", out);
}
