//! A pool in the event loop: its nodes, and its rounds.

use super::jobs::Renumbering;
use crate::job::{JobIndex, Shape};
use crate::nodes::Nodes;
use crate::resources::Amounts;
use crate::scheduling::Scheduling;
use crate::settings::{PriorityClass, Settings};
use crate::spec::{ClusterSpec, Nanoseconds};
use std::collections::HashMap;

/// The nodes of a pool, and the allocations of its queues.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    pub(super) name: String,
    pub(super) settings: Settings,
    pub(super) nodes: Nodes,
    /// The capacity of the nodes that are up.
    pub(super) total: Amounts,
    /// The sums of the capacity over time, until the last change of a node.
    capacity_sums: Vec<i128>,
    last_change: Nanoseconds,
    /// The maximum allocation of the jobs of a queue, by class.
    pub(super) limits: Vec<Amounts>,
    /// The allocations by queue and class.
    pub(super) allocated: Vec<Vec<Amounts>>,
    /// Their sum.
    pub(super) leased: Amounts,
    /// The number of running jobs in the pool, by queue.
    pub(super) running: Vec<u32>,
    /// Those of them that had earlier runs.
    pub(super) running_retries: Vec<u32>,
    /// The priorities that jobs were placed at.
    pub(super) priorities: HashMap<JobIndex, i32>,
    /// The nodes that jobs avoid.
    pub(super) avoided: HashMap<JobIndex, Vec<usize>>,
}

impl Pool {
    /// Returns the pools of all clusters, in the order of their names.
    pub(super) fn all(scheduling: &Scheduling, clusters: &ClusterSpec, queues: usize) -> Vec<Self> {
        let pools = clusters.pools().into_iter();
        pools.map(|name| Self::new(scheduling, clusters, name, queues)).collect()
    }

    fn new(scheduling: &Scheduling, clusters: &ClusterSpec, name: &str, queues: usize) -> Self {
        let settings = scheduling.of_pool(name);
        let specs = clusters.nodes_of_pool(name);
        let mut total = settings.capacity_without_nodes();
        for node in &specs {
            total.add(&node.total);
        }
        let of_class = vec![settings.resources.zero(); settings.classes.len()];
        Self {
            name: name.to_owned(),
            nodes: Nodes::new(&settings, specs),
            limits: limits(&settings, &total),
            capacity_sums: vec![0; total.as_slice().len()],
            last_change: 0,
            leased: settings.resources.zero(),
            total,
            allocated: vec![of_class; queues],
            running: vec![0; queues],
            running_retries: vec![0; queues],
            priorities: HashMap::new(),
            avoided: HashMap::new(),
            settings,
        }
    }

    /// Removes the capacity of a node that is down.
    pub(super) fn remove_node(&mut self, position: usize, now: Nanoseconds) {
        self.capacity_sums = self.capacity_sums(now);
        self.last_change = now;
        self.total.subtract(&self.nodes.get(position).spec.total);
        self.limits = limits(&self.settings, &self.total);
    }

    /// Adds the capacity of a node that is up again.
    pub(super) fn return_node(&mut self, position: usize, now: Nanoseconds) {
        self.capacity_sums = self.capacity_sums(now);
        self.last_change = now;
        self.total.add(&self.nodes.get(position).spec.total);
        self.limits = limits(&self.settings, &self.total);
    }

    /// Returns the sums of the capacity over time, in nanoseconds, by resource.
    pub(super) fn capacity_sums(&self, now: Nanoseconds) -> Vec<i128> {
        let elapsed = i128::from(now - self.last_change);
        let since = self.total.as_slice().iter().map(|amount| i128::from(*amount) * elapsed);
        self.capacity_sums.iter().zip(since).map(|(sum, since)| sum + since).collect()
    }

    /// Returns the pool without jobs and without these nodes.
    pub(super) fn empty(&self, gone: &[usize]) -> Self {
        let nodes = 0..self.nodes.len();
        let specs = nodes.clone().map(|node| self.nodes.get(node).spec.clone()).collect();
        let mut pool = Self { nodes: Nodes::new(&self.settings, specs), ..self.clone() };
        pool.total = self.settings.capacity_without_nodes();
        pool.priorities.clear();
        for node in nodes {
            let is_open = !gone.contains(&node);
            pool.nodes.set_open(node, is_open);
            if is_open {
                pool.total.add(&pool.nodes.get(node).spec.total);
            }
        }
        pool
    }

    /// Returns whether a job of this shape fits an open node that it does not avoid, if nothing else ran there.
    pub(super) fn has_node_for(&self, shape: &Shape, avoided: &[usize]) -> bool {
        (0..self.nodes.len()).any(|position| {
            let node = self.nodes.get(position);
            let spec = &node.spec;
            node.is_open()
                && !avoided.contains(&position)
                && shape.request.fits(&spec.total)
                && shape.requirements.are_met(|key| spec.label(key), &spec.taints, &[])
        })
    }

    /// Gives the jobs new positions.
    pub(super) fn renumber(&mut self, renumbering: &Renumbering) {
        self.nodes.renumber(|job| renumbering.job(job));
        let priorities = std::mem::take(&mut self.priorities).into_iter();
        let renumbered =
            priorities.filter_map(|(job, priority)| Some((renumbering.job(job)?, priority)));
        self.priorities = renumbered.collect();
        let avoided = std::mem::take(&mut self.avoided).into_iter();
        let renumbered = avoided.filter_map(|(job, nodes)| Some((renumbering.job(job)?, nodes)));
        self.avoided = renumbered.collect();
    }
}

/// Returns the maximum allocation of a queue's jobs, by class.
fn limits(settings: &Settings, total: &Amounts) -> Vec<Amounts> {
    let limit = |class: &PriorityClass| total.times(&class.queue_fractions);
    settings.classes.iter().map(limit).collect()
}
