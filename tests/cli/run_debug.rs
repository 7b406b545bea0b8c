//! The debug JSON and the errors of Lookout's runs: as Lookout's runs, in run records, and what executors classify by them.
//!
//! Holds semantics.md 10.

use super::sandbox::{Run, Sandbox, root, snapshot};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::io::Write as _;

const EXECUTOR: &str = "\
application:
  errorCategories:
    enabled: true
    categories:
    - name: cuda
      rules:
      - onTerminationMessage: {pattern: \"^CUDA error\"}
    - name: device-plugin
      action: Delete
      rules:
      - onPodEvents: {regexp: \"nvidia.com/gpu\", type: Warning}
    - name: user
      rules:
      - onExitCodes: {operator: NotIn, values: [0]}
";

const POLICY: &str = "\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: infra
retryLimit: 3
defaultAction: Fail
rules:
- {action: Retry, onCategory: cuda}
- {action: Retry, onCategory: device-plugin}
";

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("testdata/sources/lookout").join(name)).expect("a fixture")
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("executor.yaml", EXECUTOR).file("policy.yaml", POLICY);
    for name in ["debug-pages.json", "debug-runs.jsonl", "debug-bad.jsonl"] {
        sandbox.file(name, fixture(name));
    }
    sandbox
}

fn simulate(sandbox: &Sandbox, flags: &str) -> Run {
    sandbox.run(&format!("simulate -f policy.yaml {flags}"))
}

/// The notes on classification.
fn notes(report: &Value) -> Vec<String> {
    let notes = report["notes"].as_array().into_iter().flatten();
    let own = notes.filter(|note| note["kind"] == "classified");
    own.map(|note| note["message"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The categories of all failures, sorted.
fn categories(report: &Value) -> Vec<(String, u64)> {
    let rows = report["summary"]["byCategory"].as_array().expect("rows");
    let row = |row: &Value| {
        let name = row["category"].as_str().unwrap_or("-").to_owned();
        (name, row["failures"].as_u64().unwrap_or_default())
    };
    let mut rows: Vec<_> = rows.iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn runs_of_lookout_are_classified_by_their_debug_json_and_errors() {
    let sandbox = sandbox();
    let flags = "--executor-config executor.yaml --timelines all";
    snapshot!("pages", simulate(&sandbox, &format!("--history debug-pages.json {flags}")));
    snapshot!("runs", simulate(&sandbox, &format!("--history debug-runs.jsonl {flags}")));
    snapshot!("bad", simulate(&sandbox, "--history debug-bad.jsonl"));
}

/// A text as Lookout's database stores it and `PostgreSQL` writes it.
fn compressed(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("no I/O");
    let bytes = encoder.finish().expect("no I/O");
    bytes.iter().fold(r"\x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// The record of a run with a debug JSON, as a line, an object over several lines and a document.
#[test]
fn run_records_have_debug_json() {
    let sandbox = sandbox();
    let page: Value = serde_json::from_slice(&fixture("debug-pages.json")).expect("JSON");
    let run = &page["jobs"][0]["runs"][0];
    let record = json!({"outcome": "Failed", "finishedAt": run["finished"], "debug": run["debug"], "error": run["error"]});
    let mut line = record.clone();
    line["jobId"] = json!("01k6a");
    let text = line["debug"].as_str().expect("a text").to_owned();
    let mut object = line.clone();
    object["debug"] = serde_json::from_str(&text).expect("JSON");
    object["error"] = json!({"errorString": run["error"]});
    let document = json!({"apiVersion": "armadaproject.io/v1", "kind": "FailureHistory",
        "spec": {"jobs": [{"jobId": "01k6a", "runs": [record]}]}});
    sandbox.file("line.jsonl", format!("{line}\n"));
    sandbox.file("object.json", format!("{object:#}\n"));
    sandbox.file("document.yaml", document.to_string());
    let mut database = line.clone();
    database["debug"] = json!(compressed(&text));
    database["error"] = json!(compressed(run["error"].as_str().expect("a text")));
    sandbox.file("database.jsonl", format!("{database}\n"));
    for history in ["line.jsonl", "object.json", "document.yaml", "database.jsonl"] {
        let flags = format!("--history {history} --executor-config executor.yaml -o json");
        let report = simulate(&sandbox, &flags).exits(0).json();
        assert_eq!(categories(&report), [("cuda".to_owned(), 1)], "{history}");
        assert_eq!(notes(&report).len(), 1, "{history}: all texts are known: {report}");
    }
    // The message is in the error alone.
    line.as_object_mut().expect("an object").remove("error");
    sandbox.file("line.jsonl", format!("{line}\n"));
    let flags = "--history line.jsonl --executor-config executor.yaml -o json";
    let report = simulate(&sandbox, flags).exits(0).json();
    assert_eq!(categories(&report), [("user".to_owned(), 1)]);
    assert_eq!(
        notes(&report)[1],
        "1 failure was classified without texts that a rule reads, and may have another category: \
         1 without termination messages"
    );
}

/// What is unknown counts only if another category is possible.
#[test]
fn only_failures_of_which_another_category_is_possible_are_counted() {
    let sandbox = sandbox();
    let cut = format!("{}nvidia.com/gpu", "x".repeat(256));
    let line = |message: &str, code: u32| {
        let message = if message.len() > 256 {
            format!("{}...[truncated]", &message[..256])
        } else {
            message.to_owned()
        };
        let debug = json!({"schemaVersion": 1, "trigger": "podFailed", "pod": {"phase": "Failed",
            "containers": [{"name": "main", "state": "terminated", "exitCode": code, "reason": "Error"}],
            "events": [{"type": "Warning", "reason": "Failed", "message": message}]}});
        let error = format!("Container main failed with exit code {code} because Error: x\n");
        let line = json!({"jobId": "a", "outcome": "Failed", "debug": debug, "error": error});
        format!("{line}\n")
    };
    let unsure = |history: String| {
        sandbox.file("history.jsonl", history);
        let flags = "--history history.jsonl --executor-config executor.yaml -o json";
        let report = simulate(&sandbox, flags).exits(0).json();
        notes(&report).get(1).cloned()
    };
    assert_eq!(unsure(line("nvidia.com/gpu", 1)), None, "an event that is whole matches");
    assert_eq!(unsure(line("x", 1)), None, "an event that is whole does not match");
    let note = unsure(line(&cut, 1)).expect("a note");
    assert!(note.ends_with("another category: 1 from events that are cut"), "{note}");
    let plain = "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"containers\":[{\"name\":\"main\",\"exitCode\":1}]}\n";
    let note = unsure(plain.to_owned()).expect("a note");
    assert!(note.ends_with("1 without termination messages, 1 without all events"), "{note}");
}
