//! Histories of one member: made of records of failures, read, and replayed.

use crate::{ManifestSystem, System};
use document::diag::{Findings, Source};
use document::units::Time;
use replay::history::{History, Member, OnBadRecord, RecordFields, Run};
use replay::simulate::{
    DecisionNote, DecisionReport, Draws, NotedReplay, Units, read_history, replay_noted,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The unit of all histories.
const UNIT: &str = "difference";

/// The seed of the random numbers of replays.
const SEED: u64 = 0;

/// Returns the random bits of a run of a replay, by its position.
pub(super) fn draw(position: u32) -> u64 {
    Draws::of(SEED, UNIT).at(position)
}

/// The outcome of a unit that goes on.
const UNRESOLVED: &str = "Unresolved";

/// A run that failed: its fields, its start and its end.
pub(super) type Failed<'r> = (&'r Value, [Time; 2]);

/// Returns a `FailureHistory` of one unit, whose failures are records without times.
pub(super) fn history(failures: &[Failed<'_>]) -> Value {
    let run = |(record, [start, end]): &Failed<'_>| {
        let mut run = (*record).clone();
        if let Some(fields) = run.as_object_mut() {
            fields.insert("startedAt".to_owned(), json!(start.to_string()));
            fields.insert("finishedAt".to_owned(), json!(end.to_string()));
        }
        run
    };
    let runs: Vec<Value> = failures.iter().map(run).collect();
    document(&[json!({"jobId": UNIT, "runs": runs})])
}

fn document(jobs: &[Value]) -> Value {
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "FailureHistory",
        "spec": {"jobs": jobs},
    })
}

type Fields<S> = <S as Units>::Fields;

/// Reads records as the only run of a member each, all of the unit of histories; `None` if one is not valid.
pub(super) fn read_runs<S: System>(
    engines: [&S; 2],
    records: &[Value],
) -> Option<Vec<Member<Fields<S>>>> {
    let job = |(number, record): (usize, &Value)| json!({"jobId": format!("{UNIT}-{number}"), "runs": [record]});
    let jobs: Vec<Value> = records.iter().enumerate().map(job).collect();
    let (mut history, findings) = read::<S>(Some(S::limits(&engines)), &document(&jobs));
    // Waits may depend on the name of the unit.
    for member in &mut history.members {
        member.unit = UNIT.into();
    }
    let is_one_each = history.members.len() == records.len()
        && history.members.iter().all(|member| member.runs.len() == 1);
    (is_one_each && !findings.has_errors()).then_some(history.members)
}

fn read<S: System>(
    limits: Option<<Fields<S> as RecordFields>::Limits>,
    history: &Value,
) -> (History<Fields<S>>, Findings) {
    let source = Arc::new(Source::new("difference", history.to_string()));
    read_history::<S>(limits, OnBadRecord::Error, |stream| stream.text(&source))
}

/// The decision of a version about the last failure of a history.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// Whether another run follows, or the run goes on. A unit that has not ended may have none.
    pub continues: bool,
    /// The decision; without a code if the run goes on, or if nothing follows although nothing ends.
    pub decision: DecisionReport,
    /// The consequence for the other members of the unit.
    pub others: &'static str,
    /// Whether a limit ended the unit.
    pub is_exhausted: bool,
}

/// Returns the wait that a decision grants: its seconds, or its end. No wait is one of no time.
pub fn wait(decision: &DecisionReport) -> (f64, Option<&str>) {
    match decision.delay_seconds {
        Some(seconds) => (seconds, None),
        None => (0.0, decision.retry_after.as_deref()),
    }
}

impl Replayed {
    /// Whether the consequences differ: a run follows in one, the waits differ, or what happens to other members.
    pub fn differs(&self, other: &Self) -> bool {
        self.continues != other.continues
            || self.continues && wait(&self.decision) != wait(&other.decision)
            || self.others != other.others
    }
}

/// Returns what both versions do about the last failure of a history, as `simulate` replays it; `None` if one of them does not
/// reach it.
///
/// # Errors
///
/// The findings, if the history is not valid.
pub fn replay<S: ManifestSystem>(
    engines: [&S; 2],
    history: &Value,
) -> Result<Option<[Replayed; 2]>, Findings> {
    let (history, findings) = read::<S>(Some(S::limits(&engines)), history);
    if findings.has_errors() {
        return Err(findings);
    }
    let runs: usize = history.members.iter().map(|member| member.runs.len()).sum();
    let last_run = history.members.iter().flat_map(|member| &member.runs).next_back();
    let last = |engine: &S| {
        let NotedReplay { jobs, notes } = replay_noted(engine, &history.members, SEED);
        let (_, job) = jobs.first()?;
        let reached = runs.checked_sub(usize::try_from(job.not_reached).ok()?)?;
        let run = last_run.filter(|_| reached == runs)?;
        let note = notes.into_iter().next_back();
        let Some(DecisionNote { facts, report, .. }) =
            note.filter(|note| note.run_index == run.run_index)
        else {
            // A run without a decision goes on, or nothing follows, such as after a pod of a paused Job of a set.
            let (continues, decision) = (run.own.is_ongoing(), DecisionReport::for_run(run));
            let is_exhausted = false;
            return Some(Replayed { continues, decision, others: "", is_exhausted });
        };
        let continues = job.outcome == UNRESOLVED && facts.retry;
        let (others, is_exhausted) = (S::others_after(engines, facts.code), facts.exhausted);
        Some(Replayed { continues, decision: report, others, is_exhausted })
    };
    let [old, new] = engines.map(last);
    Ok(old.zip(new).map(Into::into))
}

/// The run of a member with other times and another number.
pub(super) fn run_at<F: Clone>(run: &Run<F>, number: u32, [start, end]: [Time; 2]) -> Run<F> {
    Run { run_index: number, started_at: Some(start), finished_at: Some(end), ..run.clone() }
}
