//! The history of a difference: its records, its replay with both versions, its file.

use crate::cli::{Exit, Refusal};
use crate::report::ComparisonReport;
use anyhow::Result;
use armada_retry::engine::compare::{Difference, Group, WitnessFailure};
use document::units::{GoDuration, Time};
use replay::history::OnBadRecord;
use replay::simulate::{DecisionReport, Options, Timelines, read_history, simulate};
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::path::Path;
use systems::armada::Armada;

/// The begin of all histories.
const START: &str = "2026-01-01T00:00:00Z";
/// The time from the start of a run to that of the next one: longer than usual backoffs.
const PERIOD: GoDuration = GoDuration::from_secs(24 * 60 * 60);
/// The time that each run takes.
const RUNTIME: GoDuration = GoDuration::from_secs(10 * 60);

/// The reason why a difference is not known.
pub(super) const NOT_REPLAYED: &str = "the replay of the history does not confirm the difference";

/// The runs of the job, as a `FailureHistory` has them.
fn records(queue: &str, failures: &[WitnessFailure]) -> Value {
    let runs: Vec<Value> = (0_u32..).zip(failures).map(|(number, it)| run(number, it)).collect();
    let mut job = json!({"jobId": "difference", "resources": {"memory": "1Gi"}, "runs": runs});
    if let (Some(job), false) = (job.as_object_mut(), queue.is_empty()) {
        job.insert("queue".to_owned(), json!(queue));
    }
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "FailureHistory",
        "spec": {"start": START, "jobs": [job]},
    })
}

fn run(number: u32, failure: &WitnessFailure) -> Value {
    let start = GoDuration::from_nanos(PERIOD.as_nanos().saturating_mul(i64::from(number)));
    let end = GoDuration::from_nanos(start.as_nanos().saturating_add(RUNTIME.as_nanos()));
    let mut run = Map::new();
    run.insert("startedAt".to_owned(), json!(start.to_string()));
    run.insert("finishedAt".to_owned(), json!(end.to_string()));
    if failure.is_pod_gone {
        run.insert("terminationConfirmedAt".to_owned(), json!(end.to_string()));
    }
    run.insert("node".to_owned(), json!(WitnessFailure::node(number)));
    run.insert("outcome".to_owned(), json!(failure.outcome.as_str()));
    if !failure.conditions.is_empty() {
        run.insert("conditions".to_owned(), json!(failure.conditions));
    }
    for (key, value) in [("category", &failure.category), ("subcategory", &failure.subcategory)] {
        if !value.is_empty() {
            run.insert(key.to_owned(), json!(value));
        }
    }
    let containers: Vec<Value> = failure
        .containers
        .iter()
        .map(|container| {
            let mut one = json!({"name": container.name, "reason": container.reason});
            let Some(fields) = one.as_object_mut() else { return one };
            if let Some(code) = container.exit_code {
                fields.insert("exitCode".to_owned(), json!(code));
            }
            if container.init {
                fields.insert("init".to_owned(), json!(true));
            }
            if !container.message.is_empty() {
                fields.insert("message".to_owned(), json!(container.message));
            }
            one
        })
        .collect();
    if !containers.is_empty() {
        run.insert("containers".to_owned(), json!(containers));
    }
    Value::Object(run)
}

/// The smallest difference of a group that the replay of its history confirms, with the history and the last decisions.
pub(super) fn confirmed<'g>(
    engines: &[Armada; 2],
    queue: &str,
    group: &'g Group,
) -> Result<Option<(&'g Difference, Value, [DecisionReport; 2])>> {
    for difference in group.witnesses() {
        let history = records(queue, &difference.failures);
        if let Some(decisions) = replay(engines, &history)? {
            return Ok(Some((difference, history, decisions)));
        }
    }
    Ok(None)
}

/// The last decisions of both versions, as `simulate` makes them.
///
/// `None` if they do not differ: then the history shows nothing.
fn replay(engines: &[Armada; 2], records: &Value) -> Result<Option<[DecisionReport; 2]>> {
    let job = &records["spec"]["jobs"][0];
    let mut lines = String::new();
    for (number, run) in job["runs"].as_array().into_iter().flatten().enumerate() {
        let mut record = run.as_object().cloned().unwrap_or_default();
        record.insert("jobId".to_owned(), job["jobId"].clone());
        record.insert("runIndex".to_owned(), json!(number));
        record.insert("resources".to_owned(), job["resources"].clone());
        if let Some(queue) = job.get("queue") {
            record.insert("queue".to_owned(), queue.clone());
        }
        for field in ["startedAt", "finishedAt", "terminationConfirmedAt"] {
            if let Some(offset) = record.get_mut(field) {
                *offset = json!(absolute(offset).map(|time| time.to_string()));
            }
        }
        lines += &format!("{}\n", Value::Object(record));
    }
    let (history, findings) = read_history::<Armada>(None, OnBadRecord::Error, |stream| {
        stream.whole_lines("difference", &lines);
    });
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    let options = Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    let last = |engine: &Armada| {
        let report = simulate(engine, &history.members, options);
        report.jobs?.into_iter().next()?.decisions.into_iter().next_back()
    };
    let both = last(&engines[0]).zip(last(&engines[1]));
    Ok(both.filter(|(old, new)| !old.has_same_effect(new)).map(Into::into))
}

/// The time at an offset from the begin of all histories.
fn absolute(offset: &Value) -> Option<Time> {
    let offset = GoDuration::parse(offset.as_str()?).ok()?;
    Some(Time::parse(START).ok()?.plus(offset))
}

/// Writes the history of each difference: `1-policy-NAME.yaml`. The number keeps apart a policy and a queue, and names that
/// differ only in characters that a file name does not have.
pub(super) fn write(directory: &Path, report: &ComparisonReport) -> Result<()> {
    let fail = |error: std::io::Error| {
        Refusal::input(format!("cannot write to `{}`: {error}", directory.display()))
    };
    std::fs::create_dir_all(directory).map_err(fail)?;
    if std::fs::read_dir(directory).map_err(fail)?.next().is_some() {
        let message = format!("`{}` has files already", directory.display());
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
        return Err(refusal.help("name another directory, or remove it").into());
    }
    for (number, (kind, name, history)) in (1..).zip(report.histories()) {
        let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.';
        let [kind, name] = [kind, name].map(|text| text.replace(is_other, "_"));
        let text = crate::report::yaml(history)?;
        let file = directory.join(format!("{number}-{kind}-{name}.yaml"));
        std::fs::write(file, text).map_err(fail)?;
    }
    Ok(())
}
