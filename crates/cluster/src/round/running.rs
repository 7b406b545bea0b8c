//! The state of a running round.

use super::evicted::EvictedJobs;
use super::fit_cache::FitCache;
use super::limits::Limits;
use super::outcome::{Placement, RoundEnd};
use super::queues::QueueState;
use super::refusal::Refusal;
use super::refusals::Refusals;
use super::trace::Trace;
use crate::job::{Gang, Job, JobIndex, Shape};
use crate::nodes::Nodes;
use crate::requirements::Toleration;
use crate::resources::Amounts;
use crate::settings::Settings;
use crate::share::Costs;
use std::collections::HashMap;

/// The status of a job in the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobStatus {
    /// The job ran, and is evicted.
    Evicted,
    /// The job was evicted and has returned to its node.
    Returned,
    Starting,
}

/// The state of a running round.
pub(super) struct Round<'a> {
    pub(super) settings: &'a Settings,
    pub(super) jobs: &'a [Job],
    pub(super) shapes: &'a [Shape],
    pub(super) gangs: &'a [Gang],
    pub(super) nodes: &'a mut Nodes,
    pub(super) costs: Costs,
    pub(super) queues: Vec<QueueState>,
    pub(super) queued: Vec<Vec<JobIndex>>,
    pub(super) limits: Limits,
    pub(super) statuses: HashMap<JobIndex, JobStatus>,
    /// The nodes of jobs that were evicted: they may return only there.
    pub(super) evicted_from: HashMap<JobIndex, usize>,
    /// The allocation of each queue with the evicted jobs that are ordered so far.
    pub(super) ordered: Vec<Amounts>,
    /// The evicted jobs in the order in which they would return.
    pub(super) evicted: EvictedJobs,
    /// The displaced jobs, and the job that displaced each by fair share.
    pub(super) displaced: HashMap<JobIndex, JobIndex>,
    /// The priorities that jobs were placed at last. As in Armada, a failed attempt leaves its priority here.
    pub(super) priorities: &'a mut HashMap<JobIndex, i32>,
    /// The nodes on which jobs may not start.
    pub(super) avoided: &'a HashMap<JobIndex, Vec<usize>>,
    /// The tolerations of jobs on away nodes.
    pub(super) guest_tolerations: HashMap<JobIndex, Vec<Toleration>>,
    pub(super) placements: HashMap<JobIndex, Placement>,
    pub(super) refused: Refusals,
    /// The reason for which each shape was refused in this pass.
    pub(super) refused_shapes: Vec<Option<Refusal>>,
    pub(super) fit_cache: FitCache,
    pub(super) end: RoundEnd,
    pub(super) trace: Option<Box<Trace>>,
}
