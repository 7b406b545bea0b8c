//! What changes under other policies: `--changes`, `--samples`, and both timelines of a job.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox, snapshot};
use super::variants::STRICT;
use armadactl::internals::report::schemas;
use serde_json::{Value, json};
use std::fmt::Write;

const SIMULATE: &str = "simulate -f policies --queue-policies infra,ml-training";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.file("strict.yaml", STRICT).file("history.jsonl", history());
    sandbox
}

/// Three jobs: preempted and then successful, out of memory, and preempted without a further record.
fn history() -> String {
    let mut text = String::new();
    let mut line = |record: Value| _ = writeln!(text, "{record}");
    let oom = json!([{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]);
    line(json!({"jobId": "a", "queue": "ml", "outcome": "Preempted", "finishedAt": "1m"}));
    line(
        json!({"jobId": "b", "queue": "ml", "outcome": "Failed", "finishedAt": "2m", "containers": oom}),
    );
    line(json!({"jobId": "a", "queue": "ml", "outcome": "Succeeded", "finishedAt": "9m"}));
    line(json!({"jobId": "c", "queue": "batch", "outcome": "Preempted", "finishedAt": "9m"}));
    text
}

fn simulate(flags: &str) -> Run {
    sandbox()
        .run(&format!("{SIMULATE} --history history.jsonl --variant strict=strict.yaml {flags}"))
}

/// The lines of `--changes`, each checked against its schema.
fn lines(sandbox: &Sandbox) -> Vec<Value> {
    let (_, schema) =
        schemas::all().into_iter().find(|(name, _)| *name == "change.json").expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let text = std::fs::read_to_string(sandbox.path().join("changes.jsonl")).expect("a file");
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let errors: Vec<String> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
        value
    };
    text.lines().map(line).collect()
}

#[test]
fn tables_count_the_changes() {
    snapshot!("changes_table", simulate("").exits(0));
}

#[test]
fn both_timelines_of_a_sample_are_side_by_side() {
    snapshot!("changes_wide", simulate("-o wide").exits(0));
}

#[test]
fn a_job_alone_has_its_own_changes() {
    let sandbox = sandbox();
    let line = format!(
        "{SIMULATE} --history history.jsonl --variant strict=strict.yaml --job c -o json --changes changes.jsonl"
    );
    let report = sandbox.run(&line).exits(0).json();
    let variant = &report["variants"][1];
    let counts = ["decisions", "jobs", "compared"].map(|key| variant["changes"][key].clone());
    assert_eq!(counts, [json!(1), json!(1), json!(1)]);
    assert_eq!(variant["example"]["first"], report["jobs"][0]);
    assert_eq!(variant["example"]["other"]["outcome"], "Failed");
    assert!(lines(&sandbox).iter().all(|line| line["jobId"] == "c"));
    // A job without changes has both timelines all the same.
    let report = simulate("--job c --sweep retryLimit=3..3 -o json").exits(0).json();
    let same = &report["variants"][2];
    assert_eq!(same["changes"]["decisions"], 0);
    assert_eq!(same["example"]["other"]["outcome"], "Unresolved");
}

#[test]
fn the_file_has_every_change() {
    let sandbox = sandbox();
    let line = format!(
        "{SIMULATE} --history history.jsonl --variant strict=strict.yaml --samples 0 --changes changes.jsonl -o json"
    );
    let report = sandbox.run(&line).exits(0).json();
    let decision = |code: &str, rule: Value, delay: Value| {
        let policy = match rule {
            Value::Null => Value::Null,
            _ => rule["policy"].clone(),
        };
        json!({"decision": code, "policy": policy, "ruleIndex": rule["index"], "delaySeconds": delay})
    };
    let infra = json!({"policy": "infra", "index": 0});
    let ml = json!({"policy": "ml-training", "index": 0});
    let default = json!({"policy": "infra", "index": null});
    let changed = |job: &str, queue: &str, from: Value, to: Value| json!({"change": "decision", "variant": "strict", "jobId": job, "queue": queue, "runIndex": 0, "from": from, "to": to});
    let of_job = |job: &str, queue: &str, from: &str| json!({"change": "job", "variant": "strict", "jobId": job, "queue": queue, "from": from, "to": "Failed"});
    let retry = decision("retry", infra.clone(), json!(30.0));
    let fail = decision("fail_rule", infra, Value::Null);
    let wanted = [
        changed("a", "ml", retry.clone(), fail.clone()),
        of_job("a", "ml", "Succeeded"),
        changed(
            "b",
            "ml",
            decision("retry", ml, json!(0.0)),
            decision("fail_default", default, Value::Null),
        ),
        of_job("b", "ml", "Unresolved"),
        changed("c", "batch", retry, fail),
        of_job("c", "batch", "Unresolved"),
    ];
    assert_eq!(lines(&sandbox), wanted);
    let counts = &report["variants"][1]["changes"];
    assert_eq!((&counts["decisions"], &counts["jobs"]), (&json!(3), &json!(3)));
    assert_eq!(counts["byDecision"][0]["samples"], json!([]));
    assert!(report["variants"][0].get("changes").is_none());
}

#[test]
fn without_samples_nothing_is_compared() {
    let report = simulate("--samples 0 -o json").exits(0).json();
    assert!(report["variants"][1].get("changes").is_none());
    assert!(!simulate("--samples 0").exits(0).stdout.contains("Changes under"));
    let report = simulate("--samples 1 -o json").exits(0).json();
    let rows = report["variants"][1]["changes"]["byOutcome"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["samples"].as_array().is_some_and(|all| all.len() == 1)));
}

#[test]
fn flags_that_need_others() {
    let alone = format!("{SIMULATE} --history history.jsonl");
    for (flags, said) in [
        ("--changes changes.jsonl", "--variant"),
        ("--samples 2", "--variant"),
        ("--variant strict=strict.yaml --samples 300", "300"),
        ("--variant strict=strict.yaml --changes -", "standard output has the report"),
        ("--variant strict=strict.yaml --changes history.jsonl", "is used by another flag"),
        ("--variant strict=strict.yaml --changes ./strict.yaml", "is used by another flag"),
    ] {
        let run = sandbox().run(&format!("{alone} {flags}")).exits(2);
        assert!(run.stderr.contains(said), "{run}");
    }
    let run = simulate("--changes nowhere/changes.jsonl").exits(3);
    assert!(run.stderr.contains("cannot write `nowhere/changes.jsonl`"), "{run}");
}

#[test]
fn a_stream_has_the_lines_of_memory() {
    let sandbox = sandbox();
    let pad = "x".repeat(900);
    let mut text = String::new();
    for number in 0..10_000 {
        let (job, turn) = (number % 4_000, number / 4_000);
        let outcome = ["Preempted", "Failed", "Succeeded"][(job + turn) % 3];
        let gang =
            if job % 50 < 2 { json!({"id": job / 50, "cardinality": 2}) } else { Value::Null };
        let record = json!({"jobId": format!("01k6fz8q0000000000000{job:05}"), "queue": "ml",
            "outcome": outcome, "finishedAt": format!("{turn}h"), "pad": pad, "gang": gang,
            "containers": [{"name": "main", "exitCode": 1, "message": "TRANSIENT: lost"}]});
        let mut record = record.as_object().expect("an object").clone();
        record.retain(|_, value| !value.is_null());
        let _ = writeln!(text, "{}", Value::from(record));
    }
    let text =
        text.replace("\"id\":", "\"id\":\"g").replace(",\"cardinality\"", "\",\"cardinality\"");
    sandbox.file("large.jsonl", text);
    let of = |flags: &str| {
        let line = format!(
            "{SIMULATE} --history large.jsonl --variant strict=strict.yaml --changes changes.jsonl -o json {flags}"
        );
        let report = sandbox.run(&line).exits(0).json();
        (report["variants"][1]["changes"].clone(), lines(&sandbox))
    };
    let one = of("--threads 1");
    assert_eq!(of("--threads 3"), one);
    let (changes, mut memory) = of("--timelines all");
    assert_eq!(changes, one.0);
    assert!(changes["jobs"].as_u64() > Some(1_000), "{changes:#}");
    let mut streamed = one.1;
    streamed.sort_by_key(Value::to_string);
    memory.sort_by_key(Value::to_string);
    assert!(streamed == memory, "the lines differ");
}

/// A file that is read is never written, and a file of an earlier run stays if a run fails.
#[test]
fn the_file_replaces_no_input_and_nothing_before_the_end() {
    let sandbox = sandbox();
    let run = |flags: &str| {
        sandbox.run(&format!("simulate -f policies --queue-policies infra,ml-training {flags} --variant strict=strict.yaml"))
    };
    for flags in [
        "--history history.jsonl --changes history.jsonl",
        "--history history.jsonl --changes policies/infra.yaml",
        "--history history.jsonl --changes policies/new.jsonl",
        "--history *.jsonl --changes history.jsonl",
        "--history history.jsonl --changes strict.yaml",
    ] {
        let refused = run(flags).exits(2);
        assert!(refused.stderr.contains("is used by another flag"), "{flags}: {refused}");
    }
    assert_eq!(std::fs::read_to_string(sandbox.path().join("history.jsonl")).unwrap(), history());
    sandbox.file("changes.jsonl", "of last week\n");
    run("--history history.jsonl --job nope --changes changes.jsonl").exits(3);
    let text = || std::fs::read_to_string(sandbox.path().join("changes.jsonl")).expect("a file");
    assert_eq!(text(), "of last week\n");
    run("--history history.jsonl --changes changes.jsonl").exits(0);
    assert!(text().starts_with("{\"change\":"));
    let names = std::fs::read_dir(sandbox.path()).expect("a folder");
    let parts =
        names.filter(|name| name.as_ref().unwrap().path().to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0);
}
