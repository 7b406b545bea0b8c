//! Failures of a unit that no history has, as records, and their replay.

use crate::ManifestSystem;
use document::units::Time;
use replay::history::{OnBadRecord, Table, record_of_pairs};
use replay::simulate::{self, JobReport, Timelines, read_history, simulate};
use serde_json::{Map, Value};
use std::num::NonZeroUsize;

/// The most failures that one sequence is repeated to.
const MOST_RUNS: usize = 24;

/// The seconds between two failures, so that no wait of a Job is longer.
const SPACING: i64 = 600;

/// Replays failures of a unit, repeated until it ends; `None` if they are no records of it.
pub(super) fn replay<S: ManifestSystem>(
    engine: &S,
    unit: &str,
    failures: &[Value],
) -> Option<JobReport> {
    replay_runs(engine, unit, failures, MOST_RUNS.max(failures.len()))
}

/// Replays a number of failures of a unit.
pub(super) fn replay_runs<S: ManifestSystem>(
    engine: &S,
    unit: &str,
    failures: &[Value],
    runs: usize,
) -> Option<JobReport> {
    let repeated = failures.iter().cycle().take(runs);
    let records: Vec<String> = repeated
        .enumerate()
        .map(|(number, failure)| record(engine, unit, failure, number).map(|it| it.to_string()))
        .collect::<Option<_>>()?;
    let lines = records.join("\n");
    let limits = Some(S::limits(&[engine]));
    let (history, findings) = read_history::<S>(limits, OnBadRecord::Error, |stream| {
        stream.whole_lines("failures", &lines);
    });
    if findings.has_errors() || engine.unsupported_record(&history.members).is_some() {
        return None;
    }
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    simulate(engine, &history.members, options).jobs?.into_iter().next()
}

/// Returns the record of a failure, with the fields that its manifest determines.
fn record<S: ManifestSystem>(
    engine: &S,
    unit: &str,
    failure: &Value,
    number: usize,
) -> Option<Value> {
    let fields = failure.as_object()?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let scalars = fields.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?)));
    let scalars: Vec<(String, String)> = scalars.collect();
    let defaults = engine.default_args(unit, &scalars).ok()?;
    let shape = Table::<S::Fields>::RECORD;
    let mut record = record_of_pairs(shape, unit, &[scalars, defaults].concat()).ok()?;
    let nested = fields.iter().filter(|(_, value)| text(value).is_none());
    let map: &mut Map<String, Value> = record.as_object_mut()?;
    map.extend(nested.map(|(key, value)| (key.clone(), value.clone())));
    let seconds = SPACING.checked_mul(i64::try_from(number).ok()?)?;
    map.insert("finishedAt".to_owned(), Time::from_epoch_seconds(seconds).to_string().into());
    // Runs of one member follow each other.
    map.entry("runIndex").or_insert_with(|| number.into());
    Some(record)
}
