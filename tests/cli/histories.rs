//! The histories of `testdata/history`: one that breaks a rule, and its twin that does not.

use super::sandbox::{Run, Sandbox, root};
use std::path::Path;

const FOLDER: &str = "testdata/history";

/// Replays a history of the folder, next to whose files it runs.
fn replay(case: &str, file: &str) -> Run {
    let folder = root().join(FOLDER);
    let scheduler = format!("{case}.scheduler.yaml");
    let mut line =
        format!("simulate -f policy.yaml --allow-empty --error-format short --history {file}");
    if folder.join(&scheduler).exists() {
        line += &format!(" --scheduler-config {scheduler}");
    }
    Sandbox::new().run_with(&line, |command| _ = command.current_dir(folder))
}

/// The cases: their names, and the endings of their histories.
fn cases() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(FOLDER)).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8"));
    let mut cases: Vec<(String, String)> = names
        .filter_map(|name| name.split_once(".bad.").map(|(case, end)| (case.into(), end.into())))
        .collect();
    cases.sort();
    cases
}

fn expected(path: &Path, findings: &str) -> String {
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(path, findings).expect("a writable file");
    }
    std::fs::read_to_string(path).unwrap_or_else(|_| panic!("there is no {}", path.display()))
}

#[test]
fn every_broken_rule_is_found_in_its_place() {
    let cases = cases();
    assert!(cases.len() > 50, "only {} cases", cases.len());
    for (case, ending) in cases {
        let file = format!("{case}.bad.{ending}");
        let run = replay(&case, &file);
        let findings = run.stderr.replace(&format!("{file}:"), "");
        let wanted = expected(&root().join(FOLDER).join(format!("{case}.expected")), &findings);
        assert_eq!(findings, wanted, "{case}");
        let id = case.split('-').next().unwrap_or_default().to_uppercase();
        assert!(findings.contains(&format!("[{id}]")), "{case} gives {id}: {findings}");
        let code = if findings.contains("error[") { 3 } else { 0 };
        assert_eq!(run.code, code, "{run}");
        assert_eq!(run.stdout.is_empty(), code == 3, "{run}");
    }
}

#[test]
fn every_history_put_right_is_read_without_a_word() {
    for (case, ending) in cases() {
        let run = replay(&case, &format!("{case}.fixed.{ending}")).exits(0);
        assert_eq!(run.stderr, "", "{case}");
    }
}

#[test]
fn a_bad_record_is_left_out_alone() {
    for (case, ending) in cases() {
        let file = format!("{case}.bad.{ending}");
        let folder = root().join(FOLDER);
        let line = format!(
            "simulate -f policy.yaml --on-bad-record skip --allow-empty -o json --history {file}"
        );
        let run = Sandbox::new().run_with(&line, |command| _ = command.current_dir(&folder));
        // What is wrong with a document as a whole is not a record's fault.
        assert!(matches!(run.code, 0 | 3), "{run}");
        if ending == "jsonl" {
            assert_eq!(run.code, 0, "{run}");
        }
    }
}

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
