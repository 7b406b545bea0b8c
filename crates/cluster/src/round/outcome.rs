//! The outcome of a round.

use super::refusal::Refusal;
use super::refusals::Refusals;
use crate::job::JobIndex;
use crate::resources::Amounts;
use crate::share::Shares;
use std::collections::BTreeMap;

/// The outcome of a round.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Jobs that start.
    pub scheduled: BTreeMap<JobIndex, Placement>,
    /// Jobs that ran and are preempted.
    pub preempted: BTreeMap<JobIndex, Preemption>,
    /// Jobs that were considered and stay queued. Other queued jobs were not considered.
    pub refused: Refusals,
    /// Each queue's shares and costs.
    pub queues: Vec<QueueOutcome>,
    /// The reason for which the round ended.
    pub end: RoundEnd,
}

/// The placement of a job that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The position of the node.
    pub node: usize,
    /// The priority that it is scheduled at.
    pub priority: i32,
    /// The method of its placement.
    pub method: Method,
}

/// The methods of placing a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Free resources were sufficient.
    NoPreemption,
    /// Jobs of queues above their share are preempted.
    FairShare,
    /// Jobs of lower priority are preempted.
    Urgency,
    /// The job uses away nodes: nodes of another type.
    Away,
    /// The job was placed, evicted and placed again.
    Rescheduled,
}

/// The preemption of a running job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preemption {
    /// The node.
    pub node: usize,
    /// The kind of the preemption.
    pub kind: PreemptionKind,
    /// The job that replaced it, if known: for an urgent one, if only one was placed on the node; under the
    /// profile `seed` the last one that was placed there.
    pub by: Option<JobIndex>,
}

/// The kinds of preemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreemptionKind {
    /// A job of a queue below its share replaced it.
    FairShare,
    /// A job of higher priority was placed on its node.
    Urgency,
    /// The job no longer fits on its node.
    Unknown,
    /// The job or another member of its gang no longer fits on its node.
    UnknownGang,
}

/// The reasons for which a round ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RoundEnd {
    /// No job was left.
    #[default]
    NoJobLeft,
    /// A limit was reached.
    Limit(Refusal),
}

/// The shares and costs of a queue in a round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueueOutcome {
    /// The shares.
    pub shares: Shares,
    /// The cost of its allocation before the round.
    pub cost_before: f64,
    /// The cost of its allocation after the round.
    pub cost_after: f64,
    /// The allocation of its jobs after the round, by class.
    pub allocated: Vec<Amounts>,
    /// The tokens that its new jobs took.
    pub tokens_taken: u32,
}
