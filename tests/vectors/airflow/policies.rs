//! Retry policies: the tries of a task, replayed from its records.

use document::diag::{Findings, Source};
use document::{Limits, parse};
use replay::history::OnBadRecord;
use replay::simulate::{self, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use systems::airflow::AirflowEngine;
use systems::{ManifestSystem, Options};

/// Replays the records of a task and compares each answer.
pub fn run(case: &Value) -> Result<(), String> {
    let document = json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "RetryProfile",
        "metadata": {"name": "p"},
        "spec": {"system": "airflow", "profile": case["profile"], "policy": case["policy"]},
    });
    let source = Source::new("p.json", document.to_string());
    let (documents, mut findings) = parse(&source, Limits::POLICY);
    let manifest = documents
        .first()
        .and_then(|document| AirflowEngine::read(document, &Options::default(), &mut findings));
    let manifest = manifest.ok_or_else(|| refusal(&findings))?;
    let engine = AirflowEngine::new(manifest);
    let records = case["records"].as_array().ok_or("there are no records")?;
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let (history, findings) =
        read_history::<AirflowEngine>(Some(()), OnBadRecord::Error, |stream| {
            stream.whole_lines("tries.jsonl", &lines.join("\n"));
        });
    if findings.has_errors() {
        return Err(refusal(&findings));
    }
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let jobs = simulate(&engine, &history.members, options).jobs.unwrap_or_default();
    let answers: Vec<Value> = jobs
        .iter()
        .flat_map(|job| &job.decisions)
        .map(|decision| {
            let seconds = decision.delay_seconds;
            json!({
                "state": decision.action,
                "micros": seconds.map(|seconds| format!("{:.0}", seconds * 1e6)),
                "reason": decision.system.text("retryReason"),
                "try_number": decision.system.count("try_number"),
            })
        })
        .collect();
    let expected = case["expected"].as_array().ok_or("nothing is expected")?;
    let wanted = |answer: &Value| {
        let mut answer = answer.clone();
        answer["micros"] = json!(answer["micros"].as_i64().map(|micros| micros.to_string()));
        answer
    };
    let expected: Vec<Value> = expected.iter().map(wanted).collect();
    if answers == expected {
        Ok(())
    } else {
        Err(format!("the answers are {}, not {}", json!(answers), json!(expected)))
    }
}

fn refusal(findings: &Findings) -> String {
    findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}
