//! Histories that are written in an uncommon way, and files that are none. Those that break a rule are
//! in `testdata/history`.
//!
//! Holds semantics.md 10.

use super::sandbox::Sandbox;

#[test]
fn unknown_keys_of_lines_are_passed_over() {
    let sandbox = Sandbox::with_examples();
    let unknown = r#""exporter":{"version":[2]},"containers":[{"name":"main","exitCode":1,"image":"x"}],"resources":{"memory":"1Gi","gpu":1}"#;
    sandbox.file("h.jsonl", format!(r#"{{"jobId":"a","outcome":"Failed",{unknown}}}"#));
    let line = "simulate -f policies --queue-policies infra --history h.jsonl --error-format short";
    let run = sandbox.run(line).exits(0);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("exit 1"), "{run}");
    sandbox.file("h.jsonl", format!(r#"{{"jobId":"a","outcome":"failed",{unknown}}}"#));
    let run = sandbox.run(line).exits(3);
    assert_eq!(run.stderr.lines().count(), 1, "nor are they named beside what is wrong: {run}");
}

/// What is written in an uncommon way means the same in a line as in a document.
#[test]
fn uncommon_ways_of_writing_are_understood_in_lines() {
    let sandbox = Sandbox::with_examples();
    let policy = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: bump}
spec:
  rules:
  - {action: Retry, onExitCodes: {operator: NotIn, values: [2]}, mutate: {resources: {memory: {factor: 2}}}}
";
    sandbox.file("bump.yaml", policy);
    for memory in ["1024", "1024.0", "1.024e3", "\"1Ki\"", "\"1.024k\""] {
        let run = r#""outcome":"Failed","containers":[{"name":"main","exitCode":1}]"#;
        let job = format!(r#""jobId":"a","resources":{{"cpu":0.5,"memory":{memory}}}"#);
        sandbox.file("h.jsonl", format!("{{{job},{run}}}"));
        let head = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec: {jobs: ";
        sandbox.file("h.yaml", format!("{head}[{{{job},\"runs\":[{{{run}}}]}}]}}\n"));
        let report = |name: &str| {
            let line = format!("simulate -f bump.yaml --history {name} -o json");
            sandbox.run(&line).exits(0).json()
        };
        assert_eq!(report("h.jsonl"), report("h.yaml"), "{memory}");
        assert_eq!(report("h.jsonl")["jobs"][0]["decisions"][0]["memoryBytes"], 2048, "{memory}");
    }
}

#[test]
fn blank_lines_and_a_byte_order_mark_are_passed_over() {
    let sandbox = Sandbox::with_examples();
    let good = r#"{"jobId":"a","outcome":"Failed"}"#;
    sandbox.file("h.jsonl", format!("\u{feff}{good}\r\n\r\n  \n{{\"jobId\":\"a\"}}\r\n"));
    let line = "simulate -f policies --queue-policies infra --history h.jsonl --error-format short";
    let run = sandbox.run(line).exits(3);
    assert!(run.stderr.starts_with("h.jsonl:4:1: error[RP007]"), "{run}");
}

#[test]
fn error_answers_and_other_objects_are_not_histories() {
    let sandbox = super::sandbox::Sandbox::new();
    sandbox.file(
        "p.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: {defaultAction: Fail}\n",
    );
    for (history, message) in [
        (
            r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"jobs is forbidden"}"#,
            "this is an error answer: jobs is forbidden",
        ),
        ("apiVersion: apps/v1\nkind: Deployment\n", "a Deployment is not a history"),
        (
            r#"{"code":5,"message":"Not Found","details":[]}"#,
            "the server answered with an error: Not Found",
        ),
        (
            r#"{"jobId":"a","queue":"q","runs":[{"runId":"r","jobRunState":"RUN_FAIL"}]}"#,
            "of unknown state `RUN_FAIL`; did you mean `RUN_FAILED`?",
        ),
    ] {
        sandbox.file("h.json", history);
        let run = sandbox.run("simulate -f p.yaml --queue-policies p --history h.json").exits(3);
        assert!(run.stderr.contains(message), "{run}");
    }
}
