//! A pool and its queues before a round.

use crate::job::{Gang, Job, JobIndex, Shape};
use crate::nodes::Nodes;
use crate::resources::Amounts;
use crate::settings::Settings;
use std::collections::HashMap;

/// A queue before a round. Queues are sorted by name.
#[derive(Debug, Clone)]
pub struct QueueInput {
    /// The weight, above 0.
    pub weight: f64,
    /// Whether it has or had jobs. Other queues are ignored in the shares.
    pub is_active: bool,
    /// Whether the queue is cordoned: none of its jobs may start.
    pub is_cordoned: bool,
    /// The tokens for its new jobs; `None` means no limit.
    pub tokens: Option<f64>,
    /// The maximum allocation of its jobs, by class.
    pub limits: Vec<Amounts>,
    /// The allocation of its jobs, by class.
    pub allocated: Vec<Amounts>,
    /// The demand of its jobs within its limits.
    pub demand: Amounts,
    /// The queued jobs, in their [order](super::JobOrder).
    pub queued: Vec<JobIndex>,
}

/// A pool before a round.
#[derive(Debug)]
pub struct RoundInput<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The capacity of all nodes.
    pub total: Amounts,
    /// The jobs, queued and running, in the order of their ids.
    pub jobs: &'a [Job],
    /// The needs of the jobs.
    pub shapes: &'a [Shape],
    /// The gangs of the jobs.
    pub gangs: &'a [Gang],
    /// The nodes, with the running jobs bound.
    pub nodes: &'a mut Nodes,
    /// The queues.
    pub queues: Vec<QueueInput>,
    /// The tokens for new jobs; `None` means no limit.
    pub tokens: Option<f64>,
    /// The seed of draws.
    pub seed: u64,
    /// The number of the round, which draws depend on too.
    pub number: u64,
    /// The priorities that queued jobs were placed at in earlier rounds without keeping the place. Armada's
    /// simulator tries them at these priorities; its scheduler starts every round without any.
    pub priorities: &'a mut HashMap<JobIndex, i32>,
    /// The nodes on which jobs may not start.
    pub avoided: &'a HashMap<JobIndex, Vec<usize>>,
}
