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
    /// The nodes of a loss take no more jobs. The next loss of the group is drawn then, so that its warning is not
    /// late if losses follow each other within the time of a warning.
    SpotWarning {
        group: usize,
        batch: u64,
        loss: Nanoseconds,
    },
    SpotLoss {
        group: usize,
        batch: u64,
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
    /// When it fails in this period, unless it is lost before.
    fails_at: Option<Nanoseconds>,
    pub(super) is_up: bool,
    /// Whether it is down and returns.
    is_expected: bool,
    /// Whether it returns as another node.
    is_replacement: bool,
    /// The losses of it that are announced.
    warnings: u32,
}

impl FleetNode {
    /// Returns whether jobs may start on the node.
    fn is_open(&self) -> bool {
        self.is_up && self.warnings == 0
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
    /// The number of losses so far, and the time of the last one.
    losses: (u64, Nanoseconds),
}

/// All nodes that may fail.
#[derive(Debug)]
pub(super) struct Fleet<'a> {
    seed: u64,
    pub(super) nodes: Vec<FleetNode>,
    pub(super) groups: Vec<FleetGroup<'a>>,
    /// By pool and position in it: the node's number in the fleet.
    numbers: Vec<Vec<Option<u32>>>,
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
            self.numbers[pool].push(u32::try_from(self.nodes.len()).ok());
            self.nodes.push(FleetNode {
                pool,
                position,
                group: self.groups.len(),
                key: *key,
                rate,
                period: 0,
                fails_at: None,
                is_up: true,
                is_expected: false,
                is_replacement: false,
                warnings: 0,
            });
        }
        let nodes = begin..self.nodes.len();
        self.groups.push(FleetGroup { failures, nodes, keys, losses: (0, 0) });
    }

    /// Returns a node of a pool, if it may fail.
    pub(super) fn find(&self, pool: usize, position: usize) -> Option<&FleetNode> {
        self.numbers[pool][position].map(|number| &self.nodes[number as usize])
    }

    /// Returns whether a node of a pool is down and does not return.
    pub(super) fn is_gone(&self, pool: usize, position: usize) -> bool {
        self.find(pool, position).is_some_and(|node| !node.is_up && !node.is_expected)
    }

    /// Draws the next failure of a node, and returns it with its time.
    fn next_failure(
        &mut self,
        number: usize,
        now: Nanoseconds,
    ) -> Option<(Nanoseconds, NodeChange)> {
        let node = &mut self.nodes[number];
        let lifetime = self.groups[node.group].failures.lifetime.as_ref();
        let up = lifetime.and_then(|lifetime| node.subject(self.seed).up(lifetime, node.rate));
        node.fails_at = up.map(|up| now.saturating_add(up));
        Some((node.fails_at?, NodeChange::Fail { node: number, period: node.period }))
    }

    /// Returns when a node of a pool that is up goes down next, if that is by `until`.
    pub(super) fn next_down(
        &self,
        (pool, position): (usize, usize),
        until: Nanoseconds,
    ) -> Option<Nanoseconds> {
        let number = self.numbers[pool][position]? as usize;
        let node = &self.nodes[number];
        let failure = node.fails_at.filter(|time| *time <= until);
        let group = &self.groups[node.group];
        let (first, mut time) = group.losses;
        for batch in first.. {
            let Some(spot) = &group.failures.spot else { break };
            time = time.saturating_add(self.batch(node.group, batch).gap(spot, group.keys.len()));
            if time > failure.unwrap_or(until) {
                break;
            }
            if self.lost(node.group, batch).contains(&number) {
                return Some(time);
            }
        }
        failure
    }

    /// Draws a loss of a group's nodes, which follows one at a time. Returns its warning, with the time from when on
    /// the warning is given.
    fn next_loss(
        &self,
        group: usize,
        batch: u64,
        previous: Nanoseconds,
    ) -> Option<(Nanoseconds, NodeChange)> {
        let FleetGroup { failures, keys, .. } = &self.groups[group];
        let spot = failures.spot.as_ref()?;
        let loss = previous.saturating_add(self.batch(group, batch).gap(spot, keys.len()));
        let change = NodeChange::SpotWarning { group, batch, loss };
        Some(((loss - spot.warning).max(0), change))
    }

    fn batch(&self, group: usize, number: u64) -> SpotBatch {
        let template = self.groups[group].keys.first().copied().unwrap_or_default();
        SpotBatch { seed: self.seed, template, number }
    }

    /// Returns the nodes of a loss of a group.
    fn lost(&self, group: usize, batch: u64) -> Vec<usize> {
        let FleetGroup { failures, nodes, keys, .. } = &self.groups[group];
        let Some(spot) = &failures.spot else { return Vec::new() };
        let positions = self.batch(group, batch).nodes(spot, keys);
        positions.into_iter().map(|position| nodes.start + position).collect()
    }

    /// Takes a node down. Returns its return with the time from now, if it returns.
    fn take_down(&mut self, number: usize, kind: FailureKind) -> Option<(Nanoseconds, NodeChange)> {
        let node = &mut self.nodes[number];
        let failures = self.groups[node.group].failures;
        let subject = node.subject(self.seed);
        node.is_up = false;
        node.is_replacement = kind == FailureKind::Spot;
        let absence = if kind == FailureKind::Spot {
            failures.spot.as_ref().and_then(|spot| subject.replacement(spot))
        } else {
            failures.lifetime.as_ref().map(|lifetime| subject.repair(lifetime))
        };
        node.is_expected = absence.is_some();
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
            let warning = self.fleet.next_loss(group, 0, self.now);
            self.push_node_changes(warning);
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
            NodeChange::SpotWarning { group, batch, loss } => {
                for node in self.fleet.lost(group, batch) {
                    self.fleet.nodes[node].warnings += 1;
                    self.set_open(node);
                }
                let next = self.fleet.next_loss(group, batch + 1, loss);
                let loss = (loss, NodeChange::SpotLoss { group, batch });
                self.push_node_changes([loss].into_iter().chain(next));
                Vec::new()
            }
            NodeChange::SpotLoss { group, batch } => {
                let lost = self.fleet.lost(group, batch);
                self.fleet.groups[group].losses = (batch + 1, self.now);
                for node in &lost {
                    self.fleet.nodes[*node].warnings -= 1;
                }
                let lost = lost.into_iter().filter(|node| self.fleet.nodes[*node].is_up);
                lost.map(|node| (node, FailureKind::Spot)).collect()
            }
        }
    }

    /// Marks a node as down, and plans its return.
    pub(super) fn take_down(&mut self, node: usize, kind: FailureKind) {
        let back = self.fleet.take_down(node, kind);
        let back = back.map(|(absence, change)| (self.now.saturating_add(absence), change));
        self.push_node_changes(back);
    }

    /// Removes a node that is down, and has no jobs any more, from its pool.
    pub(super) fn remove_node(&mut self, node: usize) {
        let (pool, position) = self.node_position(node);
        self.pools[pool].remove_node(position, self.now);
        self.set_open(node);
    }

    /// Returns whether no job that is queued can start, even if every node that returns were up. It is only called
    /// while no job runs and the last round has changed nothing.
    pub(super) fn is_stalled(&mut self) -> bool {
        let is_awaited = |node: &&FleetNode| node.is_expected || node.is_up && node.warnings > 0;
        let awaited: Vec<FleetNode> = self.fleet.nodes.iter().filter(is_awaited).cloned().collect();
        if awaited.is_empty() {
            return true;
        }
        let pools = self.pools.clone();
        for node in awaited {
            let pool = &mut self.pools[node.pool];
            if !node.is_up {
                pool.return_node(node.position, self.now);
            }
            pool.nodes.set_open(node.position, true);
        }
        let has_start = (0..pools.len()).any(|pool| !self.run_pool(pool).scheduled.is_empty());
        self.pools = pools;
        !has_start
    }

    fn return_node(&mut self, node: usize) {
        let state = &mut self.fleet.nodes[node];
        (state.is_up, state.is_expected) = (true, false);
        state.period = state.period.saturating_add(1);
        // A replacement has no fault of the node before it.
        if std::mem::take(&mut state.is_replacement) {
            let node = (state.pool, state.position);
            self.stuck.retain(|(_, _, stuck), _| *stuck != node);
        }
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
