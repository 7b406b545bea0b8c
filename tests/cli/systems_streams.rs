//! Histories of other systems that are too long to be held: what memory says of them, and what is
//! refused.
//!
//! Holds cli.md The other systems.

use super::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fmt::Write;

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: NAME}
spec:
  backoffLimit: 2
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
  template: {spec: {restartPolicy: Never}}
";

/// Lines of more than 8 MiB: failures of many units, one after another. Long lines take less time.
fn long(of: impl Fn(usize, &mut String)) -> String {
    let mut lines = String::new();
    let mut number = 0;
    while lines.len() <= 9 << 20 {
        of(number, &mut lines);
        number += 1;
    }
    lines
}

/// A failed pod of a unit; every third was disrupted.
fn pod(number: usize, unit: &str, more: &str, lines: &mut String) {
    let (minute, second) = (number / 60 % 60, number % 60);
    let day = 1 + number / 86_400;
    let hour = number / 3600 % 24;
    let message = "a line as programs write them, ".repeat(20);
    let why = match number % 3 {
        0 => r#""podConditions":[{"type":"DisruptionTarget"}]"#.to_owned(),
        _ => format!(r#""containers":[{{"name":"main","exitCode":1,"message":"{message}"}}]"#),
    };
    writeln!(
        lines,
        r#"{{"jobId":"{unit}","queue":"ml","outcome":"Failed",{more}"finishedAt":"2026-10-{day:02}T{hour:02}:{minute:02}:{second:02}Z",{why}}}"#
    )
    .unwrap();
}

fn summary(sandbox: &Sandbox, command: &str) -> Value {
    sandbox.run(&format!("{command} -o json")).exits(0).json()["summary"].clone()
}

#[test]
fn a_stream_of_jobs_says_what_memory_says() {
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", JOB.replace("NAME", "a"));
    sandbox.file(
        "h.jsonl",
        long(|number, lines| {
            pod(number, &format!("u{}", number * 7 % 9000), "", lines);
        }),
    );
    let streamed = summary(&sandbox, "simulate -f a.yaml --history h.jsonl");
    assert_eq!(streamed["jobs"], json!(9000));
    for flags in ["--timelines all", "--threads 3"] {
        let command = format!("simulate -f a.yaml --history h.jsonl {flags}");
        assert_eq!(summary(&sandbox, &command), streamed, "{flags}");
    }
}

#[test]
fn every_variant_has_to_judge_every_unit_of_a_stream() {
    let sandbox = Sandbox::new();
    for name in ["a", "b"] {
        sandbox.file(&format!("{name}.yaml"), JOB.replace("NAME", name));
    }
    let both = ["a", "b"].map(|name| JOB.replace("NAME", name)).join("---\n");
    sandbox.file("ab.yaml", &both);
    sandbox.file(
        "h.jsonl",
        long(|number, lines| {
            pod(number, ["a", "b", "nobody"][number.min(200) / 100], "", lines);
        }),
    );
    for policies in
        ["-f ab.yaml", "-f ab.yaml --variant a=a.yaml", "-f a.yaml --variant ab=ab.yaml"]
    {
        let run = sandbox.run(&format!("simulate {policies} --history h.jsonl")).exits(2);
        assert!(run.stderr.contains("none is named `nobody`"), "{policies}: {run}");
    }
    let run = sandbox.run("simulate -f a.yaml --history h.jsonl").exits(0);
    assert!(run.stdout.contains("\nnote: 2 of the Jobs in the history"), "{run}");
}

#[test]
fn a_stream_of_units_with_several_pods_is_refused() {
    let sandbox = Sandbox::new();
    let indexed = "spec:\n  completionMode: Indexed\n  completions: 1\n";
    sandbox.file("a.yaml", JOB.replace("NAME", "a").replace("spec:\n", indexed));
    sandbox.file(
        "h.jsonl",
        long(|number, lines| {
            pod(number, "a", &format!(r#""podIndex":{},"#, number % 2), lines);
        }),
    );
    let run = sandbox.run("simulate -f a.yaml --history h.jsonl").exits(3);
    assert!(run.stderr.contains("Job `a` has records of several pods"), "{run}");
    assert!(run.stderr.contains("--job a"), "{run}");
    // In memory the record of the second index is refused: the Job has one.
    let run = sandbox.run("simulate -f a.yaml --history h.jsonl --job a --timelines none").exits(3);
    assert!(run.stderr.contains("a record has podIndex 1"), "{run}");
}

#[test]
fn a_stream_of_pods_has_indexes_that_a_job_without_indexes_ignores() {
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", JOB.replace("NAME", "a"));
    sandbox.file(
        "h.jsonl",
        long(|number, lines| {
            pod(number, "a", &format!(r#""podIndex":{},"#, number % 2), lines);
        }),
    );
    let run = sandbox.run("simulate -f a.yaml --history h.jsonl --show decisions").exits(0);
    assert!(
        run.stdout.starts_with("warning: 5 records have a podIndex, which is ignored"),
        "{run}"
    );
    assert!(run.stdout.contains("fail_backoff_limit"), "{run}");
}

#[test]
fn a_stream_of_another_system_is_told_as_one() {
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", JOB.replace("NAME", "a"));
    sandbox.file(
        "h.jsonl",
        long(|number, lines| {
            let id = format!("u{number}-{}", "x".repeat(500));
            let _ = writeln!(
                lines,
                r#"{{"jobId":"{id}","outcome":"Preempted","conditions":["Preempted"]}}"#
            );
        }),
    );
    let run = sandbox.run("simulate -f a.yaml --history h.jsonl").exits(3);
    assert_eq!(run.stderr.matches("error[RP033]").count(), 1, "{run}");
    assert!(!run.stderr.contains("RP009"), "{run}");
}
