//! Nodes that a job cannot use, by the reason.

use crate::requirements::Taint;

/// Nodes that a job cannot use for one reason.
#[derive(Debug, Clone)]
pub struct NodeGroup {
    /// The reason.
    pub reason: NodeReason,
    /// The number of nodes.
    pub count: usize,
    /// The position of one of them: if an amount decides, the one with the largest amount.
    pub example: usize,
    /// The amount that decides, in the unit of the resource; 0 for other reasons.
    pub most: i64,
}

/// The reasons for which a job cannot use a node, in the order of the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeReason {
    /// The node accepts no new jobs.
    Unschedulable,
    /// The job does not tolerate a taint.
    Taint(Taint),
    /// The node lacks a label of the job's selector.
    Label {
        /// The key.
        key: String,
        /// The required value.
        value: String,
    },
    /// No term of the job's affinity holds.
    Affinity,
    /// The node has less of a resource than the job requests, even without other jobs.
    TooSmall {
        /// The position of the resource.
        resource: usize,
    },
    /// The node has less free of a resource at the job's priority: other jobs use the rest, and the job may
    /// not preempt them.
    InUse {
        /// The position of the resource.
        resource: usize,
        /// The priority.
        priority: i32,
    },
    /// The job fits, but the search skipped the node.
    PassedOver {
        /// The position of a resource whose free amount is too small after rounding down to the resolution of
        /// the index; `None` if rounding does not explain it.
        resource: Option<usize>,
    },
}

impl NodeReason {
    /// Returns the position in the order of the tests: a node that is too small has the right labels.
    pub(in crate::round) fn rank(&self) -> u8 {
        match self {
            Self::Unschedulable => 0,
            Self::Taint(_) => 1,
            Self::Label { .. } => 2,
            Self::Affinity => 3,
            Self::TooSmall { .. } => 4,
            Self::InUse { .. } => 5,
            Self::PassedOver { .. } => 6,
        }
    }
}

/// Adds a group to those of other reasons.
pub(in crate::round) fn merge(groups: &mut Vec<NodeGroup>, group: NodeGroup) {
    match groups.iter_mut().find(|known| known.reason == group.reason) {
        None => groups.push(group),
        Some(known) => {
            known.count += group.count;
            if group.most > known.most {
                (known.most, known.example) = (group.most, group.example);
            }
        }
    }
}
