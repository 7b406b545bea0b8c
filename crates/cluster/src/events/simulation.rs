//! The state of a simulation.

use super::change::Planned;
use super::fleet::Fleet;
use super::held_resources::Holds;
use super::idle_sums::IdleSums;
use super::jobs::Jobs;
use super::pool::Pool;
use super::queue_state::QueueState;
use super::rate_limit::Bucket;
use super::retry_state::RetryState;
use super::template_state::TemplateState;
use crate::job::Shape;
use crate::round::Refusals;
use crate::scheduling::Scheduling;
use crate::spec::{ClusterSpec, Nanoseconds, Workload};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Simulation parameters.
#[derive(Debug, Clone, Copy)]
pub struct LoopOptions {
    /// The seed of all draws.
    pub seed: u64,
    /// The maximum of simulated time.
    pub until: Nanoseconds,
    /// Whether rounds that can change nothing are skipped.
    pub is_fast_forward: bool,
}

/// A workload on a cluster.
pub struct Simulation<'a> {
    pub(super) scheduling: &'a Scheduling,
    pub(super) clusters: &'a ClusterSpec,
    pub(super) workload: &'a Workload,
    pub(super) options: LoopOptions,
    pub(super) pools: Vec<Pool>,
    pub(super) jobs: Jobs,
    /// The gangs that replace those preempted at this moment.
    pub(super) successors: HashMap<usize, usize>,
    pub(super) shapes: Vec<Shape>,
    pub(super) templates: Vec<TemplateState>,
    /// The templates of which jobs can still succeed.
    pub(super) open_templates: usize,
    pub(super) queues: Vec<QueueState>,
    pub(super) tokens: Bucket,
    pub(super) fleet: Fleet<'a>,
    /// The resources that the pods of preempted runs hold on nodes, by pool and node.
    pub(super) holds: Holds,
    /// The decisions about ended runs; `None` if no run is followed by another.
    pub(super) retries: Option<RetryState<'a>>,
    /// Until when a cause of a template fails the runs that start on a node: the positions of the template in the
    /// file, of the cause, and of the pool and the node in it.
    pub(super) stuck: HashMap<(usize, usize, (usize, usize)), Nanoseconds>,
    pub(super) heap: BinaryHeap<Reverse<Planned>>,
    pub(super) sequence: u64,
    /// The number of planned changes with an effect, without rounds, nodes, and ends of runs that are over.
    pub(super) live_changes: usize,
    pub(super) now: Nanoseconds,
    /// By resource.
    pub(super) idle: Vec<IdleSums>,
    pub(super) is_steady: bool,
    pub(super) rounds: u64,
    /// The jobs that the last round of each pool refused, with the reasons.
    pub(super) last_refused: Vec<Refusals>,
}
