//! Lookout's jobs, as `POST /api/v1/jobs` answers: pages of `{"jobs": [..]}`, one or several one
//! after another, or the bare jobs that `jq -c '.jobs[]'` leaves.
//!
//! The most complete source of Armada's runs: each has its own category and exit code, however the job ended.
//! Not in the pages: containers (of the first one that failed only the exit code, here under the name `main`),
//! messages, termination reasons, pod conditions, run indices, grace periods. `docs/sources.md` has the table.

use super::elements::{Elements, Next, Piece, Position};
use super::json::{self, into_non_empty, time};
use super::kube::{Texts, annotations};
use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::{Sketch, Value};
use crate::diag::{Code, Diagnostic, Place, Span};
use crate::history::armada::{
    ArmadaRun, Container, FAIL_FAST, GANG_CARDINALITY, GANG_ID, JobFields, Outcome, RETRY_POLICY,
    Resources,
};
use crate::history::job::RunRecord;
use crate::history::passed_over::PassedKind;
use crate::units::{Quantity, Time};
use serde::Deserialize;
use std::collections::HashSet;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookoutJob {
    job_id: Option<String>,
    queue: Option<String>,
    job_set: Option<String>,
    annotations: Option<Texts>,
    /// Thousandths of a core.
    cpu: Option<u64>,
    /// Bytes.
    memory: Option<u64>,
    /// Devices.
    gpu: Option<u64>,
    runs: Option<Vec<LookoutRun>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookoutRun {
    cluster: Option<String>,
    node: Option<String>,
    leased: Option<String>,
    pending: Option<String>,
    started: Option<String>,
    finished: Option<String>,
    job_run_state: String,
    exit_code: Option<i64>,
    failure_category: Option<String>,
    failure_subcategory: Option<String>,
}

/// The end of a run by its state.
enum RunEnd {
    Ended(Outcome),
    Ongoing,
    Unknown,
}

/// How many entries were passed over.
#[derive(Default)]
struct PassedCounts {
    repeated: usize,
    ongoing: usize,
    unknown: usize,
}

/// Whether an object has the keys of a page, of a job, or of an answer of Lookout's that is an error: Armada's
/// gateway sends a code beside the text.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_job = sketch.has("jobId") && sketch.has("runs") && !sketch.has("outcome");
    let has_text = matches!(sketch.get("error"), Some(Value::Text(_)));
    sketch.is_list_or_null("jobs") || is_job || sketch.is_error() && has_text && !sketch.has("code")
}

/// Reads pages.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let mut elements = Elements::new(name, "jobs", bytes);
    let mut seen = HashSet::new();
    let mut passed = PassedCounts::default();
    loop {
        let flow = match elements.next()? {
            Next::End => break,
            Next::Broken(finding) => sink.bad(None, finding),
            Next::Piece(piece) => match job_of(&piece) {
                Ok(Some(job)) => runs(&piece, job, &mut seen, &mut passed, sink),
                Ok(None) => ControlFlow::Continue(()),
                Err(finding) => sink.bad(None, finding),
            },
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    let words = ["job listed on an earlier page", "jobs listed on an earlier page"];
    sink.passed_over(PassedKind::Other, passed.repeated, words);
    let words = ["run that has not ended", "runs that have not ended"];
    sink.passed_over(PassedKind::NotEnded, passed.ongoing, words);
    let words = ["run of unknown outcome", "runs of unknown outcome"];
    sink.passed_over(PassedKind::Other, passed.unknown, words);
    Ok(())
}

/// The job of a piece; a page without jobs has none.
fn job_of(piece: &Piece<'_>) -> Result<Option<LookoutJob>, Fault> {
    if piece.position == Position::Alone {
        let page: serde_json::Map<String, serde_json::Value> =
            json::read(piece.text, || piece.source())?;
        if page.is_empty() || page.contains_key("jobs") {
            return Ok(None);
        }
        if let Some(error) = page.get("error").and_then(serde_json::Value::as_str) {
            return Err(
                fault_at(piece, format!("the server answered with an error: {error}")).into()
            );
        }
    }
    json::read(piece.text, || piece.source()).map(Some)
}

fn fault_at(piece: &Piece<'_>, message: impl Into<String>) -> Diagnostic {
    let (source, begin) = piece.source();
    let place = Place::new(&source, Span::new(begin, begin + 1));
    Diagnostic::error(Code::BadRecord, place, message)
}

/// The runs of a job, in the order of their times.
fn runs(
    piece: &Piece<'_>,
    job: LookoutJob,
    seen: &mut HashSet<String>,
    passed: &mut PassedCounts,
    sink: &mut dyn SourceSink,
) -> ControlFlow<()> {
    let Some(id) = into_non_empty(job.job_id) else {
        return sink.bad(None, fault_at(piece, "the job has no `jobId`").into());
    };
    // Pages shift while jobs are submitted between two requests.
    if !seen.insert(id.clone()) {
        passed.repeated += 1;
        return ControlFlow::Continue(());
    }
    let mut queue = into_non_empty(job.queue);
    let mut fields = JobFields {
        job_set: into_non_empty(job.job_set),
        annotations: annotations(job.annotations.map(with_prefix)),
        resources: resources(job.cpu, job.memory, job.gpu),
        gang: None,
    };
    let mut runs = Vec::new();
    for run in job.runs.unwrap_or_default() {
        match RunEnd::of(&run.job_run_state) {
            Some(RunEnd::Ended(outcome)) => match record(run, outcome) {
                Ok(run) => runs.push(run),
                Err(message) => {
                    let fault = fault_at(piece, format!("a run of job `{id}`: {message}"));
                    sink.bad(Some(&id), fault.into())?;
                }
            },
            Some(RunEnd::Ongoing) => passed.ongoing += 1,
            Some(RunEnd::Unknown) => passed.unknown += 1,
            None => {
                let message = format!("job `{id}` has a run of state `{}`", run.job_run_state);
                sink.bad(Some(&id), fault_at(piece, message).into())?;
            }
        }
    }
    runs.sort_by_key(|(began, _)| *began);
    runs.into_iter().try_for_each(|(_, run)| {
        let job = std::mem::take(&mut fields);
        sink.record(SourceRecord {
            id: id.clone(),
            pod: None,
            queue: queue.take(),
            job,
            run,
            index: None,
            line: piece.line,
        })
    })
}

impl RunEnd {
    fn of(state: &str) -> Option<Self> {
        Some(match state {
            "RUN_SUCCEEDED" => Self::Ended(Outcome::Succeeded),
            "RUN_FAILED" => Self::Ended(Outcome::Failed),
            "RUN_PREEMPTED" => Self::Ended(Outcome::Preempted),
            "RUN_LEASE_EXPIRED" => Self::Ended(Outcome::LeaseExpired),
            "RUN_CANCELLED" => Self::Ended(Outcome::Cancelled),
            // None of these is a failure to the engine: the pod did not run.
            "RUN_LEASE_RETURNED" | "RUN_UNABLE_TO_SCHEDULE" | "RUN_MAX_RUNS_EXCEEDED" => {
                Self::Ended(Outcome::LeaseReturned)
            }
            "RUN_LEASED" | "RUN_PENDING" | "RUN_RUNNING" => Self::Ongoing,
            "RUN_TERMINATED" => Self::Unknown,
            _ => return None,
        })
    }
}

/// A run, and its first time.
fn record(run: LookoutRun, outcome: Outcome) -> Result<(Option<Time>, RunRecord), String> {
    let started = time("started", run.started.as_ref())?;
    let finished = time("finished", run.finished.as_ref())?;
    let leased = time("leased", run.leased.as_ref())?;
    let pending = time("pending", run.pending.as_ref())?;
    let code = run.exit_code.filter(|code| *code != 0);
    let own = ArmadaRun {
        containers: code.map(|code| main_container(Some(code))).into_iter().collect(),
        category: run.failure_category.unwrap_or_default().into(),
        subcategory: run.failure_subcategory.unwrap_or_default().into(),
        ..ArmadaRun::new(outcome)
    };
    let record = RunRecord {
        started_at: started,
        finished_at: finished,
        node: into_non_empty(run.node).map(Into::into),
        cluster: into_non_empty(run.cluster).map(Into::into),
        own,
        ..RunRecord::default()
    };
    Ok((leased.or(pending).or(started).or(finished), record))
}

/// The container of an exit code for which a source has no name.
pub(super) fn main_container(exit_code: Option<i64>) -> Container {
    Container { name: "main".into(), exit_code, ..Container::default() }
}

/// Annotations with Armada's prefix: Lookout removes a prefix that is configured, by default that one.
fn with_prefix(mut all: Texts) -> Texts {
    for key in [FAIL_FAST, RETRY_POLICY, GANG_ID, GANG_CARDINALITY] {
        let short = key.rsplit('/').next().unwrap_or(key);
        if let Some(value) = all.remove(short) {
            all.entry(key.to_owned()).or_insert(value);
        }
    }
    all
}

fn resources(cpu: Option<u64>, memory: Option<u64>, gpu: Option<u64>) -> Option<Resources> {
    let quantity = |amount: Option<u64>, unit: &str| {
        let amount = amount.filter(|amount| *amount > 0)?;
        Quantity::parse(&format!("{amount}{unit}")).ok()
    };
    let resources =
        Resources { cpu: quantity(cpu, "m"), memory: quantity(memory, ""), gpu: quantity(gpu, "") };
    (resources != Resources::default()).then_some(resources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::sources::tests::Collected;

    #[test]
    fn runs_are_ordered_by_time() {
        let collected = Collected::of(read, "lookout/pages.json");
        assert_eq!(
            collected.runs(),
            [
                "1: 01k6a Failed 10:01:00..10:10:00 gpu-17 main=137 memory/oom",
                "1: 01k6a LeaseReturned -..10:14:00 - internal/stuck-terminating",
                "1: 01k6a Failed 10:31:00..10:45:00 gpu-21 main=2 user/bad-input",
                "1: 01k6b Preempted 10:01:00..10:05:00 gpu-03",
                "1: 01k6c LeaseExpired 10:01:00..10:20:00 gpu-04",
                "1: 01k6c Succeeded 10:22:00..10:40:00 gpu-05",
                "2: 01k6e Cancelled 10:01:00..10:30:00 gpu-07",
            ]
        );
        assert_eq!(
            collected.passed_over,
            [
                "1 job listed on an earlier page",
                "1 run that has not ended",
                "1 run of unknown outcome"
            ]
        );
        let first = &collected.records[0];
        assert_eq!(first.job.resources.unwrap().cpu, Quantity::parse("4").ok());
        assert_eq!(collected.records[1].job, JobFields::default());
        let gang = collected.records[3].job.annotations.as_ref().unwrap();
        assert_eq!(gang.get(GANG_ID).map(String::as_str), Some("g1"), "its prefix is back");
        assert_eq!(gang.len(), 2);
    }

    #[test]
    fn findings_about_jobs_have_places() {
        let collected = Collected::of(read, "lookout/bad.json");
        assert_eq!(
            collected.bad,
            [
                "x:3:5: job `01k6a` has a run of state `RUN_AWAY`",
                "x:3:5: a run of job `01k6a`: `finished`: invalid RFC 3339 time `yesterday`",
                "x:4:15: invalid record: expected a string, found the number `7`",
                "x:5:5: the job has no `jobId`",
                "x:9:1: the server answered with an error: page too far",
            ]
        );
        assert_eq!(collected.records.len(), 3);
    }

    #[test]
    fn bare_jobs_are_jobs() {
        let text =
            r#"{"jobId":"a","runs":[{"jobRunState":"RUN_FAILED"}]} {"jobId":"b","runs":null}"#;
        let mut collected = Collected::default();
        read("x", &mut text.as_bytes(), &mut collected).unwrap();
        assert_eq!(collected.runs(), ["1: a Failed -..- -"]);
    }
}
