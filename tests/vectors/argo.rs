//! Argo: the attempts of a retry node, replayed from its records under the workflow's strategy.
//!
//! Holds cli.md The other systems.

use document::diag::{Findings, Source};
use document::{Limits, parse};
use replay::history::OnBadRecord;
use replay::simulate::{self, DecisionReport, Timelines, read_history, simulate};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use systems::argo::ArgoEngine;
use systems::{ManifestSystem, Options};

/// Replays the attempts of a node and compares the decision about each.
pub fn run(case: &Value) -> Result<(), String> {
    let source = Source::new("workflow.json", case["workflow"].to_string());
    let (documents, mut findings) = parse(&source, Limits::POLICY);
    let manifest = documents
        .first()
        .and_then(|document| ArgoEngine::read(document, &Options::default(), &mut findings));
    let engine = ArgoEngine::new(vec![manifest.ok_or_else(|| refusal(&findings))?]);
    let attempts = case["attempts"].as_array().ok_or("there are no attempts")?;
    let line = |attempt: &Value| {
        let mut record = attempt["record"].clone();
        record["jobId"] = json!("node");
        record["template"] = json!("main");
        record.to_string()
    };
    let lines: Vec<String> = attempts.iter().map(line).collect();
    let (history, findings) = read_history::<ArgoEngine>(Some(()), OnBadRecord::Error, |stream| {
        stream.whole_lines("attempts.jsonl", &lines.join("\n"));
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
    let decisions = jobs.first().map_or(&[][..], |job| &job.decisions);
    if decisions.len() != attempts.len() {
        return Err(format!("{} decisions, not {}", decisions.len(), attempts.len()));
    }
    for (number, (decision, attempt)) in decisions.iter().zip(attempts).enumerate() {
        let (actual, expected) = answers(decision, &attempt["expected"]);
        super::meet(&format!("attempt {number}"), &actual, &expected)?;
    }
    Ok(())
}

/// Returns the answer, and the expected one in the same form. Argo's own words for an error of an expression are not
/// compared, and neither is the last bit of a wait in seconds.
fn answers(decision: &DecisionReport, expected: &Value) -> (Value, Value) {
    let retries = decision.action == "Retry";
    let wait = decision.system.get("backoffSeconds").and_then(Value::as_f64).unwrap_or_default();
    let is_fault = decision.decision == "error_expression";
    let message =
        |text: Option<&str>| (!retries && !is_fault).then(|| text.unwrap_or_default().to_owned());
    let actual = json!({
        "retry": retries,
        "wait": format!("{wait:.6}"),
        "phase": decision.system.text("nodePhase"),
        "isFault": is_fault,
        "message": message(decision.system.text("nodeMessage")),
    });
    let nanos = expected["waitNanos"].as_f64().unwrap_or_default();
    let wanted = json!({
        "retry": expected["retry"],
        "wait": format!("{:.6}", nanos / 1e9),
        "phase": expected["phase"],
        "isFault": expected["isFault"].as_bool().unwrap_or_default(),
        "message": message(expected["message"].as_str()),
    });
    (actual, wanted)
}

fn refusal(findings: &Findings) -> String {
    findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}
