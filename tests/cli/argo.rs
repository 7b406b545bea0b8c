//! Workflows of Argo as `kubectl` prints them, as histories.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Sandbox, root};
use serde_json::{Value, json};

const FLAGS: &str = "simulate -f argo/train.yaml --timelines all -o json --history";

fn dump() -> Value {
    let text = std::fs::read(root().join("examples/argo/workflow.json")).expect("an example");
    serde_json::from_slice(&text).expect("JSON")
}

fn nodes(dump: &mut Value) -> &mut Value {
    &mut dump["items"][0]["status"]["nodes"]
}

/// The decision that ends each node is what the retry node has on record: Argo's own phase and message.
#[test]
fn decisions_are_those_that_retry_nodes_record() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml", "argo/workflow.json"]);
    let report = sandbox.run(&format!("{FLAGS} argo/workflow.json")).exits(0).json();
    let jobs = report["jobs"].as_array().expect("jobs");
    let mut dump = dump();
    let retries = nodes(&mut dump).as_object().expect("nodes").values();
    let retries: Vec<&Value> = retries.filter(|node| node["type"] == "Retry").collect();
    assert_eq!(jobs.len(), retries.len());
    for node in retries {
        let id = format!("ml/{}", node["name"].as_str().expect("a name"));
        let job = jobs.iter().find(|job| job["jobId"] == id.as_str()).expect("the node");
        let decisions = job["decisions"].as_array().expect("decisions");
        assert_eq!(job["outcome"], node["phase"], "{id}");
        let Some(message) = node.get("message") else { continue };
        let last = decisions.last().expect("a decision");
        assert_eq!((&last["nodeMessage"], &last["template"]), (message, &node["templateName"]));
    }
}

/// Attempts, lists and single workflows are the same records as the lines of the example.
#[test]
fn a_dump_is_read_as_its_lines_are() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml", "argo/workflow.json"]);
    let lines = include_str!("../../examples/argo/train.jsonl");
    let lines = lines.replace("ml/train.fetch", "ml/train-7k2p[0].fetch");
    sandbox.file("lines.jsonl", lines.replace("ml/train.train", "ml/train-7k2p[1].train"));
    let mut single = dump();
    // Releases before 3.5 have no `nodeFlag`.
    for node in nodes(&mut single).as_object_mut().expect("nodes").values_mut() {
        node.as_object_mut().expect("a node").remove("nodeFlag");
    }
    sandbox.file("single.json", single["items"][0].to_string());
    let jobs = |file: &str| sandbox.run(&format!("{FLAGS} {file}")).exits(0).json()["jobs"].clone();
    let expected = jobs("lines.jsonl");
    assert_eq!(jobs("argo/workflow.json"), expected);
    assert_eq!(jobs("single.json"), expected);
}

#[test]
fn nodes_without_a_decision_are_not_runs_or_are_cancelled() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml"]);
    let mut dump = dump();
    let all = nodes(&mut dump);
    all["train-7k2p-1100"]["children"].as_array_mut().expect("a list").push(json!("hook"));
    all["hook"] = json!({"id": "hook", "name": "train-7k2p[0].fetch.hooks.running", "type": "Pod",
        "phase": "Failed", "templateName": "", "nodeFlag": {"hooked": true}});
    all["train-7k2p-1130"]["phase"] = json!("Running");
    all["train-7k2p-1130"]["finishedAt"] = Value::Null;
    all["train-7k2p-1100"]["phase"] = json!("Running");
    all["train-7k2p-2210"]["message"] = json!("Stopped with strategy 'Terminate'");
    sandbox.file("dump.json", dump.to_string());
    let report = sandbox.run(&format!("{FLAGS} dump.json")).exits(0).json();
    let job = |at: usize| &report["jobs"][at];
    assert_eq!(job(0)["decisions"].as_array().map(Vec::len), Some(2));
    let rows = report["answer"]["rows"].as_array().expect("rows");
    let open = rows.iter().find(|row| row["id"] == "jobsUnresolved").expect("a row");
    assert_eq!(open["values"][0], 1.0, "the node is open on record");
    assert_eq!(job(1)["outcome"], "Cancelled");
    let table = sandbox.run("simulate -f argo/train.yaml --history dump.json").exits(0);
    assert!(table.stdout.contains("1 attempt that has not ended"), "{table}");
    assert!(table.stdout.contains("1 pod of a template without a name"), "{table}");
}

#[test]
fn nodes_that_are_stored_elsewhere_are_an_error_with_the_command() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml"]);
    for (key, state) in
        [("compressedNodes", "compressed"), ("offloadNodeStatusVersion", "in the database")]
    {
        let mut dump = dump();
        dump["items"][0]["status"] = json!({"phase": "Failed", key: "H4sIAAAA"});
        sandbox.file("dump.json", dump.to_string());
        let run = sandbox.run("simulate -f argo/train.yaml --history dump.json").exits(3);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(text.contains(&format!("the nodes of workflow `train-7k2p` are {state}")), "{run}");
        assert!(text.contains("argo get train-7k2p -o json"), "{run}");
    }
}

/// The columns of a sweep that its first table has.
fn swept(sandbox: &Sandbox, path: &str) -> Vec<String> {
    let flags = format!("--history argo/workflow.json --sweep {path} -o json");
    let run = sandbox.run(&format!("simulate -f argo/train.yaml {flags}")).exits(0).json();
    let columns = run["answer"]["columns"].as_array().expect("columns").iter().skip(2);
    columns.map(|column| column["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn limits_are_swept_by_their_paths_in_the_manifest() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml", "argo/workflow.json"]);
    for (path, values) in [
        ("limit", ["0", "2"]),
        ("templates[fetch].limit", ["0", "2"]),
        ("spec.templates[fetch].retryStrategy.limit", ["0", "2"]),
        ("backoff.duration", ["1s", "20s"]),
        ("templates[fetch].retryStrategy.backoff.factor", ["1", "3"]),
        ("backoff.cap", ["20s", "40s"]),
        ("train.backoff.maxDuration", ["10s", "1h"]),
    ] {
        let names = swept(&sandbox, &format!("{path}={}", values.join(",")));
        assert_eq!(names.len(), 2, "{path}: {names:?}");
    }
}

#[test]
fn an_unknown_limit_or_item_has_the_names_that_there_are() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["argo/train.yaml", "argo/workflow.json"]);
    for (sweep, help) in [
        ("fetch.limit=1,2", "did you mean `templates[fetch].limit`?"),
        (
            "templates[ftch].limit=1,2",
            "write one of `templates[pipeline].limit`, `templates[fetch].limit`",
        ),
        ("cap=1m,2m", "did you mean `backoff.cap`?"),
        ("limits=1,2", "did you mean `limit`?"),
    ] {
        let flags = format!("--history argo/workflow.json --sweep {sweep}");
        let run = sandbox.run(&format!("simulate -f argo/train.yaml {flags}"));
        assert!(run.to_string().contains(help), "{sweep}: {run}");
    }
}
