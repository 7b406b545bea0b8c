//! What a replay prints first: the answer, with and without policies.
//!
//! Holds answer.md 1, 2, 3, 5, 6.

use super::sandbox::{Sandbox, snapshot};
use serde_json::{Value, json};

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
        "iris/nightly.yaml",
        "airflow/policy.yaml",
        "backendai/training.yaml",
        "job/disruption.history.yaml",
        "job/disruption.yaml",
        "jobset/restart-jobset.history.yaml",
        "jobset/restart-jobset.yaml",
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

/// A value of each row in the column `no-retries`, which is the last one.
fn values_without_retries(report: &Value) -> Vec<(String, Value)> {
    let answer = &report["answer"];
    let column = answer["columns"].as_array().and_then(|columns| columns.last()).expect("a column");
    let expected =
        json!({"name": "no-retries", "label": "no-retries", "engine": null, "sources": []});
    assert_eq!(*column, expected);
    let rows = answer["rows"].as_array().expect("rows").iter();
    let value = |row: &Value| row["values"].as_array().and_then(|all| all.last()).cloned();
    rows.map(|row| (row["id"].to_string(), value(row).expect("a value"))).collect()
}

/// The policies of each system, with a history of it.
const SYSTEMS: [(&str, &str); 6] = [
    ("policies --queue-policies infra,ml-training", "fleet.jsonl"),
    ("job/disruption.yaml", "job/disruption.history.yaml"),
    ("jobset/restart-jobset.yaml", "jobset/restart-jobset.history.yaml"),
    ("iris/nightly.yaml", "iris/nightly.jsonl"),
    ("backendai/training.yaml", "backendai/training.jsonl"),
    ("airflow/policy.yaml", "airflow/etl.jsonl"),
];

/// `no-retries` needs no policies, and has the same figures beside those of every system and beside the record alone.
#[test]
fn without_retries_no_run_is_a_retry() {
    let sandbox = sandbox();
    for (policies, history) in SYSTEMS {
        let alone = format!("simulate --history {history} --variant no-retries -o json");
        let alone = sandbox.run(&alone).exits(0).json();
        let line = format!("simulate -f {policies} --history {history} --variant no-retries");
        let beside = sandbox.run(&format!("{line} -o json")).exits(0).json();
        let values = values_without_retries(&alone);
        assert_eq!(values_without_retries(&beside), values, "{history}");
        let value = |id: &str| &values.iter().find(|(row, _)| row == &format!("{id:?}")).unwrap().1;
        for row in ["retries", "failedRetryHours", "succeededRetryHours", "jobsUnresolved"] {
            assert_eq!(value(row).as_f64(), Some(0.0), "{history} {row}");
        }
        assert!(value("jobsFailed").as_f64() > Some(0.0), "{history}");
        let codes = &alone["summary"]["byDecision"];
        let codes: Vec<&String> = codes.as_object().expect("decisions").keys().collect();
        assert_eq!(codes, ["no_retries"], "{history}");
        assert_eq!(alone["answer"]["reasons"][0]["decision"], "no_retries", "{history}");
        let run = sandbox.run(&format!("{line} --assert no-retries:retries==0")).exits(0);
        assert!(run.stdout.contains("no-retries"), "{run}");
    }
}

/// A job without retries ends as on record, and the retries on record are what is not reached.
#[test]
fn without_retries_the_first_run_decides() {
    let sandbox = sandbox();
    sandbox.file(
        "history.jsonl",
        r#"{"jobId":"good","queue":"q","outcome":"Succeeded"}
{"jobId":"preempted","queue":"q","outcome":"Preempted"}
{"jobId":"returned","queue":"q","outcome":"LeaseReturned"}
{"jobId":"cancelled","queue":"q","outcome":"Cancelled"}
{"jobId":"stopped","queue":"q","outcome":"Stopped"}
{"jobId":"preempted","queue":"q","runIndex":1,"outcome":"Succeeded"}
{"jobId":"returned","queue":"q","runIndex":1,"outcome":"Succeeded"}
{"jobId":"g1","queue":"q","jobSet":"s","gang":{"id":"g","cardinality":3},"outcome":"Succeeded"}
{"jobId":"g2","queue":"q","jobSet":"s","gang":{"id":"g","cardinality":3},"outcome":"Stopped"}
{"jobId":"g3","queue":"q","jobSet":"s","gang":{"id":"g","cardinality":3},"outcome":"Failed","category":"gpu"}
{"jobId":"g2","queue":"q","jobSet":"s","gang":{"id":"g","cardinality":3},"runIndex":1,"outcome":"Succeeded"}
"#,
    );
    let line = "simulate --history history.jsonl --variant no-retries --timelines all -o json";
    let report = sandbox.run(line).exits(0).json();
    let jobs = report["jobs"].as_array().expect("jobs").iter();
    let outcome = |job: &Value| format!("{}: {}", job["jobId"], job["outcome"]).replace('"', "");
    assert_eq!(
        jobs.map(outcome).collect::<Vec<_>>(),
        [
            "good: Succeeded",
            "preempted: Failed",
            "returned: Failed",
            "cancelled: Cancelled",
            "stopped: Failed",
            "g1: Succeeded",
            "g2: Failed",
            "g3: Failed",
        ]
    );
    // A returned lease is no failure, and a run that was stopped with others is not decided by itself.
    assert_eq!(report["summary"]["failures"], 2);
    assert_eq!(report["summary"]["byDecision"]["no_retries"], 3);
    let of_gang = report["answer"]["reasons"].as_array().expect("reasons").iter();
    let kinds: Vec<&Value> = of_gang.map(|reason| &reason["kind"]).collect();
    assert_eq!(kinds, ["LeaseReturned", "Preempted", "gpu"]);
}

#[test]
fn without_retries_policies_come_first() {
    let sandbox = sandbox();
    let policies = "--queue-policies infra,ml-training --history fleet.jsonl";
    let variants = "--variant no-retries --variant all=policies";
    let report = sandbox.run(&format!("simulate {policies} {variants} -o json")).exits(0).json();
    assert_eq!(report["answer"]["columns"][1]["name"], "all");
    assert_eq!(report["answer"]["columns"][2]["name"], "no-retries");
    let sweep = "--sweep globalMaxRetries=0..1";
    let line = format!("simulate -f policies {policies} --variant no-retries {sweep} -o json");
    let report = sandbox.run(&line).exits(0).json();
    let columns = report["answer"]["columns"].as_array().expect("columns");
    let names: Vec<&str> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
    let swept = ["globalMaxRetries=0", "globalMaxRetries=1"];
    assert_eq!(names, ["on record", "given", "no-retries", swept[0], swept[1]]);
    // Without retries at all, and with none by the limit, the same jobs fail.
    let failed = &report["answer"]["rows"][1]["values"];
    assert_eq!(failed[2], failed[3]);
    let run = sandbox.run(&format!("simulate {policies} --variant no-retries {sweep}")).exits(2);
    assert!(run.stderr.contains("needs policies"), "{run}");
    let twice = "--variant no-retries --variant no-retries";
    let run = sandbox.run(&format!("simulate --history fleet.jsonl {twice}")).exits(2);
    assert!(run.stderr.contains("the name `no-retries` is already used"), "{run}");
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
fn the_record_has_tables_without_policies() {
    let sandbox = sandbox();
    let line = "simulate --history fleet.jsonl";
    snapshot!("answer_record_tables", sandbox.run(&format!("{line} --show all")).exits(0));
    let wide = sandbox.run(&format!("{line} -o wide")).exits(0);
    assert!(wide.stdout.contains("QUEUE") && wide.stdout.contains("NODE"), "{wide}");
    let dag = sandbox.run("simulate --history airflow/etl.jsonl --show categories,nodes").exits(0);
    for noun in ["category", "node"] {
        assert!(dag.stdout.contains(&format!("\nNo retry on record has a {noun}.\n")), "{dag}");
    }
    for name in ["rules", "decisions", "hours", "disruptions", "changes", "contradictions"] {
        let run = sandbox.run(&format!("{line} --show {name}")).exits(2);
        let help = "without them the tables are record, kinds, retries, nodes, queues, categories, days, all";
        assert!(run.stderr.contains("needs policies") && run.stderr.contains(help), "{run}");
    }
    for name in ["retries", "nodes", "queues", "categories", "days"] {
        let run = sandbox.run(&format!("{line} --show {name} -o csv")).exits(0);
        let header = run.stdout.lines().next().unwrap_or_default().to_owned();
        let figures = "retries,succeeded,failedRetryHours,succeededRetryHours";
        assert!(header.ends_with(figures), "{run}");
    }
}

#[test]
fn no_table_is_shown_twice() {
    let sandbox = sandbox();
    let lax = "--variant lax=policies/infra.yaml --missing-policy skip";
    for flags in ["", POLICIES, &format!("{POLICIES} {lax}")] {
        let policies = flags.strip_prefix("simulate").unwrap_or(flags);
        let line = format!("simulate {policies} --history fleet.jsonl --show record,kinds");
        let run = sandbox.run(&line).exits(0);
        for header in ["jobs failed ", "Retries after", "job fails by", "Jobs fail by"] {
            let count = run.stdout.lines().filter(|line| line.contains(header)).count();
            assert!(count <= 1, "{header}\n{run}");
        }
    }
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

/// A history of which a third of the hours of retries request no GPU.
#[test]
fn the_unit_of_cost_is_chosen() {
    let sandbox = sandbox();
    let run = |job: &str, index: u32, from: u32, to: u32, requests: Value| {
        let time = |hour: u32| format!("2026-10-01T{hour:02}:00:00Z");
        let outcome = if index == 0 { "Failed" } else { "Succeeded" };
        let record = json!({
            "jobId": job, "queue": "q", "runIndex": index, "outcome": outcome, "startedAt": time(from),
            "finishedAt": time(to), "resources": requests,
        });
        format!("{record}\n")
    };
    let with_gpu = json!({"cpu": "4", "nvidia.com/gpu": "8"});
    let without = json!({"cpu": "4"});
    let lines = [
        run("a", 0, 1, 2, with_gpu.clone()),
        run("a", 1, 2, 4, with_gpu),
        run("b", 0, 4, 5, without.clone()),
        run("b", 1, 5, 6, without),
    ];
    sandbox.file("mixed.jsonl", lines.concat());
    let line = "simulate --history mixed.jsonl";
    let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let answer = &report["answer"];
    assert_eq!(answer["unit"], "GPU-hours");
    assert_eq!(answer["uncounted"], json!({"retries": 1, "hours": 1.0, "share": 1.0 / 3.0}));
    let note = &report["notes"][0];
    assert_eq!((&note["kind"], &note["count"]), (&json!("uncountedRetries"), &json!(1)));
    let run = sandbox.run(line).exits(0);
    let text = "note: 33 % of the hours of retries on record are of jobs that request no GPU";
    assert!(run.stdout.contains(text), "{run}");
    for (flag, unit, hours) in
        [("core", "core-hours", 12.0), ("run", "hours", 3.0), ("retries", "retries", 2.0)]
    {
        let report = sandbox.run(&format!("{line} --unit {flag} -o json")).exits(0).json();
        let answer = &report["answer"];
        assert_eq!(answer["unit"], unit);
        let rows = answer["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["id"] == "succeededRetryHours").expect("a row");
        assert_eq!((row["values"][0].as_f64(), &row["unit"]), (Some(hours), &json!(unit)));
        assert_eq!(report["notes"], json!([]), "{flag}");
    }
    // Of retries without hours there is no share.
    sandbox.run("simulate --history fleet.jsonl --unit gpu").exits(0);
    let report = sandbox.run("simulate --history fleet.jsonl --unit gpu -o json").exits(0).json();
    assert_eq!(report["answer"]["uncounted"]["share"], 1.0);
}

#[test]
fn differences_are_from_the_record_or_from_the_first_policies() {
    let sandbox = sandbox();
    let line = format!("{POLICIES} --history fleet.jsonl --variant no-retries");
    let first = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let record = sandbox.run(&format!("{line} --against-record -o json")).exits(0).json();
    assert_eq!((&first["answer"]["base"], &record["answer"]["base"]), (&json!(1), &json!(0)));
    let (first, record) = (&first["answer"]["rows"][1], &record["answer"]["rows"][1]);
    assert_eq!(first["values"], record["values"]);
    let number = |column: usize| record["values"][column].as_f64().expect("a number");
    let from_record = json!([null, number(1) - number(0), number(2) - number(0)]);
    assert_eq!(record["differences"], from_record);
    assert_eq!(first["differences"], json!([null, null, number(2) - number(1)]));
    let run = sandbox.run(&format!("{line} --against-record")).exits(0);
    assert!(run.stdout.contains("under `no-retries` than on record"), "{run}");
    sandbox.run("simulate --cluster c.yaml --workload w.yaml --against-record").exits(2);
    sandbox.run("simulate --cluster c.yaml --workload w.yaml --unit gpu").exits(2);
}

/// The headline and the limit of a column of a sweep are data too.
#[test]
fn the_headline_and_limits_are_data() {
    let sandbox = sandbox();
    for flags in ["", "--variant no-retries", "--sweep globalMaxRetries=0..2"] {
        let line = format!("{POLICIES} --history fleet.jsonl {flags}");
        let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
        let sentences = report["answer"]["sentences"].as_array().expect("sentences").iter();
        let headline: Vec<&str> = sentences.filter_map(Value::as_str).collect();
        let quiet = sandbox.run(&format!("{line} -q")).exits(0).stdout;
        assert_eq!(quiet, headline.join(" ") + "\n", "{flags}");
        let variants = report["variants"].as_array().into_iter().flatten();
        let limits: Vec<&Value> = variants.map(|variant| &variant["sweep"]).collect();
        let limit = |value: u32| json!({"path": "globalMaxRetries", "value": value});
        let expected = match flags.split(' ').next() {
            Some("--sweep") => vec![Value::Null, limit(0), limit(1), limit(2)],
            Some("--variant") => vec![Value::Null, Value::Null],
            _ => vec![],
        };
        assert_eq!(limits.into_iter().cloned().collect::<Vec<_>>(), expected);
    }
}

/// By queue, category and day, and over time: the jobs, those that recovered, and what retries cost.
#[test]
fn groups_have_their_jobs_and_the_cost_of_retries() {
    let sandbox = sandbox();
    let run = |job: &str, queue: &str, hours: [u32; 2], outcome: &str, category: &str| {
        let time = |hour: u32| format!("2026-10-0{}T{:02}:00:00Z", 1 + hour / 24, hour % 24);
        let record = json!({
            "jobId": job, "queue": queue, "outcome": outcome, "category": category,
            "startedAt": time(hours[0]), "finishedAt": time(hours[1]),
        });
        format!("{record}\n")
    };
    let lines = [
        run("a", "few", [1, 2], "Failed", "gpu"),
        run("b", "many", [1, 3], "Failed", "gpu"),
        run("a", "few", [2, 5], "Succeeded", ""),
        run("b", "many", [4, 30], "Failed", "disk"),
        run("c", "few", [30, 31], "Succeeded", ""),
        run("b", "many", [31, 33], "Failed", "disk"),
    ];
    sandbox.file("history.jsonl", lines.concat());
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: all}\n\
        spec: {retryLimit: 9, defaultAction: Retry}\n";
    sandbox.file("all.yaml", policy);
    let line = "simulate -f all.yaml --history history.jsonl -o json";
    let report = sandbox.run(line).exits(0).json();
    let summary = &report["summary"];
    let figures = |group: &str, name: &str| -> Vec<Value> {
        let rows = summary[group].as_array().expect("rows").iter();
        let hours = |row: &Value, field: &str| row[field]["hours"].clone();
        let row = |row: &Value| {
            let jobs = ["jobs", "recovered", "unresolved"].map(|field| row[field].clone());
            json!([row[name], jobs, hours(row, "succeededHours"), hours(row, "lostHours")])
        };
        rows.map(row).collect()
    };
    let queues = [json!(["many", [1, 0, 1], 0.0, 28.0]), json!(["few", [2, 1, 0], 3.0, 0.0])];
    assert_eq!(figures("byQueue", "queue"), queues);
    let categories = [json!(["disk", [1, 0, 1], 0.0, 2.0]), json!(["gpu", [1, 1, 0], 3.0, 26.0])];
    assert_eq!(figures("byCategory", "category"), categories);
    let days =
        [json!(["2026-10-01", [1, 1, 0], 3.0, 26.0]), json!(["2026-10-02", [1, 0, 1], 0.0, 2.0])];
    assert_eq!(figures("byDay", "day"), days);
    let load = &summary["load"];
    let most: Vec<u64> =
        load["most"].as_array().expect("bins").iter().filter_map(Value::as_u64).collect();
    let minutes = load["binMinutes"].as_u64().expect("minutes");
    assert_eq!((load["from"].as_str(), minutes), (Some("2026-10-01T02:00:00Z"), 8));
    assert!(most.len() <= 240 && most[0] == 1 && most.iter().max() == Some(&2), "{most:?}");
    assert_eq!(summary["peak"]["retries"], 2);
    assert_eq!(report["answer"]["load"]["from"], "2026-10-01T02:00:00Z");
}
