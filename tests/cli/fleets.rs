//! Lines that are too many to be held: the same answers as from memory, from any stream, on any
//! number of threads.
//!
//! Holds semantics.md 10; cli.md simulate.

use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

const SIMULATE: &str = "simulate -f policies --queue-policies infra,ml-training -o json";

/// Lines of more than 8 MiB. What pads them is skipped in reading.
static LARGE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines: Vec<String> = (0..5_000).map(|number| record(number).to_string()).collect();
    assert!(lines.iter().map(String::len).sum::<usize>() > 9 << 20);
    lines
});

/// A run of one of a thousand jobs, every ninth of them in a gang of two.
fn record(number: u64) -> Value {
    let (job, turn) = (number % 1_000, number / 1_000);
    let time = |minutes: u64| {
        let minutes = turn * 90 + job % 50 + minutes;
        format!("2026-10-{:02}T{:02}:{:02}:00Z", 1 + job % 9, minutes / 60, minutes % 60)
    };
    let (outcome, reason) = match (job * 7 + turn * 3) % 11 {
        0..3 => ("Preempted", ""),
        3..6 => ("Failed", "OOMKilled"),
        6..8 => ("Failed", "Error"),
        8 => ("LeaseReturned", ""),
        _ => ("Succeeded", ""),
    };
    let queue = if job % 3 == 0 { "ml" } else { "batch" };
    let mut record = json!({
        "jobId": format!("job-{job}"), "queue": queue,
        "outcome": outcome, "startedAt": time(0), "finishedAt": time(30),
        "node": format!("node-{}", (job + turn) % 2), "resources": {"cpu": "4", "nvidia.com/gpu": 1},
        "containers": [{"name": "main", "exitCode": 1 + job % 3, "reason": reason,
            "message": format!("TRANSIENT: worker {job} lost")}],
        "pad": "x".repeat(1_800),
    });
    if job % 9 == 0 {
        record["gang"] = json!({"id": format!("g{}", job / 18), "cardinality": 2});
        record["queue"] = json!("ml");
    }
    record
}

fn large() -> Sandbox {
    with(&LARGE.join("\n"))
}

fn with(text: &str) -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.file("large.jsonl", text);
    sandbox
}

/// The answer from memory: timelines of all jobs need all of it.
fn from_memory(sandbox: &Sandbox, flags: &str) -> Value {
    let line = format!("{SIMULATE} --history large.jsonl --timelines all {flags}");
    let mut report = sandbox.run(&line).exits(0).json();
    let jobs = report.as_object_mut().unwrap().remove("jobs").unwrap();
    assert!(flags.contains("--job ") || jobs.as_array().unwrap().len() == 1_000);
    if flags.contains("--job ") {
        report["jobs"] = jobs;
    }
    without_samples(report)
}

/// A sample has both timelines only if its runs are in memory.
fn without_samples(mut report: Value) -> Value {
    let variants = report.get_mut("variants").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        variant.as_object_mut().unwrap().remove("example");
    }
    report
}

#[test]
fn a_large_file_says_what_memory_says() {
    let sandbox = large();
    for flags in ["", "--assume observed", "--job job-7 --assume observed", "--job job-9"] {
        let run = sandbox.run(&format!("{SIMULATE} --history large.jsonl {flags}")).exits(0);
        let report = run.json();
        assert!(report["summary"]["failures"].as_u64() > Some(1), "{report:#}");
        assert_eq!(report, from_memory(&sandbox, flags), "{flags}");
    }
}

#[test]
fn threads_and_pipes_change_no_byte() {
    let sandbox = large();
    // A pipe cannot be read a second time for proposals.
    let simulate = format!("{SIMULATE} --advice none");
    let run = |flags: &str| sandbox.run(&format!("{simulate} {flags}")).exits(0).stdout;
    let one = run("--history large.jsonl --threads 1");
    assert_eq!(run("--history large.jsonl --threads 3"), one);
    let piped = piped(&sandbox, &format!("{simulate} --history -"), LARGE.join("\n").as_bytes());
    assert_eq!(piped, one);
}

/// Whether a run is compared with the rules where its line is read or where its unit is judged.
#[test]
fn signatures_change_no_byte() {
    let mut lines: Vec<String> = LARGE.clone();
    for (number, line) in lines.iter_mut().enumerate() {
        // Among those that are alike: escapes in the id and in a key, a confirmed end, no queue, a subcategory, a bad value.
        *line = match number % 97 {
            7 => line.replace("\"job-", "\"\\u006aob-"),
            13 => line.replace("\"node\"", "\"n\\u006fde\""),
            29 => line
                .replace("\"pad\"", "\"terminationConfirmedAt\":\"2026-10-20T00:00:00Z\",\"pad\""),
            41 => line.replace("\"queue\"", "\"que\""),
            53 => line.replace("\"pad\"", "\"subcategory\":\"ecc\",\"category\":\"gpu\",\"pad\""),
            71 => line.replace("\"exitCode\":", "\"exitCode\":\"\",\"x\":"),
            // Later records of a gang, whose jobs are kept.
            _ if number >= 1_000 && number % 1_000 % 18 == 9 => {
                line.replace("\"gang\"", "\"gxng\"")
            }
            _ => continue,
        };
    }
    let sandbox = with(&lines.join("\n"));
    sandbox.file("other.yaml", OTHER);
    for flags in ["", "--job job-7", "--variant other=other.yaml", "--sweep globalMaxRetries=0..2"]
    {
        let line = format!("{SIMULATE} --on-bad-record skip --history large.jsonl {flags}");
        let with_signatures = sandbox.run(&line).exits(0);
        let set = |command: &mut Command| _ = command.env("ARMADACTL_WITHOUT_SIGNATURES", "1");
        let without = sandbox.run_with(&line, set).exits(0);
        assert_eq!(with_signatures.stdout, without.stdout, "{flags}");
        assert_eq!(with_signatures.stderr, without.stderr, "{flags}");
    }
}

/// Other rules than those of the examples.
const OTHER: &str = "\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml-training}
spec:
  rules:
  - {onConditions: [OOMKilled], action: Retry, retryLimit: 1}
  - {onFailureCategory: [gpu], action: Fail}
  - {onTerminationMessage: {pattern: 'worker [0-9]*7 lost'}, action: Retry, retryLimit: 2}
  defaultAction: Fail
---
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec: {rules: [{onConditions: [Preempted], action: Retry}], defaultAction: Fail}
";

/// What a command prints that reads from a pipe.
fn piped(sandbox: &Sandbox, line: &str, input: &[u8]) -> String {
    let mut command = sandbox.command();
    let command = command.args(line.split_whitespace()).stdin(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || pipe.write_all(input).expect("it reads to the end"));
        child.wait_with_output().expect("it ends")
    });
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn several_files_are_one_stream() {
    let sandbox = large();
    let (first, rest) = LARGE.split_at(1_234);
    sandbox.file("parts/a.jsonl", first.join("\n")).file("parts/b.jsonl", rest.join("\n"));
    let whole = sandbox.run(&format!("{SIMULATE} --history large.jsonl")).exits(0).json();
    let parts = sandbox.run(&format!("{SIMULATE} --history parts")).exits(0).json();
    assert_eq!(parts, whole);
}

#[test]
fn several_sets_of_policies_go_over_a_stream_at_once() {
    let sandbox = large();
    let flags = "--sweep globalMaxRetries=0..2 --variant same=policies";
    let report = sandbox.run(&format!("{SIMULATE} --history large.jsonl {flags}")).exits(0).json();
    assert_eq!(report["variants"].as_array().map(Vec::len), Some(5));
    assert_eq!(without_samples(report), from_memory(&sandbox, flags));
}

/// The large file with a line in place of another.
fn spoiled(number: usize, line: &str) -> Sandbox {
    let mut lines = LARGE.clone();
    line.clone_into(&mut lines[number - 1]);
    with(&lines.join("\n"))
}

fn short(sandbox: &Sandbox, flags: &str) -> Run {
    sandbox.run(&format!("{SIMULATE} --history large.jsonl --error-format short {flags}"))
}

#[test]
fn a_bad_line_of_a_large_file_is_named() {
    let sandbox = spoiled(4_321, r#"{"jobId":"job-320","outcome":"Nonsense"}"#);
    let run = short(&sandbox, "").exits(3);
    assert!(run.stderr.starts_with("large.jsonl:4321:"), "{run}");
    assert_eq!(run.stderr, short(&sandbox, "--timelines all").exits(3).stderr);
    let run = short(&sandbox, "--on-bad-record skip").exits(0);
    assert_eq!(run.stderr, "", "{run}");
    assert_eq!(run.json()["summary"]["skippedRecords"], 1);
    assert_eq!(run.json()["notes"][0]["message"], "1 bad record was left out");
    assert_eq!(without_samples(run.json()), from_memory(&sandbox, "--on-bad-record skip"));
}

#[test]
fn reading_a_large_file_stops_after_twenty_bad_lines() {
    let mut lines = LARGE.clone();
    for line in &mut lines[3_000..3_100] {
        line.truncate(100);
    }
    let sandbox = with(&lines.join("\n"));
    let run = short(&sandbox, "").exits(3);
    assert_eq!(run.json()["items"].as_array().map(Vec::len), Some(20), "{run}");
    assert_eq!(run.stderr, short(&sandbox, "--timelines all").exits(3).stderr);
    let report = short(&sandbox, "--on-bad-record skip").exits(0).json();
    assert_eq!(report["summary"]["skippedRecords"], 100);
}

#[test]
fn what_a_later_line_says_of_its_job_counts_for_nothing() {
    let line = r#"{"jobId":"job-320","queue":"ml","outcome":"Succeeded","finishedAt":"2026-10-31T00:00:00Z","annotations":{"armadaproject.io/retry-policy":"nowhere"}}"#;
    let sandbox = spoiled(4_321, line);
    let run = short(&sandbox, "").exits(0);
    assert!(run.stderr.contains("`annotations` of job `job-320` differs"), "{run}");
    assert_eq!(run.stderr, short(&sandbox, "--timelines all").exits(0).stderr);
    let first = spoiled(321, &line.replace("2026-10-31", "2026-10-01"));
    let run = short(&first, "").exits(3);
    assert!(run.stderr.contains("the policy `nowhere` does not exist"), "{run}");
    // Memory has read all of it by then, and warns of what else there is.
    assert!(short(&first, "--timelines all").exits(3).stderr.ends_with(&run.stderr), "{run}");
}

#[test]
fn a_job_that_no_line_of_a_large_file_speaks_of() {
    let run = short(&large(), "--job job-x").exits(3);
    assert!(run.stderr.contains("the history has no job `job-x`"), "{run}");
}

#[test]
fn more_threads_than_a_system_grants_are_not_asked_for() {
    let sandbox = large();
    let line = format!("{SIMULATE} --history large.jsonl --threads");
    let few = sandbox.run(&format!("{line} 1")).exits(0);
    assert_eq!(sandbox.run(&format!("{line} 1000000")).exits(0).stdout, few.stdout);
}

#[test]
fn a_line_without_end_is_told_with_its_own_number() {
    let endless = "x".repeat(17 << 20);
    let sandbox = large();
    sandbox.file("second.jsonl", &endless);
    let run = sandbox.run(&format!("{SIMULATE} --format jsonl --history large.jsonl second.jsonl"));
    let run = run.exits(3);
    assert!(run.stderr.contains("`second.jsonl` from line 1 on"), "{run}");
    let sandbox = with("{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n");
    sandbox.file("second.jsonl", &endless);
    let run = sandbox.run(&format!("{SIMULATE} --format jsonl --history large.jsonl second.jsonl"));
    let run = run.exits(3);
    assert!(run.stderr.contains("`second.jsonl` from line 1 on"), "{run}");
}

#[test]
fn what_a_document_beside_a_stream_left_out_is_counted() {
    let sandbox = large();
    let document =
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec: {jobs: [{jobId: gone}]}\n";
    sandbox.file("document.yaml", document);
    let line = format!("{SIMULATE} --on-bad-record skip --history document.yaml large.jsonl");
    let report = sandbox.run(&line).exits(0).json();
    assert_eq!(report["summary"]["skippedRecords"], 1);
}

/// Cut by lines or by jobs, a history has gangs cut apart.
#[test]
fn of_many_incomplete_gangs_twenty_are_named() {
    let line = |number: usize| {
        json!({
            "jobId": format!("j{number:02}"), "queue": if number.is_multiple_of(2) { "ml" } else { "batch" }, "outcome": "Failed",
            "gang": {"id": format!("g{number:02}"), "cardinality": 2}, "containers": [{"name": "main", "exitCode": 1}],
        })
        .to_string()
    };
    for (gangs, others) in [(20, None), (21, Some("1 other gang ")), (50, Some("30 other gangs "))]
    {
        let sandbox = with(&(0..gangs).rev().map(line).collect::<Vec<String>>().join("\n"));
        let stderr = short(&sandbox, "").exits(0).stderr;
        let warnings: Vec<&str> = stderr.lines().filter(|line| line.contains("RP031")).collect();
        assert_eq!(warnings.len(), 20 + usize::from(others.is_some()), "{stderr}");
        assert!(
            warnings[0].contains("gang `g01` of queue `batch` has 1 of its 2 jobs"),
            "{stderr}"
        );
        assert!(
            warnings.last().unwrap().contains(others.unwrap_or("gang `g18` of queue `ml`")),
            "{stderr}"
        );
    }
}

/// Jobs come in the order of their first records, whether these are lines or not. A collision of two positions shows in
/// some runs only, since hashes have a random key.
#[test]
fn jobs_of_a_document_come_before_those_of_later_lines() {
    let sandbox = Sandbox::with_examples();
    let line = |job: &str| format!(r#"{{"jobId":"{job}","outcome":"Failed"}}"#) + "\n";
    sandbox.file("b.jsonl", ["c", "d", "a"].map(line).concat());
    let document = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n";
    let job = |job: &str| format!("  - {{jobId: {job}, runs: [{{outcome: Failed}}]}}\n");
    sandbox.file("a.yaml", document.to_owned() + &["z", "y"].map(job).concat());
    for _ in 0..8 {
        let run =
            sandbox.run(&format!("{SIMULATE} --history a.yaml --history b.jsonl --timelines all"));
        let report = run.exits(0).json();
        let jobs: Vec<_> =
            report["jobs"].as_array().unwrap().iter().map(|it| &it["jobId"]).collect();
        assert_eq!(jobs, ["z", "y", "c", "d", "a"]);
    }
}
