//! The nodes that fail: when each fails and returns, and which spot nodes are lost together.
//!
//! Owns the state of these nodes and the times of their next changes. `Simulation` applies a change to the pools
//! and the jobs.

use crate::draw::name_key;
use crate::failure::{FailureKind, NodeFailures, NodeSubject, SpotBatch, lemon_rates};
use crate::spec::{ClusterSpec, Nanoseconds};
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
    pub(super) key: u64,
    /// Its rate of failure, as a factor on that of its template.
    pub(super) rate: f64,
    /// How often it has returned.
    pub(super) period: u32,
    /// When it fails in this period, unless it is lost before.
    pub(super) fails_at: Option<Nanoseconds>,
    pub(super) is_up: bool,
    /// Whether it is down and returns.
    pub(super) is_expected: bool,
    /// Whether it returns as another node.
    pub(super) is_replacement: bool,
    /// The losses of it that are announced.
    pub(super) warnings: u32,
}

impl FleetNode {
    /// Returns whether jobs may start on the node.
    pub(super) fn is_open(&self) -> bool {
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
    pub(super) nodes: Range<usize>,
    pub(super) keys: Vec<u64>,
    /// The number of losses so far, and the time of the last one.
    pub(super) losses: (u64, Nanoseconds),
}

/// All nodes that may fail.
#[derive(Debug)]
pub(super) struct Fleet<'a> {
    pub(super) seed: u64,
    pub(super) nodes: Vec<FleetNode>,
    pub(super) groups: Vec<FleetGroup<'a>>,
    /// By pool and position in it: the node's number in the fleet.
    pub(super) numbers: Vec<Vec<Option<u32>>>,
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
    pub(super) fn next_failure(
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
        // Losses are drawn one after the other, so that those before have to be drawn to find this one.
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
    pub(super) fn next_loss(
        &self,
        group: usize,
        batch: u64,
        previous: Nanoseconds,
    ) -> Option<(Nanoseconds, NodeChange)> {
        let FleetGroup { failures, keys, .. } = &self.groups[group];
        let spot = failures.spot.as_ref()?;
        let loss = previous.saturating_add(self.batch(group, batch).gap(spot, keys.len()));
        let change = NodeChange::SpotWarning { group, batch, loss };
        // A warning before the start of the simulation is given at the start.
        Some(((loss - spot.warning).max(0), change))
    }

    fn batch(&self, group: usize, number: u64) -> SpotBatch {
        let template = self.groups[group].keys.first().copied().unwrap_or_default();
        SpotBatch { seed: self.seed, template, number }
    }

    /// Returns the nodes of a loss of a group.
    pub(super) fn lost(&self, group: usize, batch: u64) -> Vec<usize> {
        let FleetGroup { failures, nodes, keys, .. } = &self.groups[group];
        let Some(spot) = &failures.spot else { return Vec::new() };
        let positions = self.batch(group, batch).nodes(spot, keys);
        positions.into_iter().map(|position| nodes.start + position).collect()
    }

    /// Takes a node down. Returns its return with the time from now, if it returns.
    pub(super) fn take_down(
        &mut self,
        number: usize,
        kind: FailureKind,
    ) -> Option<(Nanoseconds, NodeChange)> {
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
