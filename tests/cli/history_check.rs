//! `history check`: each matcher of the report is tried in a replay of the same history, which has to agree.
//!
//! Holds cli.md Commands.

use super::sandbox::{Run, Sandbox, root, snapshot};
use serde_json::{Value, json};

/// Histories of each source, of which some runs failed.
const HISTORIES: [&str; 12] = [
    "sources/armada-events/gateway.jsonl",
    "sources/armada-events/watch-raw.txt",
    "sources/armada-events-recorded/set-1.jsonl",
    "sources/armada-events-recorded/set-2.jsonl",
    "sources/lookout/pages.json",
    "sources/lookout/debug-pages.json",
    "sources/lookout/debug-runs.jsonl",
    "sources/pods/list.json",
    "sources/pods/watch.json",
    "sources/sacct/duplicates.txt",
    "sources/sacct/local-times.txt",
    "history/rp001-broken-line.fixed.jsonl",
];

fn sandbox(file: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let name = file.rsplit('/').next().expect("a name").to_owned();
    sandbox.file(&name, std::fs::read(root().join("testdata").join(file)).expect("a fixture"));
    (sandbox, name)
}

fn check(file: &str, flags: &str) -> Run {
    let (sandbox, name) = sandbox(file);
    sandbox.run(&format!("history check {name} {flags}"))
}

/// The matchers of a rule that a failure matches if it has what a row of the report is about.
fn matchers(report: &Value, row: &Value) -> Value {
    let names = names(row);
    match row["matcher"].as_str().unwrap() {
        // Every code but one that no container has.
        "onExitCodes" => json!({"onExitCodes": {"operator": "NotIn", "values": [77777]}}),
        "onConditions" => json!({"onConditions": [row["condition"]]}),
        "onTerminationMessage" => json!({"onTerminationMessage": {"pattern": "(?s).+"}}),
        "containerName" => {
            json!({"containerName": names[0], "onTerminationMessage": {"pattern": "(?s).+"}})
        }
        "antiAffinity" => json!({
            "onExitCodes": {"operator": "NotIn", "values": [77777]}, "antiAffinity": {"mode": "node"}
        }),
        "onFailureSubcategory" => {
            let rows = report["matchers"].as_array().unwrap();
            let categories = rows.iter().find(|row| row["matcher"] == "onFailureCategory");
            json!({"onFailureCategory": self::names(categories.unwrap()), "onFailureSubcategory": names})
        }
        matcher => json!({matcher: names}),
    }
}

/// The values of a row, or one that no failure has.
fn names(row: &Value) -> Vec<&str> {
    let values = row["values"].as_array().unwrap().iter();
    let values: Vec<&str> = values.map(|value| value["value"].as_str().unwrap()).collect();
    if values.is_empty() { vec!["none"] } else { values }
}

/// The replay of a history through a policy of one rule, which retries all other failures.
fn replay(sandbox: &Sandbox, history: &str, matchers: &Value) -> Value {
    let mut rule = matchers.clone();
    rule["action"] = "Retry".into();
    let policy = json!({
        "apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"},
        "spec": {"defaultAction": "Retry", "rules": [rule]},
    });
    sandbox.file("p.yaml", policy.to_string());
    let flags = "--queue-policies p --timelines none -o json";
    sandbox.run(&format!("simulate -f p.yaml --history {history} {flags}")).exits(0).json()
}

#[test]
fn a_replay_agrees_with_every_row() {
    let (mut matched_rows, mut rows, mut undecided) = (0, 0, Vec::new());
    for file in HISTORIES {
        let (sandbox, history) = sandbox(file);
        let report = sandbox.run(&format!("history check {history} -o json")).exits(0).json();
        assert!(report["failures"].as_u64() > Some(0), "{file}");
        for row in report["matchers"].as_array().unwrap() {
            let replayed = replay(&sandbox, &history, &matchers(&report, row));
            let rules = replayed["summary"]["byRule"].as_array().unwrap();
            let matched = |rule: &Value| rule["matched"].as_u64().unwrap();
            // A policy does not decide of a failure that ends its job whatever the rules are, such as a preemption
            // through the API.
            let compared: u64 = rules.iter().map(matched).sum();
            let others = report["failures"].as_u64().unwrap() - compared;
            let missing = replayed["summary"]["missingParts"].as_array().cloned();
            let missing = missing.unwrap_or_default();
            let missing = missing.iter().find(|part| part["field"] == row["field"]);
            let is_of_others = missing.is_some() && row["failures"].as_u64() <= Some(others);
            let can_match = row["state"] == "canMatch" && !is_of_others;
            if compared > 0 {
                assert_eq!(can_match, missing.is_none(), "{file}: {row}\n{missing:?}");
            }
            if compared == 0 {
                undecided.push(file);
            }
            let matched = rules.iter().find(|rule| rule["ruleIndex"] == 0).map_or(0, matched);
            let is_alone =
                !["containerName", "antiAffinity"].contains(&row["matcher"].as_str().unwrap());
            if is_alone {
                assert!(matched <= row["failures"].as_u64().unwrap(), "{file}: {row}");
                matched_rows += usize::from(matched > 0);
            }
            rows += usize::from(row["state"] == "canMatch" && is_alone && compared > 0);
        }
    }
    // Its only failure ends a gang, whatever the policies are.
    undecided.dedup();
    assert_eq!(undecided, ["sources/armada-events-recorded/set-2.jsonl"]);
    // The preemptions through the API of the first two files are decided without rules.
    assert!(rows > 35 && matched_rows + 2 == rows, "{matched_rows} of {rows}");
}

#[test]
fn the_report_of_each_source() {
    snapshot!("history_check_events", check(HISTORIES[2], ""));
    snapshot!("history_check_lookout", check(HISTORIES[4], ""));
    snapshot!("history_check_pods", check(HISTORIES[7], ""));
    snapshot!("history_check_sacct", check(HISTORIES[9], ""));
}

/// Each run of a history that is not read into memory is counted once, with its node.
#[test]
fn every_run_of_a_stream_is_counted() {
    let (sandbox, history) = sandbox(HISTORIES[11]);
    let line = |job: usize, code: usize| {
        format!(
            r#"{{"jobId":"j{job}","queue":"q{}","finishedAt":"2026-10-01T10:{:02}:00Z","node":"n","outcome":"Failed","containers":[{{"name":"main","exitCode":{code}}}]}}"#,
            job % 3,
            code % 60,
        )
    };
    // More than is read into memory.
    let lines: Vec<String> = (0..60_000).map(|number| line(number / 2, 1 + number % 2)).collect();
    sandbox.file(&history, lines.join("\n"));
    let report = sandbox.run(&format!("history check {history} -o json")).exits(0).json();
    assert_eq!(report["jobs"], 30_000);
    assert_eq!(report["runs"], 60_000);
    assert_eq!(report["failures"], 60_000);
    let codes = &report["matchers"][0]["values"];
    assert_eq!(
        *codes,
        json!([{"value": "1", "failures": 30_000}, {"value": "2", "failures": 30_000}])
    );
    let node = report["matchers"].as_array().unwrap().last().unwrap();
    assert_eq!(node["failures"], 60_000, "a streamed line has its node");
    let queue = &report["fields"][0];
    assert_eq!((&queue["field"], &queue["runs"]), (&json!("queue"), &json!(60_000)));
}

#[test]
fn bad_records_are_errors_unless_they_are_skipped() {
    check("history/rp001-broken-line.bad.jsonl", "").exits(3);
    let skipped = check("history/rp001-broken-line.bad.jsonl", "--on-bad-record skip").exits(0);
    assert!(skipped.stdout.contains("1 bad record was left out"), "{}", skipped.stdout);
}
