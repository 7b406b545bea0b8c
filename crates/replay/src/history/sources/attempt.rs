//! Joins the events of a job into runs.
//!
//! Events have no run id: `leased` begins an attempt, and the events after it belong to it until it ends. An end
//! that the scheduler decided (`preempted`, `leaseReturned`, `leaseExpired`) is held until the next attempt, since
//! a `failed` of the same run may follow.

use super::event::{Cause, ContainerStatus, Event, Kind, SubmittedJob};
use super::json::into_non_empty;
use super::kube::annotations;
use super::record::SourceRecord;
use crate::disruption::{Disruptions, Evidence, Source};
use crate::history::armada::ArmadaRun;
use crate::history::job::RunRecord;
use armada_retry::engine::{Container, JobFields, Outcome, Unplaced};
use document::units::{GoDuration, Time};

/// A job, of which some runs may have been passed on.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    queue: Option<String>,
    job: JobFields,
    init: Vec<String>,
    grace: Option<GoDuration>,
    state: State,
    disruptions: Disruptions,
}

#[derive(Debug, Default)]
enum State {
    /// The stream began after the job was submitted.
    #[default]
    Unknown,
    /// It is queued and has had no run yet.
    Queued,
    Running(Box<OpenRun>),
    /// Its run has ended, and a `failed` may follow.
    Ended(Box<SourceRecord>),
    /// Its run has ended and was passed on.
    Over,
}

/// A run that has not ended.
#[derive(Debug, Default)]
struct OpenRun {
    started: Option<Time>,
    node: Option<String>,
    cluster: Option<String>,
}

/// The result of an event.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) runs: Vec<SourceRecord>,
    /// A job or a run without an end to pass on.
    pub(super) unreported: Option<Unreported>,
    /// Whether the job has ended: it has no later events.
    pub(super) is_over: bool,
}

/// Why there is no run to pass on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreported {
    /// A job that was rejected, cancelled or failed before it had a run.
    NeverRan,
    /// A run after which the next began, without an end of its own.
    NoEnd,
}

/// The event that ends a run.
struct EndEvent<'e> {
    run: &'e ArmadaRun,
    reason: Option<&'e str>,
}

impl Evidence for EndEvent<'_> {
    fn exit_code(&self) -> Option<i64> {
        self.run.exit_code()
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.run.has(name, value)
    }

    fn text(&self, name: &str) -> Option<&str> {
        let is_preempted = self.run.outcome == Outcome::Preempted;
        self.reason.filter(|_| is_preempted && name == "preempted.reason")
    }
}

impl Attempts {
    /// The attempts of a job, whose disruptions are recognised by this table.
    pub(super) fn new(disruptions: &Disruptions) -> Self {
        Self { disruptions: disruptions.clone(), ..Self::default() }
    }

    /// Takes the next event of job `id`, from this line.
    pub(super) fn take(&mut self, id: &str, kind: Kind, event: Event, line: usize) -> Progress {
        // Each event has the queue and the job set; the first that names them is enough.
        self.queue = self.queue.take().or_else(|| into_non_empty(event.queue.clone()));
        self.job.job_set =
            self.job.job_set.take().or_else(|| into_non_empty(event.job_set_id.clone()));
        match kind {
            Kind::Submitted => {
                self.submit(event.job.unwrap_or_default());
                self.queue()
            }
            Kind::Queued => self.queue(),
            Kind::Leased => self.lease(event),
            Kind::Pending | Kind::Running => self.update(kind, event),
            Kind::Preempted => self.hold(id, Outcome::Preempted, event, line),
            Kind::LeaseReturned => self.hold(id, Outcome::LeaseReturned, event, line),
            Kind::LeaseExpired => self.hold(id, Outcome::LeaseExpired, event, line),
            Kind::Failed => self.fail(id, event, line),
            Kind::Succeeded => self.end(id, Outcome::Succeeded, event, line),
            Kind::Cancelled => self.end(id, Outcome::Cancelled, event, line),
        }
    }

    /// The run that is held, at the end of the stream.
    pub(super) fn into_held(self) -> Option<SourceRecord> {
        if let State::Ended(record) = self.state { Some(*record) } else { None }
    }

    /// Whether a run has not ended at the end of the stream.
    pub(super) fn is_ongoing(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    /// Whether the job has not ended at the end of the stream: it has a run, or waits for the next one.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Running(_) | State::Over)
    }

    fn submit(&mut self, job: SubmittedJob) {
        let first = job.pod_specs.and_then(|specs| specs.into_iter().next());
        let spec = job.pod_spec.or(first).unwrap_or_default();
        let requested = job.scheduling_resource_requirements.and_then(|it| it.resources());
        self.job.annotations = annotations(job.annotations);
        self.job.resources = requested.or_else(|| spec.resources());
        self.init = spec.init_names().map(str::to_owned).collect();
        self.grace = spec.grace();
    }

    fn queue(&mut self) -> Progress {
        if matches!(self.state, State::Unknown) {
            self.state = State::Queued;
        }
        Progress::default()
    }

    fn lease(&mut self, event: Event) -> Progress {
        let open = OpenRun { cluster: into_non_empty(event.cluster_id), ..OpenRun::default() };
        let mut progress = Progress::default();
        match std::mem::replace(&mut self.state, State::Running(Box::new(open))) {
            State::Ended(record) => progress.runs.push(*record),
            State::Running(_) => progress.unreported = Some(Unreported::NoEnd),
            State::Unknown | State::Queued | State::Over => {}
        }
        progress
    }

    /// A late event of a run that has ended opens no run.
    fn update(&mut self, kind: Kind, event: Event) -> Progress {
        if matches!(self.state, State::Unknown | State::Queued) {
            self.state = State::Running(Box::default());
        }
        if let State::Running(open) = &mut self.state {
            if kind == Kind::Running {
                open.started = event.created().or(open.started);
            }
            open.node = into_non_empty(event.node_name).or(open.node.take());
            open.cluster = into_non_empty(event.cluster_id).or(open.cluster.take());
        }
        Progress::default()
    }

    fn hold(&mut self, id: &str, outcome: Outcome, event: Event, line: usize) -> Progress {
        if let Some(open) = self.take_open() {
            let record = self.record(id, outcome, &open, event, line);
            self.state = State::Ended(Box::new(record));
        }
        Progress::default()
    }

    fn fail(&mut self, id: &str, event: Event, line: usize) -> Progress {
        // A failure that Armada retries is followed by another lease, so that the job goes on.
        let is_over = event.retryable != Some(true);
        let mut progress = Progress { is_over, ..Progress::default() };
        // Armada rejects a job before it is leased, so that there is no run to report.
        if event.cause == Some(Cause::Rejected) || matches!(self.state, State::Queued) {
            progress.unreported = Some(Unreported::NeverRan);
            self.state = State::Over;
            return progress;
        }
        // An error about the placement is the last of a job, and never that of a failure that is retried.
        let unplaced = event.reason.as_deref().filter(|_| is_over).and_then(Unplaced::from_error);
        match std::mem::replace(&mut self.state, State::Over) {
            State::Ended(mut record) => {
                // The second event of a run that ended: only fields that the first lacks.
                let run = &mut record.run;
                if run.own.category.is_empty() {
                    run.own.category = event.failure_category.unwrap_or_default().into();
                }
                if run.own.subcategory.is_empty() {
                    run.own.subcategory = event.failure_subcategory.unwrap_or_default().into();
                }
                run.node =
                    run.node.take().or_else(|| into_non_empty(event.node_name).map(Into::into));
                run.cluster =
                    run.cluster.take().or_else(|| into_non_empty(event.cluster_id).map(Into::into));
                progress.runs.push(*record);
            }
            State::Running(open) => progress.runs.push(self.failure(id, &open, event, line)),
            State::Unknown => {
                progress.runs.push(self.failure(id, &OpenRun::default(), event, line));
            }
            State::Queued | State::Over => {}
        }
        // The first run is the one that the event is about; `fail` passes on one at most.
        if let Some(record) = progress.runs.first_mut() {
            record.run.own.unplaced = unplaced;
        }
        progress
    }

    fn failure(&mut self, id: &str, open: &OpenRun, event: Event, line: usize) -> SourceRecord {
        let outcome = if is_lease_expiry(&event) { Outcome::LeaseExpired } else { Outcome::Failed };
        self.record(id, outcome, open, event, line)
    }

    fn end(&mut self, id: &str, outcome: Outcome, event: Event, line: usize) -> Progress {
        let mut progress = Progress { is_over: true, ..Progress::default() };
        match std::mem::replace(&mut self.state, State::Over) {
            State::Ended(record) => progress.runs.push(*record),
            State::Running(open) => {
                progress.runs.push(self.record(id, outcome, &open, event, line));
            }
            // A job succeeds with a run, also if the stream began after it; it may be cancelled without one.
            State::Unknown if outcome == Outcome::Succeeded => {
                progress.runs.push(self.record(id, outcome, &OpenRun::default(), event, line));
            }
            State::Unknown | State::Queued => progress.unreported = Some(Unreported::NeverRan),
            State::Over => {}
        }
        progress
    }

    /// The open run, or an empty one if the stream began after it.
    fn take_open(&mut self) -> Option<OpenRun> {
        match std::mem::take(&mut self.state) {
            State::Running(open) => Some(*open),
            State::Unknown | State::Queued => Some(OpenRun::default()),
            // A run that ended is not open; its record is kept in place.
            other => {
                self.state = other;
                None
            }
        }
    }

    fn record(
        &mut self,
        id: &str,
        outcome: Outcome,
        open: &OpenRun,
        event: Event,
        line: usize,
    ) -> SourceRecord {
        let condition = match event.cause {
            Some(Cause::Evicted) => Some("Evicted"),
            Some(Cause::OutOfMemory) => Some("OOMKilled"),
            Some(Cause::DeadlineExceeded) => Some("DeadlineExceeded"),
            _ => None,
        };
        let finished_at = event.created();
        let reason = event.reason;
        let mut own = ArmadaRun {
            conditions: condition.into_iter().map(Into::into).collect(),
            containers: self.containers(event.container_statuses.unwrap_or_default()).into(),
            category: event.failure_category.unwrap_or_default().into(),
            subcategory: event.failure_subcategory.unwrap_or_default().into(),
            termination_grace: self.grace,
            ..ArmadaRun::new(outcome)
        };
        let end = EndEvent { run: &own, reason: reason.as_deref() };
        own.disruption = self.disruptions.find(Source::ArmadaEvents, &end);
        let run = RunRecord {
            started_at: open.started,
            finished_at,
            node: into_non_empty(event.node_name).or_else(|| open.node.clone()).map(Into::into),
            cluster: into_non_empty(event.cluster_id)
                .or_else(|| open.cluster.clone())
                .map(Into::into),
            own,
            ..RunRecord::default()
        };
        let (queue, job) = (self.queue.take(), std::mem::take(&mut self.job));
        SourceRecord { id: id.to_owned(), pod: None, queue, job, run, index: None, line }
    }

    /// The containers, init containers first if the job's pod is known.
    fn containers(&self, statuses: Vec<ContainerStatus>) -> Vec<Container> {
        let mut containers: Vec<Container> = statuses
            .into_iter()
            .filter_map(|status| {
                let name = into_non_empty(status.name)?;
                Some(Container {
                    init: self.init.contains(&name),
                    name: name.into(),
                    exit_code: Some(status.exit_code.unwrap_or(0)),
                    reason: status.reason.unwrap_or_default().into(),
                    message: status.message.unwrap_or_default().into(),
                })
            })
            .collect();
        // In the order of the pod's spec; containers that are not of it come last, in theirs.
        let place = |name: &str| self.init.iter().position(|init| init == name);
        containers.sort_by_key(|container| place(&container.name).unwrap_or(usize::MAX));
        containers
    }
}

/// Whether a failure of a job reports an expired lease.
fn is_lease_expiry(event: &Event) -> bool {
    let internal = event.failure_category.as_deref() == Some("internal");
    internal && event.failure_subcategory.as_deref() == Some("lease-expired")
        || event.reason.as_deref().is_some_and(|reason| {
            reason == "Lease expired" || reason.starts_with("Lease expired and not retried")
        })
}
