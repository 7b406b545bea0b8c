//! Tests of job definitions through documents, records and reports.

mod compare;
mod convert;
mod engine;
mod read;

use crate::awsbatch::{AttemptFields, AwsBatchEngine, JobDefinition};
use crate::{ManifestSystem, Options};
use document::diag::{Findings, Source};
use document::{Limits, parse};
use replay::history::Member;
use replay::simulate::testing::read_lines;
use serde_json::{Value, json};

/// Reads a definition; `None` if it has errors.
fn read(text: &str) -> (Option<JobDefinition>, Findings) {
    let (documents, mut findings) = parse(&Source::new("job.json", text), Limits::POLICY);
    let definition = AwsBatchEngine::read(&documents[0], &Options::default(), &mut findings);
    (definition, findings)
}

/// Makes the engine of a retry strategy.
fn engine(strategy: &Value) -> AwsBatchEngine {
    let text = json!({"jobDefinitionName": "train", "retryStrategy": strategy}).to_string();
    let (definition, findings) = read(&text);
    let definition = definition.unwrap_or_else(|| panic!("{text}: {:?}", findings.sorted()));
    AwsBatchEngine::engine(vec![definition], &Options::default())
}

/// Makes a job of these attempts without their common fields.
fn member(attempts: &[Value]) -> Member<AttemptFields> {
    let mut lines = String::new();
    for (place, attempt) in attempts.iter().enumerate() {
        let mut attempt = attempt.clone();
        attempt["jobId"] = json!("job");
        if attempt["outcome"].is_null() {
            attempt["outcome"] = json!("FAILED");
        }
        attempt["finishedAt"] = json!(format!("{place}h"));
        lines += &format!("{attempt}\n");
    }
    let (mut members, findings) = read_lines::<AwsBatchEngine>(&lines);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(members.len(), 1);
    members.remove(0)
}
