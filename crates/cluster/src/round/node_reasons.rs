//! The reasons why a job cannot use the nodes, grouped.

use super::attempt::Uniform;
use super::node_group::{NodeGroup, NodeReason, merge};
use super::running::Round;
use crate::job::{JobIndex, Shape};
use crate::nodes::{Level, Node};
use crate::requirements::{Taint, Toleration};
use crate::resources::Amounts;
use std::cmp::Ordering;

/// A way of placing a job: on nodes of its own type, or on away nodes.
struct Way {
    priority: i32,
    level: Level,
    tolerations: Vec<Toleration>,
}

impl Round<'_> {
    /// Returns the nodes by the reason for which a job cannot use them. For a gang with a label, only nodes
    /// with a value of it; for an evicted job, only its own.
    pub(super) fn reasons(&self, job: JobIndex, uniform: Option<Uniform<'_>>) -> Vec<NodeGroup> {
        let ways = self.ways(job);
        let shape = self.shape(job);
        let own = self.evicted_from.get(&job).copied();
        let mut groups = Vec::new();
        for position in own.map_or(0..self.nodes.len(), |node| node..node + 1) {
            if own.is_none() && !self.is_uniform(position, uniform) {
                continue;
            }
            let node = self.nodes.get(position);
            let tried = ways.iter().map(|way| self.reason(shape, node, way, own.is_some()));
            // If several ways pass the same number of tests, the first is used.
            let furthest =
                tried.reduce(|best, next| if next.0.rank() > best.0.rank() { next } else { best });
            if let Some((reason, most)) = furthest {
                merge(&mut groups, NodeGroup { reason, count: 1, example: position, most });
            }
        }
        // The most frequent reason first; among equal ones the one after the most tests.
        groups.sort_by(|a, b| b.count.cmp(&a.count).then(b.reason.rank().cmp(&a.reason.rank())));
        groups
    }

    fn ways(&self, job: JobIndex) -> Vec<Way> {
        let shape = self.shape(job);
        let class = &self.settings.classes[shape.class];
        let own = self.guest_tolerations.get(&job).cloned().unwrap_or_default();
        let way = |priority, tolerations| Way {
            priority,
            level: self.nodes.level(priority),
            tolerations,
        };
        let priority = self.last_priority(job).unwrap_or(class.priority);
        let mut ways = vec![way(priority, own.clone())];
        for away in &class.away {
            let units = |position| self.settings.resources.base_units(&shape.request, position);
            let more = away.tolerations(units);
            if !more.is_empty() && !self.is_evicted(job) {
                ways.push(way(away.priority, own.iter().cloned().chain(more).collect()));
            }
        }
        ways
    }

    /// Returns the reason for which a job cannot use a node, and the amount that decides. On its own node, a
    /// job only needs free resources.
    fn reason(&self, shape: &Shape, node: &Node, way: &Way, is_own: bool) -> (NodeReason, i64) {
        let requirements =
            (!is_own).then(|| unmet_requirement(shape, node, &way.tolerations)).flatten();
        if let Some(reason) = requirements {
            return (reason, 0);
        }
        if let Some((resource, total)) = scarcest_resource(&shape.request, &node.spec.total) {
            return (NodeReason::TooSmall { resource }, total);
        }
        let free = node.free(way.level);
        if let Some((resource, free)) = scarcest_resource(&shape.request, free) {
            return (NodeReason::InUse { resource, priority: way.priority }, free);
        }
        let rounded = self.settings.indexed_resources.iter().find(|by| {
            let rounded = free.as_slice()[by.position] / by.resolution * by.resolution;
            rounded < shape.request.as_slice()[by.position]
        });
        let resource = rounded.map(|by| by.position);
        (NodeReason::PassedOver { resource }, resource.map_or(0, |at| free.as_slice()[at]))
    }
}

/// Returns the resource with the smallest available fraction of the request, if any resource is insufficient.
#[expect(clippy::cast_precision_loss, reason = "a comparison of fractions")]
fn scarcest_resource(request: &Amounts, available: &Amounts) -> Option<(usize, i64)> {
    let amounts = request.as_slice().iter().zip(available.as_slice()).enumerate();
    let short = amounts.filter(|(_, (request, available))| request > available);
    // At least 1: a request of 0 is never short, but would divide by 0.
    let part = |(request, available): (&i64, &i64)| *available as f64 / (*request).max(1) as f64;
    let least =
        short.min_by(|(_, a), (_, b)| part(*a).partial_cmp(&part(*b)).unwrap_or(Ordering::Equal));
    least.map(|(position, (_, available))| (position, *available))
}

/// Returns the first requirement of a job that a node does not meet.
fn unmet_requirement(shape: &Shape, node: &Node, tolerations: &[Toleration]) -> Option<NodeReason> {
    let requirements = &shape.requirements;
    let label = |key: &str| node.spec.label(key);
    if requirements.are_met(label, &node.spec.taints, tolerations) {
        return None;
    }
    let all = || requirements.tolerations.iter().chain(tolerations);
    let is_tolerated = |taint: &&Taint| all().any(|toleration| toleration.tolerates(taint));
    let mut taints = node.spec.taints.iter().filter(|taint| !is_tolerated(taint));
    let taint = taints.next();
    if taint.is_some() && node.spec.is_unschedulable && taints.next().is_none() {
        // The taint of an unschedulable node comes last.
        return Some(NodeReason::Unschedulable);
    }
    if let Some(taint) = taint {
        return Some(NodeReason::Taint(taint.clone()));
    }
    let mut selector = requirements.selector.iter();
    let unmet = selector.find(|(key, value)| label(key) != Some(*value));
    Some(unmet.map_or(NodeReason::Affinity, |(key, value)| NodeReason::Label {
        key: key.clone(),
        value: value.clone(),
    }))
}
