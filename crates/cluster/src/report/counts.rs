//! The counts of a template of the file, with its copies.

use crate::events::{Event, EventKind, JobOutcome, OpenJob, SettledRun, Spent};
use crate::failure::FailureKind;
use crate::resources::Amounts;
use crate::round::PreemptionKind;
use crate::spec::{JobTemplate, Nanoseconds};
use std::collections::BTreeMap;

/// The counts of a template, with its copies.
#[derive(Debug, Clone, Default)]
pub(super) struct TemplateCounts {
    pub(super) queue: usize,
    /// The request of each job.
    pub(super) request: Amounts,
    /// All jobs, and those that fit no node.
    pub(super) jobs: u64,
    pub(super) unschedulable: u64,
    pub(super) submitted: u64,
    pub(super) succeeded: u64,
    pub(super) attempts: u64,
    pub(super) failed: u64,
    /// The jobs that succeeded in a run that a decision granted.
    pub(super) recovered: u64,
    /// The jobs that failed, by the code of the decision that ended them.
    pub(super) failed_by: BTreeMap<&'static str, u64>,
    /// The retries of jobs by their number, from 1.
    pub(super) retries: BTreeMap<u32, RetryCounts>,
    /// The retries that each rule granted, and the jobs that it ended.
    pub(super) rules: BTreeMap<usize, RetryCounts>,
    /// The retries that waited for their retryAfter.
    pub(super) backed_off: u64,
    /// The runs that failed, by cause, in the order of [`FailureKind`]; all causes that can occur.
    pub(super) causes: Vec<CauseCounts>,
    /// The number of preemptions by cause: fair share, urgency, others.
    pub(super) preempted: [u64; 3],
    /// Those in favour of a retry.
    pub(super) preempted_for_retries: u64,
    /// The runs that ended with their node.
    pub(super) lost_with_node: u64,
    pub(super) last_success: Option<Nanoseconds>,
    pub(super) waits: Vec<Nanoseconds>,
    /// The waits of jobs of which no run failed or was preempted.
    pub(super) undisturbed_waits: Vec<Nanoseconds>,
    pub(super) retry_waits: Vec<Nanoseconds>,
    pub(super) recovery_waits: Vec<Nanoseconds>,
    /// The total times of its runs.
    pub(super) useful: i128,
    pub(super) lost: i128,
    pub(super) overhead: i128,
    pub(super) unfinished: i128,
    /// The memory that its runs were granted above their requests, times their times.
    pub(super) more_memory: i128,
    /// The part of it that was useful.
    pub(super) useful_more_memory: i128,
    /// The name of each reason, and the number of jobs that were refused for it, by the number of the reason.
    pub(super) refusals: BTreeMap<u8, (String, u64)>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RetryCounts {
    pub(super) granted: u64,
    /// Those in which the job succeeded.
    pub(super) succeeded: u64,
    /// Jobs that failed by a decision.
    pub(super) failed: u64,
    /// The total time of these runs that was wasted.
    pub(super) lost: i128,
}

/// The runs of a template that failed for a cause.
#[derive(Debug, Clone, Default)]
pub(super) struct CauseCounts {
    pub(super) name: String,
    pub(super) attempts: u64,
    pub(super) stopped: u64,
    pub(super) failed: u64,
    /// The total time of these runs that was wasted.
    pub(super) lost: i128,
}

impl TemplateCounts {
    pub(super) fn count(&mut self, event: &Event) {
        match event.kind {
            EventKind::Submitted => self.submitted += u64::from(event.attempt == 0),
            EventKind::Leased => self.attempts += 1,
            EventKind::Requeued | EventKind::Succeeded | EventKind::Stopped => {}
            EventKind::Failed => {
                let is_of_node =
                    matches!(event.failure, Some(FailureKind::Node | FailureKind::Spot));
                self.lost_with_node += u64::from(is_of_node);
            }
            EventKind::Preempted => {
                let cause = match event.preemption {
                    Some(PreemptionKind::FairShare) => 0,
                    Some(PreemptionKind::Urgency) => 1,
                    Some(PreemptionKind::Unknown | PreemptionKind::UnknownGang) | None => 2,
                };
                self.preempted[cause] += 1;
                self.preempted_for_retries += u64::from(event.is_for_retry);
            }
        }
        self.count_start(event, event.time);
    }

    /// Counts a run when it is known what follows.
    pub(super) fn settle(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        self.useful += i128::from(spent.useful);
        self.lost += i128::from(spent.lost);
        self.overhead += i128::from(spent.overhead);
        self.more_memory += i128::from(event.more_memory) * i128::from(event.allocated());
        // What runs before have saved had the memory of those runs.
        let useful = spent.useful.min(event.allocated());
        self.useful_more_memory += i128::from(event.more_memory) * i128::from(useful);
        match outcome {
            Some(JobOutcome::Succeeded) => {
                self.succeeded += 1;
                self.last_success = self.last_success.max(Some(event.time));
                self.undisturbed_waits.extend(first_wait(event, event.time));
            }
            Some(JobOutcome::Failed) => {
                self.failed += 1;
                let code = event.decision.filter(|_| event.kind != EventKind::Succeeded);
                let code = code.map(|decision| decision.code);
                *self.failed_by.entry(code.unwrap_or(WITHOUT_DECISION)).or_default() += 1;
            }
            None => {}
        }
        self.count_retry(run);
        if matches!(event.kind, EventKind::Failed | EventKind::Stopped) {
            self.count_failure(run);
        }
    }

    /// Counts the result of a run that was granted, and the decision about its end.
    fn count_retry(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        let has_succeeded = *outcome == Some(JobOutcome::Succeeded);
        let lost = lost_in_run(event, spent);
        if let Some(granted) = event.granted {
            self.recovered += u64::from(has_succeeded);
            let rule = granted.rule.map(|rule| self.rules.entry(rule).or_default());
            let number = self.retries.entry(event.attempt).or_default();
            for counts in rule.into_iter().chain([number]) {
                counts.succeeded += u64::from(has_succeeded);
                counts.lost += lost;
            }
        }
        let Some(decision) = event.decision else { return };
        if outcome.is_none() {
            self.retries.entry(event.attempt.saturating_add(1)).or_default().granted += 1;
        }
        if let Some(rule) = decision.rule {
            let rule = self.rules.entry(rule).or_default();
            rule.granted += u64::from(outcome.is_none());
            rule.failed += u64::from(*outcome == Some(JobOutcome::Failed));
        }
    }

    /// Counts a run that failed, or was stopped with its gang, and the job if it fails with it.
    fn count_failure(&mut self, run: &SettledRun) {
        let SettledRun { event, spent, outcome } = run;
        let Some(cause) = event.failure.and_then(|kind| self.cause(kind)) else { return };
        let is_stopped = event.kind == EventKind::Stopped;
        cause.attempts += u64::from(!is_stopped);
        cause.stopped += u64::from(is_stopped && event.leased.is_some());
        cause.failed += u64::from(*outcome == Some(JobOutcome::Failed));
        cause.lost += lost_in_run(event, spent);
    }

    fn cause(&mut self, kind: FailureKind) -> Option<&mut CauseCounts> {
        match kind {
            FailureKind::Cause(position) | FailureKind::Again(position) => {
                self.causes.get_mut(position)
            }
            _ => self.causes.iter_mut().find(|cause| cause.name == kind.name(&[])),
        }
    }

    /// Counts the wait for the start of a run that has ended, or goes on at the end, if it has started.
    fn count_start(&mut self, event: &Event, end: Nanoseconds) {
        let Some(leased) = event.leased.filter(|_| event.kind != EventKind::Leased) else { return };
        let start = leased.saturating_add(event.pending);
        if start > end {
            return;
        }
        let wait = start - event.waiting_since;
        if event.attempt == 0 { &mut self.waits } else { &mut self.retry_waits }.push(wait);
        self.recovery_waits.extend(event.last_ended.map(|time| start - time));
        let backoff = event.last_ended.map_or(0, |ended| event.waiting_since - ended);
        self.backed_off += u64::from(event.granted.is_some() && backoff > 0);
    }

    /// Counts a job that is not finished at the end.
    pub(super) fn count_open(&mut self, job: &OpenJob<'_>, end: Nanoseconds) {
        self.count_start(&job.event, end);
        self.undisturbed_waits.extend(first_wait(&job.event, end));
        self.unfinished += i128::from(job.unfinished);
        let event = &job.event;
        self.more_memory += i128::from(event.more_memory) * i128::from(event.allocated());
    }
}

/// The name of the decision of jobs that failed without one.
pub const WITHOUT_DECISION: &str = "none";

/// Returns the time of a run that was wasted. What runs before have saved is not wasted in this one.
fn lost_in_run(event: &Event, spent: &Spent) -> i128 {
    i128::from(spent.lost.min(event.allocated()))
}

/// Returns the wait of a job for the start of its first run, if it has started.
fn first_wait(event: &Event, end: Nanoseconds) -> Option<Nanoseconds> {
    // Only the first attempt, since later ones wait for their retry.
    let start = event.leased.filter(|_| event.attempt == 0)?.saturating_add(event.pending);
    (start <= end).then(|| start - event.waiting_since)
}

/// Returns the counts of all causes for which runs of a template can fail. `of_nodes` are those that come from its
/// nodes.
pub(super) fn cause_counts(
    template: &JobTemplate,
    of_nodes: &[FailureKind],
    deadline: Option<Nanoseconds>,
) -> Vec<CauseCounts> {
    let failures = &template.failures;
    let own = (0..failures.causes.len()).map(FailureKind::Cause);
    let deadline = deadline.map(|_| FailureKind::Deadline);
    let all = own.chain(of_nodes.iter().copied()).chain(deadline);
    let named = |kind: FailureKind| CauseCounts {
        name: kind.name(&failures.causes).to_owned(),
        ..CauseCounts::default()
    };
    all.map(named).collect()
}
