//! What a replay prints first: the answer, with and without policies.

use super::sandbox::Sandbox;

const POLICIES: &str = "simulate -f policies --queue-policies infra,ml-training";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&[
        "fleet.jsonl",
        "ml-training.yaml",
        "first/policy.yaml",
        "first/history.jsonl",
        "airflow/etl.jsonl",
        "backendai/training.jsonl",
        "iris/nightly.jsonl",
        "jobset/restart-jobset.history.yaml",
    ]);
    sandbox
}

#[test]
fn without_policies_the_record_alone_is_reported() {
    let sandbox = sandbox();
    for (history, engine) in [
        ("fleet.jsonl", "hours"),
        ("ml-training.yaml", "GPU-hours"),
        ("airflow/etl.jsonl", "hours"),
        ("backendai/training.jsonl", "hours"),
        ("iris/nightly.jsonl", "hours"),
        ("jobset/restart-jobset.history.yaml", "hours"),
    ] {
        let line = format!("simulate --history {history}");
        let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
        let answer = &report["answer"];
        assert_eq!(answer["columns"].as_array().map(Vec::len), Some(1), "{history}");
        assert_eq!(answer["unit"], engine, "{history}");
        assert!(answer["runs"].as_u64() > Some(0), "{history}");
        for key in ["engine", "verdict", "summary", "variants"] {
            assert!(report.get(key).is_none(), "{history}: {key}");
        }
        let run = sandbox.run(&line).exits(0);
        assert!(run.stdout.contains("on record"), "{run}");
        assert!(run.stdout.lines().count() <= 20, "{run}");
    }
}

#[test]
fn the_record_decides_on_the_exit_code_without_policies() {
    let sandbox = sandbox();
    sandbox.run("simulate --history fleet.jsonl --exit-code").exits(1);
    sandbox.file("good.jsonl", r#"{"jobId":"a","queue":"q","outcome":"Succeeded"}"#);
    let run = sandbox.run("simulate --history good.jsonl --exit-code").exits(0);
    assert!(run.stdout.starts_with("No job failed on record, and no run is a retry.\n"), "{run}");
    for flag in [
        "--sweep globalMaxRetries=0..2",
        "--assert outcomes.Failed<1",
        "--assume fail",
        "--timelines all",
        "--show rules",
    ] {
        let run = sandbox.run(&format!("simulate --history good.jsonl {flag}")).exits(2);
        assert!(run.stderr.contains("needs policies"), "{run}");
    }
    sandbox.run("simulate --history good.jsonl --show record,kinds").exits(0);
}

/// Whatever is printed, an assertion that fails and a note are printed once: without runs, and with every table.
#[test]
fn assertions_and_notes_are_printed_once() {
    let sandbox = sandbox();
    sandbox.file("none.jsonl", "");
    let assert = "--assert retries>99 --assert outcomes.Failed<0";
    for line in [
        format!("{POLICIES} --history none.jsonl --allow-empty {assert}"),
        format!("{POLICIES} --history ml-training.yaml {assert}"),
        format!("{POLICIES} --history ml-training.yaml -o wide {assert}"),
        format!("{POLICIES} --history fleet.jsonl {assert}"),
        format!("{POLICIES} --history fleet.jsonl -o wide {assert}"),
    ] {
        let run = sandbox.run(&line).exits(1);
        assert_eq!(run.stdout.matches("fails: ").count(), 2, "{line}\n{run}");
        let notes = run.stdout.lines().filter(|line| line.starts_with("note: "));
        let notes: Vec<&str> = notes.collect();
        let mut once = notes.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), notes.len(), "{line}\n{run}");
    }
}

#[test]
fn the_first_variant_is_the_base_without_other_policies() {
    let sandbox = sandbox();
    let flags = "--variant all=policies --variant one=policies/infra.yaml --queue-policies infra";
    let line = format!("simulate --history fleet.jsonl {flags} -o json");
    let report = sandbox.run(&line).exits(0).json();
    let columns = report["answer"]["columns"].as_array().expect("columns");
    let names: Vec<&str> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
    assert_eq!(names, ["on record", "all", "one"]);
    assert_eq!(columns[2]["label"], "infra");
    assert_eq!(columns[1]["sources"][0], "policies");
}

#[test]
fn tables_are_shown_by_name() {
    let sandbox = sandbox();
    let plain = sandbox.run(&format!("{POLICIES} --history fleet.jsonl")).exits(0).stdout;
    for (name, header) in [
        ("record", "jobs succeeded at most"),
        ("rules", "MATCHED"),
        ("decisions", "FAILED BY"),
        ("kinds", "no rule matched 1 failure"),
        ("retries", "GRANTED"),
        ("disruptions", "RETRIES AFTER DISRUPTIONS"),
        ("days", "DAY (UTC)"),
        ("hours", "RECORDED"),
    ] {
        let run = sandbox.run(&format!("{POLICIES} --history fleet.jsonl --show {name}")).exits(0);
        assert!(run.stdout.contains(header) && !plain.contains(header), "{name}: {run}");
    }
    let all = sandbox.run(&format!("{POLICIES} --history fleet.jsonl --show all")).exits(0);
    assert!(all.stdout.contains("MATCHED") && all.stdout.contains("DAY (UTC)"), "{all}");
    sandbox.run(&format!("{POLICIES} --history fleet.jsonl --show table")).exits(2);
    let quiet = sandbox.run(&format!("{POLICIES} --history fleet.jsonl -q")).exits(0);
    assert_eq!(quiet.stdout.lines().count(), 1, "{quiet}");
}

#[test]
fn a_job_has_every_run_on_record() {
    let sandbox = sandbox();
    let line = "simulate -f first/policy.yaml --history first/history.jsonl";
    let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let runs = report["jobs"][0]["runs"].as_array().expect("runs");
    let reached: Vec<&str> = runs.iter().filter_map(|run| run["reached"].as_str()).collect();
    assert_eq!(reached, ["reached", "reached", "notReached"]);
    let run = sandbox.run(line).exits(0);
    let headline = "`train-1` succeeded on record, and fails under `training`.\n";
    assert!(run.stdout.starts_with(headline), "{run}");
    assert!(run.stdout.contains("not reached"), "{run}");
}
