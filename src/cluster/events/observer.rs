//! The interface for observers of a simulation: its events and rounds.

use crate::cluster::failure::FailureKind;
use crate::cluster::round::{Outcome, PreemptionKind, Refusal};
use crate::cluster::spec::Nanoseconds;

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
    /// The number of earlier submissions of the job, each of which ended by a preemption.
    pub attempt: u32,
    /// The node of its run: the positions of the pool and of the node in it.
    pub node: Option<(usize, usize)>,
    /// The time of this submission.
    pub submitted: Nanoseconds,
    /// The time of the first submission.
    pub first_submitted: Nanoseconds,
    /// The time at which the attempt before was preempted.
    pub last_preempted: Option<Nanoseconds>,
    /// The time of its lease, if it has one.
    pub leased: Option<Nanoseconds>,
    /// The time from its lease to the start of its work.
    pub pending: Nanoseconds,
    /// The kind of its preemption, if it was preempted.
    pub preemption: Option<PreemptionKind>,
    /// Why the run failed, or the member of its gang with which it was stopped.
    pub failure: Option<FailureKind>,
    /// How the time of the run was spent, if the event ends it.
    pub spent: Spent,
}

/// How the time of a run was spent, from its lease to its end; the parts sum to that time. If the job fails, the
/// overhead of its earlier runs is subtracted from the overhead and counted as lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// The work of a job that succeeded.
    pub useful: Nanoseconds,
    /// Work that has to be repeated, and all time of a job that failed.
    pub lost: Nanoseconds,
    /// The time from the lease to the start of running, and completed saves.
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
    /// The number of jobs that are queued after the round, in all pools, by queue.
    pub queued: &'a [u32],
}

/// A job that is not finished.
#[derive(Debug, Clone, Copy)]
pub struct OpenJob<'a> {
    /// The times of the job, and its node if it runs.
    pub event: Event,
    /// The reason for which the last round refused it.
    pub refusal: Option<&'a Refusal>,
}

/// Receives the events of a simulation.
pub trait Observer {
    /// Receives an event of a job.
    fn event(&mut self, event: Event);

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
