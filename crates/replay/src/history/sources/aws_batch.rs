//! Jobs of AWS Batch, as `aws batch describe-jobs` prints them: `{"jobs": [..]}`, one or several one after another, or the
//! bare jobs that `jq '.jobs[]'` leaves. Each attempt that has stopped is a record.
//!
//! The fields are those of `JobDetail`, `AttemptDetail` and `EksAttemptDetail` of the API (botocore 1.44.8,
//! `batch/2016-08-10/service-2.json`). `docs/aws-batch.md` has the table.

use super::elements::{Elements, Next, Piece, Position};
use super::json;
use super::record::SystemRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::Sketch;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use document::units::{GoDuration, Time};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use std::collections::HashSet;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// The status reason of an attempt that exceeded its timeout (User Guide, "Job timeouts").
const TIMEOUT: &str = "Job attempt duration exceeded timeout";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    #[serde(rename = "jobId")]
    id: Option<String>,
    #[serde(rename = "jobQueue")]
    queue: Option<String>,
    status: Option<String>,
    attempts: Option<Vec<Attempt>>,
    eks_attempts: Option<Vec<Attempt>>,
    is_cancelled: Option<bool>,
    is_terminated: Option<bool>,
    array_properties: Option<ArrayProperties>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArrayProperties {
    /// Only the parent of the children has it.
    status_summary: Option<IgnoredAny>,
}

/// An attempt on ECS or on EKS.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    /// On ECS.
    container: Option<Container>,
    /// On ECS, of a job with several containers.
    task_properties: Option<Vec<Task>>,
    /// On EKS.
    containers: Option<Vec<Container>>,
    /// On EKS.
    node_name: Option<String>,
    /// Milliseconds.
    started_at: Option<i64>,
    /// Milliseconds.
    stopped_at: Option<i64>,
    status_reason: Option<String>,
}

#[derive(Deserialize)]
struct Task {
    containers: Option<Vec<Container>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Container {
    #[serde(rename = "containerInstanceArn")]
    instance_arn: Option<String>,
    exit_code: Option<i32>,
    reason: Option<String>,
}

/// The jobs that were read, and how many entries were passed over.
#[derive(Default)]
struct Jobs {
    seen: HashSet<String>,
    repeated: usize,
    parents: usize,
    never_ran: usize,
    ongoing: usize,
}

/// Whether an object has the keys of an answer, of one of its jobs, or of what `list-jobs` prints.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_job = sketch.has("jobId") && sketch.has("jobQueue") && !sketch.has("outcome");
    is_job || sketch.is_list(SUMMARIES) || sketch.has_in_list("jobs", &["jobQueue", "jobArn"])
}

/// Whether an object is an answer without jobs, and without fields of other programs.
pub(super) fn is_without_jobs(sketch: &Sketch) -> bool {
    sketch.is_list("jobs") && sketch.is_alone("jobs")
}

/// The engine that judges the records.
pub(super) const ENGINE: &str = "awsbatch";

/// The list that `list-jobs` prints.
const SUMMARIES: &str = "jobSummaryList";

/// Reads the attempts of jobs.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink<SystemRecord>,
) -> io::Result<()> {
    let mut elements = Elements::new(name, "jobs", bytes);
    let mut jobs = Jobs::default();
    loop {
        let flow = match elements.next()? {
            Next::End => break,
            Next::Broken(fault) => sink.bad(None, fault),
            Next::Piece(piece) => match job_of(&piece) {
                Ok(Some(job)) => jobs.take(&piece, &job, sink),
                Ok(None) => ControlFlow::Continue(()),
                Err(fault) => sink.bad(None, fault),
            },
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    jobs.finish(sink);
    Ok(())
}

/// The job of a piece; an answer without jobs has none.
fn job_of(piece: &Piece<'_>) -> Result<Option<Job>, Fault> {
    if piece.position == Position::Alone {
        let answer: serde_json::Map<String, serde_json::Value> =
            json::read(piece.text, || piece.source())?;
        if answer.contains_key(SUMMARIES) {
            let message = "this is what `aws batch list-jobs` prints, which has no attempts";
            let help = "run `aws batch describe-jobs --jobs ID..`, up to 100 ids at a time";
            return Err(piece.fault(message).help(help).into());
        }
        if answer.contains_key("jobs") {
            return Ok(None);
        }
    }
    json::read(piece.text, || piece.source()).map(Some)
}

impl Jobs {
    /// Passes on the attempts of a job that have stopped. The last one ends as the job does.
    fn take(
        &mut self,
        piece: &Piece<'_>,
        job: &Job,
        sink: &mut dyn SourceSink<SystemRecord>,
    ) -> ControlFlow<()> {
        let Some(id) = json::non_empty(job.id.as_ref()) else {
            return sink.bad(None, piece.fault("the job has no `jobId`").into());
        };
        // The same job is in several answers where ids were given twice.
        if !self.seen.insert(id.to_owned()) {
            self.repeated += 1;
            return ControlFlow::Continue(());
        }
        let has_ended = matches!(job.status.as_deref(), Some("SUCCEEDED" | "FAILED"));
        let attempts = || job.attempts.iter().chain(&job.eks_attempts).flatten();
        let mut stopped: Vec<&Attempt> = attempts().filter(|it| it.stopped_at.is_some()).collect();
        // By their end, as a job's records come in time order.
        stopped.sort_by_key(|it| it.stopped_at);
        self.ongoing += attempts().count() - stopped.len();
        let is_parent = job.array_properties.as_ref().is_some_and(|it| it.status_summary.is_some());
        match attempts().next() {
            None if is_parent => self.parents += 1,
            None if has_ended => self.never_ran += 1,
            None => self.ongoing += 1,
            Some(_) => {}
        }
        for (number, attempt) in stopped.iter().enumerate() {
            // Only the last attempt ends as the job; those before it were retried.
            let outcome = job.outcome(attempt, has_ended && number + 1 == stopped.len());
            sink.record(attempt.record(id, piece.line, outcome, job.queue.as_deref()))?;
        }
        if !has_ended && !stopped.is_empty() {
            sink.outcome(id.to_owned(), Some(UnitOutcome::Open));
        }
        ControlFlow::Continue(())
    }

    fn finish(self, sink: &mut dyn SourceSink<SystemRecord>) {
        let words = ["attempt or job that has not ended", "attempts or jobs that have not ended"];
        sink.skipped_entries(SkippedKind::NotEnded, self.ongoing, words);
        let words = ["job that ended before it ran", "jobs that ended before they ran"];
        sink.skipped_entries(SkippedKind::NeverRan, self.never_ran, words);
        let words = [
            "array job, whose children are jobs of their own",
            "array jobs, whose children are jobs of their own",
        ];
        sink.skipped_entries(SkippedKind::Other, self.parents, words);
        let words = ["job that is listed again", "jobs that are listed again"];
        sink.skipped_entries(SkippedKind::Other, self.repeated, words);
    }
}

impl Job {
    /// The end of an attempt; the last one of a job ends as the job does.
    fn outcome(&self, attempt: &Attempt, is_last: bool) -> &'static str {
        let is_stopped = self.is_terminated == Some(true) || self.is_cancelled == Some(true);
        match self.status.as_deref() {
            Some("SUCCEEDED") if is_last => "SUCCEEDED",
            _ if is_last && is_stopped => "TERMINATED",
            _ if attempt.status_reason.as_deref() == Some(TIMEOUT) => "TIMED_OUT",
            _ => "FAILED",
        }
    }
}

impl Attempt {
    /// Its container; of several the first that failed, else the first.
    fn container(&self) -> Option<&Container> {
        let tasks = self.task_properties.iter().flatten();
        let of_tasks = tasks.flat_map(|task| task.containers.iter().flatten());
        let listed = self.containers.iter().flatten().chain(of_tasks);
        let all = || self.container.iter().chain(listed.clone());
        all().find(|it| it.exit_code.is_some_and(|code| code != 0)).or_else(|| all().next())
    }

    fn record(
        &self,
        id: &str,
        line: usize,
        outcome: &'static str,
        queue: Option<&str>,
    ) -> SystemRecord {
        let container = self.container();
        let host = self.container.as_ref().and_then(|it| it.instance_arn.as_deref());
        let fields = json!({
            "queue": queue.map(last_part),
            "startedAt": self.started_at.and_then(time),
            "finishedAt": self.stopped_at.and_then(time),
            "node": self.node_name.as_deref().or(host.map(last_part)),
            "outcome": outcome,
            "statusReason": self.status_reason,
            "reason": container.and_then(|it| it.reason.as_deref()),
            "exitCode": container.and_then(|it| it.exit_code),
        });
        SystemRecord::new(id, line, fields)
    }
}

/// The name at the end of an ARN.
fn last_part(arn: &str) -> &str {
    arn.rsplit('/').next().unwrap_or(arn)
}

/// The time from milliseconds since 1970, as a text; `None` for 0, which means that there is none.
fn time(milliseconds: i64) -> Option<String> {
    let (seconds, rest) = (milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000));
    let rest = GoDuration::from_nanos(rest * 1_000_000);
    // AWS writes 0 for a time that is not yet known.
    (milliseconds > 0).then(|| Time::from_epoch_seconds(seconds).plus(rest).to_string())
}
