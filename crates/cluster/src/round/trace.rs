//! The record of a round: all trials of gangs, in order, with their results.
//!
//! Only `explain round` records a round; without a record each step costs one branch.

use super::node_group::NodeGroup;
use super::outcome::Placement;
use super::refusal::Refusal;
use crate::job::JobIndex;
use std::collections::HashMap;
use std::rc::Rc;

/// The record of a round.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The trials of gangs, in order. A job without a gang is a gang of one.
    pub trials: Vec<Trial>,
    /// The evictions of running jobs, in order.
    pub evictions: Vec<Eviction>,
    /// The number of evictions in the first pass.
    pub(super) first_evictions: usize,
    /// The cost of each queue as a fraction of its share, and whether its jobs are evicted.
    pub eviction_tests: Vec<EvictionTest>,
    /// The jobs that were not tried, and the job of the same shape that had been refused.
    pub skipped: Vec<(JobIndex, JobIndex)>,
    /// Whether the lookback limit of each queue was reached.
    pub lookbacks_reached: Vec<bool>,
    pub(super) current: Current,
    /// The first refused job of each shape.
    pub(super) refused_shapes: HashMap<usize, JobIndex>,
    /// The nodes of gangs that were refused since the nodes last changed.
    pub(super) unchanged: HashMap<UnplacedKey, Rc<[NodeGroup]>>,
}

/// The shapes of the members up to the one without a node, and the value of the gang's label.
pub(super) type UnplacedKey = (Vec<usize>, Option<String>);

/// A trial of a gang.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The position of its queue.
    pub queue: usize,
    /// The members.
    pub members: Vec<JobIndex>,
    /// Whether it was running, and was evicted.
    pub is_evicted: bool,
    /// Whether it was tried after the second eviction.
    pub is_second_pass: bool,
    /// The cost of its queue without it, over the queue's weight.
    pub cost: f64,
    /// The cost of its queue with it, over the queue's weight.
    pub cost_with: f64,
    /// The demand-capped share of its queue, over the queue's weight.
    pub budget: f64,
    /// The result.
    pub result: TrialResult,
}

/// The result of a trial.
#[derive(Debug, Clone)]
pub enum TrialResult {
    /// All members have a node.
    PlacedMember(Vec<PlacedMember>),
    /// No member has a node. Refusals for lack of a node have the member that had none.
    Refused(Refusal, Option<UnplacedMember>),
    /// Another job replaced it, so it was not tried.
    Displaced,
}

/// A member that has a node.
#[derive(Debug, Clone)]
pub struct PlacedMember {
    /// The job.
    pub job: JobIndex,
    /// The placement.
    pub placement: Placement,
    /// The evicted jobs that it displaced: those on its node, and the other members of their gangs, on any
    /// node.
    pub displaced: Vec<JobIndex>,
}

/// A member that has no node.
#[derive(Debug, Clone)]
pub struct UnplacedMember {
    /// The job.
    pub job: JobIndex,
    /// The number of members before it that had a node; the maximum over all values of the gang's label.
    pub fitted: usize,
    /// The nodes by the reason for which it cannot use them.
    pub nodes: Vec<NodeGroup>,
}

/// The eviction of a running job.
#[derive(Debug, Clone, Copy)]
pub struct Eviction {
    pub job: JobIndex,
    pub cause: EvictionCause,
}

/// The causes of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionCause {
    /// The queue of the job has more than the protected part of its share.
    AboveShare,
    /// The node of the job has a negative free amount at its priority.
    Oversubscribed,
    /// Another member of its gang was evicted.
    Gang,
}

/// The test whether jobs of a queue are evicted.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvictionTest {
    /// Whether the queue's cost over its share is above the protected fraction.
    pub is_above: bool,
}

/// The current trial so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Current {
    pub(super) placed: Vec<PlacedMember>,
    pub(super) unplaced: Option<UnplacedMember>,
}

impl Trace {
    /// Returns the evictions from queues above their share, and of the gangs of these jobs.
    pub fn first_evictions(&self) -> &[Eviction] {
        self.evictions.get(..self.first_evictions).unwrap_or_default()
    }
}
