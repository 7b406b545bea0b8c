//! The interface for observers of a simulation: its events and rounds.

use crate::failure::FailureKind;
use crate::retry::RunDecision;
use crate::round::{Outcome, PreemptionKind, Refusal};
use crate::spec::Nanoseconds;

/// An event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The time.
    pub time: Nanoseconds,
    /// The kind.
    pub kind: EventKind,
    /// The position of the job's template.
    pub template: usize,
    /// The number of the job in its template.
    pub number: u32,
    /// The number of earlier runs of the job.
    pub attempt: u32,
    /// The node of its run: the positions of the pool and of the node in it.
    pub node: Option<(usize, usize)>,
    /// The time since which it waits, or waited, for the node: of its submission, or its retryAfter.
    pub waiting_since: Nanoseconds,
    /// The time of the first submission.
    pub first_submitted: Nanoseconds,
    /// The time at which the attempt before ended, with all members of its gang.
    pub last_ended: Option<Nanoseconds>,
    /// The time of its lease, if it has one.
    pub leased: Option<Nanoseconds>,
    /// The time from its lease to the start of its work.
    pub pending: Nanoseconds,
    /// The part of this time in which the pods of preempted runs were still on the node.
    pub held: Nanoseconds,
    /// The time at which its pod is gone, if the run was preempted.
    pub gone: Option<Nanoseconds>,
    /// For how long the pod holds its resources after its preemption.
    pub hold: Nanoseconds,
    /// The kind of its preemption, if it was preempted.
    pub preemption: Option<PreemptionKind>,
    /// Why the run failed, or the member of its gang with which it was stopped.
    pub failure: Option<FailureKind>,
    /// The memory that it was granted above its request, in the unit of the resource.
    pub more_memory: i64,
    /// Whether it was preempted for a job that runs again.
    pub is_for_retry: bool,
    /// The decision that granted the run of the event, if one did.
    pub granted: Option<RunDecision>,
    /// The decision about the run that the event ends.
    pub decision: Option<RunDecision>,
}

impl Event {
    /// Returns for how long a run that ends with the event, or goes on, has had its resources.
    pub fn allocated(&self) -> Nanoseconds {
        let since = |leased: Nanoseconds| (self.time - leased - self.held).max(0);
        self.leased.map_or(0, since).saturating_add(self.hold)
    }
}

/// A run that has ended, when it is known what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledRun {
    /// The end of the run.
    pub event: Event,
    /// How time was spent.
    pub spent: Spent,
    /// How the job has ended; `None` if another run follows.
    pub outcome: Option<JobOutcome>,
}

/// How a job has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
}

/// How time was spent. Work that a run has saved counts when the job ends: as useful if it succeeds, else as lost; so
/// does the overhead of all its runs if it fails. Over all runs of a job that has ended, the parts sum to the time
/// that they held resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// The work of a job that succeeded.
    pub useful: Nanoseconds,
    /// Work that has to be repeated, and all time of a job that failed.
    pub lost: Nanoseconds,
    /// The time from the lease to the start of running, and completed saves and restarts.
    pub overhead: Nanoseconds,
}

/// A node that failed, was lost or returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeEvent {
    /// The time.
    pub time: Nanoseconds,
    /// The positions of the pool, and of the node in it.
    pub node: (usize, usize),
    /// Why the node is down; `None` if it returned.
    pub failure: Option<FailureKind>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// The job was submitted.
    Submitted,
    /// The job was queued again, for another run.
    Requeued,
    /// The job got a node.
    Leased,
    /// The job lost its node.
    Preempted,
    /// The job succeeded.
    Succeeded,
    /// Its run failed.
    Failed,
    /// It was ended with its gang.
    Stopped,
}

/// A round of a pool that was run.
#[derive(Debug, Clone, Copy)]
pub struct PoolRound<'a> {
    /// The time.
    pub time: Nanoseconds,
    /// The position of the pool.
    pub pool: usize,
    /// The outcome.
    pub outcome: &'a Outcome,
    /// The entitled share in the pool, by queue.
    pub entitled: &'a [f64],
    /// The number of jobs that run in the pool after the round, by queue.
    pub running: &'a [u32],
    /// The number of those that had earlier runs, by queue.
    pub running_retries: &'a [u32],
    /// The number of jobs that are queued after the round, in all pools, by queue.
    pub queued: &'a [u32],
    /// The number of jobs that wait until they may be queued again, by queue.
    pub backing_off: &'a [u32],
}

/// The state of a job that is not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenState {
    /// It runs, or it has ended and other members of its gang run.
    Running,
    /// It is in its queue.
    Queued,
    /// It waits until it may be queued again.
    BackingOff,
}

/// A job that is not finished.
#[derive(Debug, Clone, Copy)]
pub struct OpenJob<'a> {
    /// The times of the job, and its node if it runs.
    pub event: Event,
    /// How long its runs have held resources, without what is settled.
    pub unfinished: Nanoseconds,
    /// The part of its last run in this, which may have ended before those of other members of its gang.
    pub held: Nanoseconds,
    /// The state of the job.
    pub state: OpenState,
    /// The reason for which the last round refused it.
    pub refusal: Option<&'a Refusal>,
}

/// Receives the events of a simulation.
pub trait Observer {
    /// Receives an event of a job.
    fn event(&mut self, event: Event);

    /// Receives how a run was spent, after its end.
    fn settled(&mut self, run: &SettledRun) {
        let _ = run;
    }

    /// Receives a round of a pool. Rounds that can change nothing may be skipped.
    fn round(&mut self, round: PoolRound<'_>) {
        let _ = round;
    }

    /// Receives a change of a node.
    fn node(&mut self, event: NodeEvent) {
        let _ = event;
    }

    /// Receives the first refusal of a template's job for a reason.
    fn refused(&mut self, template: usize, refusal: &Refusal) {
        let _ = (template, refusal);
    }
}

impl<F: FnMut(Event)> Observer for F {
    fn event(&mut self, event: Event) {
        self(event);
    }
}
