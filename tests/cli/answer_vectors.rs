//! Figures of replays against an independent model: `testdata/vectors/answer.jsonl.gz`.

use super::sandbox::{Sandbox, root};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// The report on the policies of a case; `None` for a case of the record alone.
fn report(case: &Value) -> Option<Value> {
    let columns = case["columns"].as_array().filter(|columns| !columns.is_empty())?;
    let sandbox = Sandbox::new();
    let lines = case["history"].as_array().expect("records").iter().map(|it| format!("{it}\n"));
    sandbox.file("h.jsonl", lines.collect::<String>());
    sandbox.file("scheduler.yaml", text(&case["scheduler"]));
    let mut line = "simulate -f 0.yaml --history h.jsonl --scheduler-config scheduler.yaml \
                    --timelines none -o json"
        .to_owned();
    for (number, column) in columns.iter().enumerate() {
        let documents = match &column["documents"] {
            Value::Array(all) => all.iter().map(text).collect::<Vec<_>>().join("\n---\n"),
            one => text(one),
        };
        sandbox.file(&format!("{number}.yaml"), documents);
        if number > 0 {
            line += &format!(" --variant {}={number}.yaml", text(&column["name"]));
        }
    }
    Some(sandbox.run(&line).exits(0).json())
}

/// A document, which a case has as text or as a value.
fn text(document: &Value) -> String {
    document.as_str().map_or_else(|| document.to_string(), str::to_owned)
}

/// The figures of a summary by the ids of the rows.
fn figures(summary: &Value, unit: &str) -> Vec<(&'static str, f64)> {
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let outcome = |name: &str| number(&summary["outcomes"][name]);
    let decisions = |name: &str| number(&summary["byDecision"][name]);
    let key = match unit {
        "GPU-hours" => "gpuHours",
        "core-hours" => "cpuHours",
        "hours" => "hours",
        _ => "runs",
    };
    let runs = |ending: &str, key: &str| number(&summary["retriedRuns"][ending][key]);
    vec![
        ("jobsSucceeded", outcome("Succeeded")),
        ("jobsFailed", outcome("Failed")),
        ("jobsCancelled", outcome("Cancelled")),
        ("jobsUnresolved", outcome("Unresolved")),
        ("jobsRecovered", number(&summary["recovered"])),
        ("retries", decisions("retry") + decisions("legacy_retry") + decisions("gang_rerun")),
        ("retriesSucceeded", runs("succeeded", "runs")),
        ("succeededRetryHours", runs("succeeded", key)),
        ("failedRetryHours", runs("failed", key) + runs("other", key)),
        ("peakRetries", number(&summary["peak"]["retries"])),
    ]
}

#[test]
fn figures_are_those_of_an_independent_model() {
    let file = File::open(root().join("testdata/vectors/answer.jsonl.gz")).expect("cases");
    let mut compared = 0;
    for case in BufReader::new(GzDecoder::new(file)).lines() {
        let case: Value = serde_json::from_str(&case.expect("text")).expect("a case");
        let Some(report) = report(&case) else { continue };
        let variants = report["variants"].as_array();
        let summaries = variants.map_or_else(
            || vec![&report["summary"]],
            |all| all.iter().map(|one| &one["summary"]).collect(),
        );
        let name = case["name"].as_str().expect("a name");
        let expected = &case["expected"];
        for (column, summary) in summaries.into_iter().enumerate() {
            for (id, actual) in figures(summary, expected["unit"].as_str().expect("a unit")) {
                // Members of a gang that ran again without a failure of their own count in the model alone.
                let is_other = id == "jobsRecovered" && name.ends_with("gangs");
                // The first column is that of the record. No figure and 0 are the same here.
                let Some(row) = expected["rows"].get(id).filter(|_| !is_other) else { continue };
                let wanted = row[column + 1].as_f64().unwrap_or_default();
                let bound = 1e-6 * wanted.abs().max(1.0);
                assert!((actual - wanted).abs() <= bound, "{name}, {id}: {actual}, not {wanted}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1400, "{compared}");
}
