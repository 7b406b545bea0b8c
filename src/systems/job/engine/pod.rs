//! A pod as the Job controller sees it.

use crate::systems::job::manifest::{ConditionStatus, JobPolicy};
use crate::units::Time;
use compact_str::CompactString;

/// A pod's phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// Accepted, or not even that.
    #[default]
    Pending,
    /// At least one container runs or is restarted.
    Running,
    /// Every container did its work.
    Succeeded,
    /// A container failed for good.
    Failed,
    /// Its node does not report, or has not reported yet. No record has this phase.
    #[cfg(feature = "internals")]
    Unknown,
}

/// A container of a pod, with its present state, without those before restarts in place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodContainer {
    /// Its name.
    pub name: CompactString,
    /// Whether it is an init container, a sidecar among them.
    pub init: bool,
    /// Its exit code, if it has ended.
    pub exit_code: Option<i32>,
    /// Why it ended, such as `OOMKilled`.
    pub reason: Option<CompactString>,
    /// How often it has been restarted in place so far, if that is known.
    pub restarts: Option<u32>,
}

/// A condition of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodCondition {
    /// Its type.
    pub kind: CompactString,
    /// Its status.
    pub status: ConditionStatus,
    /// Why, such as `EvictionByEvictionAPI`, if that is known.
    pub reason: Option<CompactString>,
}

/// How often pods of an index failed before a pod: its annotations `job-index-failure-count` and
/// `job-index-ignored-failure-count` under `batch.kubernetes.io`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexFailures {
    /// Failures that count towards the index's limit.
    pub counted: u32,
    /// Failures that a rule ignored.
    pub ignored: u32,
}

impl IndexFailures {
    /// The counts that the next pod of the index carries.
    #[must_use]
    pub fn after(self, counted: bool) -> Self {
        if counted {
            return Self { counted: self.counted.saturating_add(1), ..self };
        }
        Self { ignored: self.ignored.saturating_add(1), ..self }
    }

    /// Both kinds of failures together with others.
    #[must_use]
    pub fn plus(self, others: Self) -> Self {
        Self {
            counted: self.counted.saturating_add(others.counted),
            ignored: self.ignored.saturating_add(others.ignored),
        }
    }

    /// The failures beyond others; 0 if there are not more in all.
    #[must_use]
    pub fn beyond(self, others: Self) -> Self {
        if self.total() <= others.total() {
            return Self::default();
        }
        Self {
            counted: self.counted.saturating_sub(others.counted),
            ignored: self.ignored.saturating_sub(others.ignored),
        }
    }

    /// All of them.
    pub fn total(self) -> u32 {
        self.counted.saturating_add(self.ignored)
    }
}

/// A pod.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pod<'p> {
    /// Its namespace and name, as `default/train-0-x7k2p`, or its name alone.
    pub name: &'p str,
    /// Its Job's namespace, if the name has none; empty is `default`.
    pub namespace: &'p str,
    /// Its phase.
    pub phase: Phase,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Its containers.
    pub containers: &'p [PodContainer],
    /// Its conditions.
    pub conditions: &'p [PodCondition],
    /// How often its containers have been restarted in place, summed.
    pub restarts: u32,
    /// Its index, if it has one.
    pub index: Option<u32>,
    /// Failures of its index before it.
    pub earlier: IndexFailures,
    /// When it ended, if it has and if that is known.
    pub finished_at: Option<Time>,
}

impl Pod<'_> {
    /// Whether it counts as failed: for most Jobs one that is being deleted does too, so that pods
    /// without a node are not forgotten (`job_controller.go`, `isPodFailed`).
    pub fn failed(&self, policy: &JobPolicy) -> bool {
        let deleted = self.deleting && self.phase != Phase::Succeeded;
        self.phase == Phase::Failed || deleted && !policy.waits_for_termination()
    }

    /// Whether it has an index of the Job; the controller ignores others.
    pub fn has_valid_index(&self, policy: &JobPolicy, indexes: u32) -> bool {
        !policy.is_indexed() || self.index.is_some_and(|index| index < indexes)
    }
}
