//! A pool in the event loop: its nodes, and a round of it.

use super::Simulation;
use crate::cluster::job::JobIndex;
use crate::cluster::nodes::Nodes;
use crate::cluster::resources::Amounts;
use crate::cluster::round::{self, Outcome, QueueInput, RoundInput};
use crate::cluster::settings::Settings;
use crate::cluster::spec::ClusterSpec;
use std::collections::HashMap;

/// The nodes of a pool, and what its queues have there.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) nodes: Nodes,
    total: Amounts,
    /// By queue and class.
    pub(super) allocated: Vec<Vec<Amounts>>,
    /// The priorities that jobs were placed at.
    pub(super) priorities: HashMap<JobIndex, i32>,
}

impl Pool {
    /// The pools of all clusters, in the order of their names.
    pub(super) fn all(settings: &Settings, clusters: &ClusterSpec, queues: usize) -> Vec<Self> {
        let pools = clusters.pools().into_iter();
        pools.map(|name| Self::new(settings, clusters, name, queues)).collect()
    }

    fn new(settings: &Settings, clusters: &ClusterSpec, name: &str, queues: usize) -> Self {
        let specs = clusters.nodes_of_pool(name);
        let mut total = settings.resources.zero();
        for node in &specs {
            total.add(&node.total);
        }
        let zero = vec![settings.resources.zero(); settings.classes.len()];
        Self {
            nodes: Nodes::new(settings, specs),
            total,
            allocated: vec![zero; queues],
            priorities: HashMap::new(),
        }
    }
}

impl Simulation<'_> {
    /// Runs a round of a pool.
    pub(super) fn run_pool(&mut self, position: usize) -> Outcome {
        let pool = &mut self.pools[position];
        let unlimited = Amounts::from_iter(vec![i64::MAX; self.settings.resources.names().len()]);
        let limits = vec![unlimited; self.settings.classes.len()];
        let queues = self.queues.iter().zip(&self.workload.queues).zip(&pool.allocated);
        let queues = queues.map(|((queue, spec), allocated)| QueueInput {
            weight: spec.weight,
            is_active: queue.demand.is_some(),
            is_cordoned: false,
            tokens: None,
            limits: limits.clone(),
            allocated: allocated.clone(),
            demand: queue.demand.clone().unwrap_or_else(|| self.settings.resources.zero()),
            queued: queue.queued.values().copied().collect(),
        });
        let outcome = round::run(RoundInput {
            settings: self.settings,
            total: pool.total.clone(),
            jobs: &self.jobs,
            shapes: &self.shapes,
            gangs: &self.gangs,
            queues: queues.collect(),
            nodes: &mut pool.nodes,
            tokens: None,
            priorities: &mut pool.priorities,
        });
        for (allocated, queue) in pool.allocated.iter_mut().zip(&outcome.queues) {
            allocated.clone_from(&queue.allocated);
        }
        outcome
    }
}
