//! The nodes that fail: when each fails and returns, and which spot nodes are lost together.
//!
//! Owns the state of these nodes and the times of their next changes. [`Simulation`] applies a change to the pools
//! and the jobs.

use super::{Change, Simulation};
use crate::cluster::draw::name_key;
use crate::cluster::failure::{FailureKind, NodeFailures, NodeSubject, SpotBatch, lemon_rates};
use crate::cluster::spec::{ClusterSpec, Nanoseconds};
use std::ops::Range;

/// A planned change of nodes. Those of one time come before all other changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NodeChange {
    /// A node fails, unless it was lost before: the period in which the failure was planned is over then.
    Fail {
        node: usize,
        period: u32,
    },
    /// A node is repaired or replaced.
    Return {
        node: usize,
    },
    /// The nodes of the next loss of a group take no more jobs.
    SpotWarning {
        group: usize,
    },
    SpotLoss {
        group: usize,
    },
}

/// A node that may fail.
#[derive(Debug, Clone)]
pub(super) struct FleetNode {
    /// The positions of the pool, and of the node in it.
    pub(super) pool: usize,
    pub(super) position: usize,
    pub(super) group: usize,
    key: u64,
    /// Its rate of failure, as a factor on that of its template.
    rate: f64,
    /// How often it has returned.
    period: u32,
    pub(super) is_up: bool,
    /// Whether its loss is announced.
    is_warned: bool,
    /// The time of its next failure.
    pub(super) next_failure: Option<Nanoseconds>,
}

impl FleetNode {
    /// Returns whether jobs may start on the node.
    fn is_open(&self) -> bool {
        self.is_up && !self.is_warned
    }

    fn subject(&self, seed: u64) -> NodeSubject {
        NodeSubject { seed, node: self.key, period: self.period }
    }
}

/// The nodes of a template.
#[derive(Debug)]
pub(super) struct FleetGroup<'a> {
    pub(super) failures: &'a NodeFailures,
    nodes: Range<usize>,
    keys: Vec<u64>,
    /// The number of the next loss of spot nodes.
    batch: u64,
}

/// All nodes that may fail.
#[derive(Debug)]
pub(super) struct Fleet<'a> {
    seed: u64,
    pub(super) nodes: Vec<FleetNode>,
    pub(super) groups: Vec<FleetGroup<'a>>,
    /// By pool and position in it: the node's number in the fleet.
    numbers: Vec<Vec<Option<usize>>>,
}

impl<'a> Fleet<'a> {
    /// Creates the fleet of the pools, in their order; all nodes are new.
    pub(super) fn new(clusters: &'a ClusterSpec, seed: u64) -> Self {
        let mut fleet = Self { seed, nodes: Vec::new(), groups: Vec::new(), numbers: Vec::new() };
        for (pool, name) in clusters.pools().into_iter().enumerate() {
            fleet.numbers.push(Vec::new());
            for cluster in clusters.clusters.iter().filter(|cluster| cluster.pool == name) {
                for (at, template) in cluster.node_templates.iter().enumerate() {
                    let ids = (0..template.number).map(|number| cluster.node_id(at, number));
                    match &template.failure {
                        Some(failures) => {
                            fleet.add(pool, failures, ids.map(|id| name_key(&id)).collect());
                        }
                        None => fleet.numbers[pool].extend(ids.map(|_| None)),
                    }
                }
            }
        }
        fleet
    }

    fn add(&mut self, pool: usize, failures: &'a NodeFailures, keys: Vec<u64>) {
        let lemons = failures.lifetime.and_then(|lifetime| lifetime.lemons);
        let rates = lemon_rates(self.seed, lemons, &keys);
        let begin = self.nodes.len();
        for (key, rate) in keys.iter().zip(rates) {
            let position = self.numbers[pool].len();
            self.numbers[pool].push(Some(self.nodes.len()));
            self.nodes.push(FleetNode {
                pool,
                position,
                group: self.groups.len(),
                key: *key,
                rate,
                period: 0,
                is_up: true,
                is_warned: false,
                next_failure: None,
            });
        }
        let nodes = begin..self.nodes.len();
        self.groups.push(FleetGroup { failures, nodes, keys, batch: 0 });
    }

    /// Returns a node of a pool, if it may fail.
    pub(super) fn find(&self, pool: usize, position: usize) -> Option<&FleetNode> {
        self.numbers[pool][position].map(|number| &self.nodes[number])
    }

    /// Returns whether jobs may start on every node.
    pub(super) fn is_complete(&self) -> bool {
        self.nodes.iter().all(FleetNode::is_open)
    }

    /// Draws the next failure of a node, and returns it with its time.
    fn next_failure(
        &mut self,
        number: usize,
        now: Nanoseconds,
    ) -> Option<(Nanoseconds, NodeChange)> {
        let node = &mut self.nodes[number];
        let lifetime = self.groups[node.group].failures.lifetime.as_ref()?;
        let up = node.subject(self.seed).up(lifetime, node.rate)?;
        let time = now.saturating_add(up);
        node.next_failure = Some(time);
        Some((time, NodeChange::Fail { node: number, period: node.period }))
    }

    /// Draws the next loss of a group's nodes, and returns its warning and the loss with their times.
    fn next_loss(&self, number: usize, now: Nanoseconds) -> Vec<(Nanoseconds, NodeChange)> {
        let group = &self.groups[number];
        let Some(spot) = &group.failures.spot else { return Vec::new() };
        let time = now.saturating_add(self.batch(group).gap(spot, group.keys.len()));
        let warning = (time - spot.warning).max(now);
        vec![
            (warning, NodeChange::SpotWarning { group: number }),
            (time, NodeChange::SpotLoss { group: number }),
        ]
    }

    fn batch(&self, group: &FleetGroup<'_>) -> SpotBatch {
        let template = group.keys.first().copied().unwrap_or_default();
        SpotBatch { seed: self.seed, template, number: group.batch }
    }

    /// Returns the nodes of a group's next loss.
    fn next_lost(&self, number: usize) -> Vec<usize> {
        let group = &self.groups[number];
        let Some(spot) = &group.failures.spot else { return Vec::new() };
        let positions = self.batch(group).nodes(spot, &group.keys);
        positions.into_iter().map(|position| group.nodes.start + position).collect()
    }

    /// Takes a node down. Returns its return with the time from now, if it returns.
    fn take_down(&mut self, number: usize, kind: FailureKind) -> Option<(Nanoseconds, NodeChange)> {
        let node = &mut self.nodes[number];
        let failures = self.groups[node.group].failures;
        let subject = node.subject(self.seed);
        (node.is_up, node.next_failure) = (false, None);
        let absence = if kind == FailureKind::Spot {
            failures.spot.as_ref().and_then(|spot| subject.replacement(spot))
        } else {
            failures.lifetime.as_ref().map(|lifetime| subject.repair(lifetime))
        };
        Some((absence?, NodeChange::Return { node: number }))
    }
}

impl Simulation<'_> {
    /// Plans the first failures and losses.
    pub(super) fn begin_failures(&mut self) {
        for node in 0..self.fleet.nodes.len() {
            let failure = self.fleet.next_failure(node, self.now);
            self.push_node_changes(failure);
        }
        for group in 0..self.fleet.groups.len() {
            let loss = self.fleet.next_loss(group, self.now);
            self.push_node_changes(loss);
        }
    }

    fn push_node_changes(&mut self, changes: impl IntoIterator<Item = (Nanoseconds, NodeChange)>) {
        for (time, change) in changes {
            self.push(time, Change::Node(change));
        }
    }

    /// Applies a change of nodes; returns the nodes that go down, in their order, and why.
    pub(super) fn change_nodes(&mut self, change: NodeChange) -> Vec<(usize, FailureKind)> {
        match change {
            NodeChange::Fail { node, period } => {
                let state = &self.fleet.nodes[node];
                let is_outdated = !state.is_up || state.period != period;
                if is_outdated { Vec::new() } else { vec![(node, FailureKind::Node)] }
            }
            NodeChange::Return { node } => {
                self.return_node(node);
                Vec::new()
            }
            NodeChange::SpotWarning { group } => {
                for node in self.fleet.next_lost(group) {
                    self.fleet.nodes[node].is_warned = true;
                    self.set_open(node);
                }
                Vec::new()
            }
            NodeChange::SpotLoss { group } => {
                let lost = self.fleet.next_lost(group);
                self.fleet.groups[group].batch += 1;
                for node in &lost {
                    self.fleet.nodes[*node].is_warned = false;
                }
                let next = self.fleet.next_loss(group, self.now);
                self.push_node_changes(next);
                let lost = lost.into_iter().filter(|node| self.fleet.nodes[*node].is_up);
                lost.map(|node| (node, FailureKind::Spot)).collect()
            }
        }
    }

    /// Removes a node without jobs from its pool, and plans its return.
    pub(super) fn take_down(&mut self, node: usize, kind: FailureKind) {
        let back = self.fleet.take_down(node, kind);
        let back = back.map(|(absence, change)| (self.now.saturating_add(absence), change));
        self.push_node_changes(back);
        let (pool, position) = self.node_position(node);
        self.pools[pool].remove_node(position, self.now);
        self.set_open(node);
    }

    fn return_node(&mut self, node: usize) {
        let state = &mut self.fleet.nodes[node];
        (state.is_up, state.period) = (true, state.period.saturating_add(1));
        let failure = self.fleet.next_failure(node, self.now);
        self.push_node_changes(failure);
        let (pool, position) = self.node_position(node);
        self.pools[pool].return_node(position, self.now);
        self.set_open(node);
    }

    /// Lets jobs start on a node, or not, by its state.
    fn set_open(&mut self, node: usize) {
        self.is_steady = false;
        let is_open = self.fleet.nodes[node].is_open();
        let (pool, position) = self.node_position(node);
        self.pools[pool].nodes.set_open(position, is_open);
    }

    pub(super) fn node_position(&self, node: usize) -> (usize, usize) {
        let node = &self.fleet.nodes[node];
        (node.pool, node.position)
    }
}
