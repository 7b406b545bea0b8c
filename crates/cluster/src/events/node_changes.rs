//! The changes of the nodes that fail, applied to the pools and the jobs.

use super::change::Change;
use super::fleet::{FleetNode, NodeChange};
use super::simulation::Simulation;
use crate::failure::FailureKind;
use crate::spec::Nanoseconds;

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
        // A copy to restore, since the round below changes the pools.
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
