//! AWS Batch: decisions about the failures of a job, and strategies that are refused.
//!
//! Holds cli.md The other systems.

use super::meet;
use document::diag::Source;
use document::{Limits, parse};
use replay::history::OnBadRecord;
use replay::simulate::{self, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use systems::awsbatch::AwsBatchEngine;
use systems::{ManifestSystem, Options};

/// Answers a case.
pub fn run(case: &Value) -> Result<(), String> {
    match case["kind"].as_str() {
        Some("decisions") => {
            let engine = engine(&case["strategy"])?;
            let failures = case["failures"].as_array().ok_or("no failures")?;
            meet("decisions", &decisions(&engine, failures)?, &case["expected"])
        }
        Some("refused") => {
            let part = case["expected"].as_str().ok_or("nothing is expected")?;
            match engine(&case["strategy"]) {
                Err(message) if message.contains(part) => Ok(()),
                Err(message) => Err(format!("`{message}` has no `{part}`")),
                Ok(_) => Err("it is not refused".to_owned()),
            }
        }
        kind => Err(format!("no answer for the kind {kind:?}")),
    }
}

/// Makes the engine of a strategy, or returns the errors about it.
fn engine(strategy: &Value) -> Result<AwsBatchEngine, String> {
    let text = json!({"jobDefinitionName": "case", "retryStrategy": strategy}).to_string();
    let (documents, mut findings) = parse(&Source::new("case", text), Limits::POLICY);
    let document = documents.first().ok_or("no document")?;
    match AwsBatchEngine::read(document, &Options::default(), &mut findings) {
        Some(definition) => Ok(AwsBatchEngine::engine(vec![definition], &Options::default())),
        None => Err(findings.sorted().iter().map(|it| it.message.clone()).collect()),
    }
}

/// Returns the codes of the decisions about a job that fails so.
fn decisions(engine: &AwsBatchEngine, failures: &[Value]) -> Result<Value, String> {
    let lines: Vec<String> = failures
        .iter()
        .map(|failure| {
            let mut record = failure.clone();
            record["jobId"] = json!("job");
            if record["outcome"].is_null() {
                record["outcome"] = json!("FAILED");
            }
            record.to_string()
        })
        .collect();
    let lines = lines.join("\n");
    let (history, findings) = read_history::<AwsBatchEngine>(None, OnBadRecord::Error, |stream| {
        stream.whole_lines("case", &lines);
    });
    if findings.has_errors() {
        return Err(format!("{:?}", findings.sorted()));
    }
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let jobs = simulate(engine, &history.members, options).jobs.ok_or("no timelines")?;
    let codes =
        jobs.iter().flat_map(|job| &job.decisions).map(|decision| decision.decision.clone());
    Ok(codes.collect())
}
