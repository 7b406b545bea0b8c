//! The state of a running round of the profile `seed`.

use super::node_sets::NodeSets;
use crate::job::{Gang, Job, JobIndex, Shape};
use crate::nodes::Nodes;
use crate::round::fit_cache::FitCache;
use crate::round::limits::Limits;
use crate::round::outcome::{Placement, Preemption, RoundEnd};
use crate::round::queues::QueueState;
use crate::round::refusal::Refusal;
use crate::round::refusals::Refusals;
use crate::settings::Settings;
use crate::share::Costs;
use std::collections::{BTreeMap, HashMap};

/// The state of a running round.
pub(super) struct Round<'a> {
    pub(super) settings: &'a Settings,
    pub(super) jobs: &'a [Job],
    pub(super) shapes: &'a [Shape],
    pub(super) gangs: &'a [Gang],
    pub(super) nodes: &'a mut Nodes,
    pub(super) sets: NodeSets,
    /// The position of each node's cluster in the order of the names.
    pub(super) clusters: Vec<usize>,
    pub(super) fit_cache: FitCache,
    pub(super) costs: Costs,
    pub(super) queues: Vec<QueueState>,
    pub(super) limits: Limits,
    /// The evicted jobs, and their nodes.
    pub(super) evicted: BTreeMap<JobIndex, usize>,
    /// The number of evicted members of each gang.
    pub(super) evicted_members: HashMap<usize, usize>,
    /// The highest priority of the members, if all are preemptible, of each gang with a member on a node.
    pub(super) gang_priorities: HashMap<usize, Option<i32>>,
    pub(super) placements: BTreeMap<JobIndex, Placement>,
    /// The job that was placed last on each node.
    pub(super) last_placed: HashMap<usize, JobIndex>,
    pub(super) preempted: BTreeMap<JobIndex, Preemption>,
    /// The nodes on which jobs may not start.
    pub(super) avoided: &'a HashMap<JobIndex, Vec<usize>>,
    pub(super) refused: Refusals,
    /// The reason for which each shape was refused.
    pub(super) refused_shapes: Vec<Option<Refusal>>,
    pub(super) end: RoundEnd,
}
