//! A pod, with the values that the Job controller uses.

use crate::job::manifest::{ConditionStatus, JobPolicy};
use compact_str::CompactString;
use document::units::Time;

/// A pod's phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// The pod is not started, or not even accepted.
    #[default]
    Pending,
    /// At least one container runs or is restarted.
    Running,
    /// Every container completed its work.
    Succeeded,
    /// A container failed and is not restarted.
    Failed,
    /// The node does not report, or has not reported yet.
    Unknown,
}

/// A container of a pod, with its present state. States before restarts in place are not included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodContainer {
    /// The container's name.
    pub name: CompactString,
    /// Whether the container is an init container; sidecars are init containers.
    pub init: bool,
    /// The exit code, if the container has ended.
    pub exit_code: Option<i32>,
    /// The reason of its end, such as `OOMKilled`.
    pub reason: Option<CompactString>,
    /// The number of restarts in place so far, if known.
    pub restarts: Option<u32>,
}

/// A condition of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodCondition {
    /// The condition's type.
    pub kind: CompactString,
    /// The condition's status.
    pub status: ConditionStatus,
    /// The condition's reason, such as `EvictionByEvictionAPI`, if known.
    pub reason: Option<CompactString>,
}

/// The failures of a pod's index before the pod: its annotations `job-index-failure-count` and
/// `job-index-ignored-failure-count` under `batch.kubernetes.io`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexFailures {
    /// Failures that count towards the index's limit.
    pub counted: u32,
    /// Failures that a rule ignored.
    pub ignored: u32,
}

impl IndexFailures {
    /// Returns the counts in the annotations of the index's next pod.
    #[must_use]
    pub fn after(self, counted: bool) -> Self {
        if counted {
            return Self { counted: self.counted.saturating_add(1), ..self };
        }
        Self { ignored: self.ignored.saturating_add(1), ..self }
    }

    /// Returns the sum of these failures and others.
    #[must_use]
    pub fn plus(self, others: Self) -> Self {
        Self {
            counted: self.counted.saturating_add(others.counted),
            ignored: self.ignored.saturating_add(others.ignored),
        }
    }

    /// Returns the failures that exceed others; 0 if the total is not larger.
    #[must_use]
    pub fn beyond(self, others: Self) -> Self {
        // Annotations that are not ahead are known, also where counts were attributed otherwise.
        if self.total() <= others.total() {
            return Self::default();
        }
        Self {
            counted: self.counted.saturating_sub(others.counted),
            ignored: self.ignored.saturating_sub(others.ignored),
        }
    }

    /// Returns the number of all failures.
    pub fn total(self) -> u32 {
        self.counted.saturating_add(self.ignored)
    }
}

/// A pod.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pod<'p> {
    /// The pod's namespace and name, as `default/train-0-x7k2p`, or its name alone.
    pub name: &'p str,
    /// The namespace of its Job, if the name has none; empty means `default`.
    pub namespace: &'p str,
    /// The pod's phase.
    pub phase: Phase,
    /// Whether the pod is being deleted.
    pub deleting: bool,
    /// The pod's containers.
    pub containers: &'p [PodContainer],
    /// The pod's conditions.
    pub conditions: &'p [PodCondition],
    /// The number of restarts in place of all its containers.
    pub restarts: u32,
    /// The pod's index, if it has one.
    pub index: Option<u32>,
    /// The failures of its index before it.
    pub earlier: IndexFailures,
    /// The time of its end, if it has ended and the time is known.
    pub finished_at: Option<Time>,
}

impl Pod<'_> {
    /// Returns whether the pod counts as failed. In most Jobs a pod that is being deleted counts too, so that
    /// pods whose node is gone are counted (`job_controller.go`, `isPodFailed`).
    pub fn failed(&self, policy: &JobPolicy) -> bool {
        let deleted = self.deleting && self.phase != Phase::Succeeded;
        self.phase == Phase::Failed || deleted && !policy.waits_for_termination()
    }

    /// Returns whether the pod has an index of the Job; the controller ignores other pods.
    pub fn has_valid_index(&self, policy: &JobPolicy, indexes: u32) -> bool {
        !policy.is_indexed() || self.index.is_some_and(|index| index < indexes)
    }
}
