//! The fields of a pod's record.

use crate::job::engine::pod::{IndexFailures, Phase, Pod, PodCondition, PodContainer};
use crate::job::index_source::IndexSource;
use crate::job::manifest::ConditionStatus;
use armada_retry::engine::Resources;
use compact_str::CompactString;
use document::choices;
use document::units::Time;
use replay::disruption::{Evidence, is_of_signal};
use smallvec::SmallVec;

choices! {
    /// How a pod ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum PodOutcome = "outcome" {
        /// Its containers did their work.
        Succeeded = "Succeeded",
        /// It failed.
        #[default]
        Failed = "Failed",
        /// It continues: its containers were restarted in place, or the history ends before it does.
        Running = "Running",
        /// Its Job or set was deleted by a user.
        Cancelled = "Cancelled",
        /// It was deleted with its Job or set; no failure of its own.
        Stopped = "Stopped",
    }
}

/// The fields of a pod's record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PodFields {
    /// The pod's completion index; 0 if it is unknown.
    pub index: u32,
    /// Where the index is from.
    pub index_source: IndexSource,
    /// How the pod ended.
    pub outcome: PodOutcome,
    /// The number of restarts in place of all its containers so far.
    pub restarts: u32,
    /// The pod's containers.
    pub containers: SmallVec<[PodContainer; 1]>,
    /// The pod's conditions.
    pub conditions: Vec<PodCondition>,
    /// The pod's name, with or without its namespace and a slash before it; empty if unknown.
    pub name: Box<str>,
    /// The reason of its phase, such as `Evicted`; empty if unknown.
    pub reason: CompactString,
    /// The failures of its index before it that count, from its annotation.
    pub index_failures: Option<u32>,
    /// The failures of its index before it that a rule ignored, from its annotation.
    pub index_ignored_failures: Option<u32>,
    /// The resources that it requested, if they are known; boxed, since many records without them are kept.
    pub resources: Option<Box<Resources>>,
}

impl PodFields {
    /// Returns the maximum of its containers' restarts. If no container has a number of its own, all restarts
    /// are attributed to one.
    pub fn most_restarts(&self) -> u32 {
        let each = self.containers.iter().filter_map(|container| container.restarts);
        each.max().unwrap_or(self.restarts)
    }

    /// Returns the key of a member's pods. The highest bit distinguishes pods without an index from that of the
    /// same number.
    pub fn member_key(&self) -> u32 {
        const WITHOUT_INDEX: u32 = 1 << 31;
        self.completion_index().unwrap_or(self.index | WITHOUT_INDEX)
    }

    /// Returns whether a container exceeded its memory.
    pub(crate) fn has_memory_kill(&self) -> bool {
        let mut reasons = self.containers.iter().map(|container| container.reason.as_deref());
        reasons.any(|reason| reason == Some("OOMKilled"))
    }

    /// Returns whether the pod did not fail, or since a container exceeded its memory: then nothing disrupted it,
    /// whatever its conditions are.
    fn failed_by_itself(&self) -> bool {
        let reason = first_failed(self).and_then(|container| container.reason.as_deref());
        self.outcome != PodOutcome::Failed || reason == Some("OOMKilled")
    }

    /// Returns the index, if the pod has one.
    pub fn completion_index(&self) -> Option<u32> {
        (self.index_source != IndexSource::None).then_some(self.index)
    }

    /// Returns the types of the pod's conditions.
    pub(crate) fn condition_types(&self) -> impl Iterator<Item = &str> {
        self.conditions.iter().map(|condition| condition.kind.as_str())
    }

    /// Returns the failures of its index before it, if its annotations contain them.
    pub fn recorded_failures(&self) -> Option<IndexFailures> {
        let (counted, ignored) = (self.index_failures, self.index_ignored_failures);
        let known = counted.is_some() || ignored.is_some();
        let (counted, ignored) = (counted.unwrap_or_default(), ignored.unwrap_or_default());
        known.then_some(IndexFailures { counted, ignored })
    }

    /// Returns the pod as the controller sees it when its run is over; `earlier` are the failures of its
    /// index before it.
    pub fn pod(&self, at: Option<Time>, earlier: IndexFailures) -> Pod<'_> {
        let phase = match self.outcome {
            PodOutcome::Succeeded => Phase::Succeeded,
            PodOutcome::Failed => Phase::Failed,
            PodOutcome::Running | PodOutcome::Cancelled | PodOutcome::Stopped => Phase::Running,
        };
        Pod {
            name: &self.name,
            namespace: "",
            phase,
            deleting: false,
            containers: &self.containers,
            conditions: &self.conditions,
            restarts: self.restarts,
            index: self.completion_index(),
            earlier,
            finished_at: at,
        }
    }
}

impl Evidence for PodFields {
    fn is_plain(&self) -> bool {
        let has_none = self.conditions.is_empty() && self.reason.is_empty();
        has_none && !is_of_signal(self.exit_code())
    }

    fn pod_condition(&self, kind: &str) -> Option<&str> {
        if self.failed_by_itself() {
            return None;
        }
        let mut holding = self.conditions.iter().filter(|one| one.status == ConditionStatus::True);
        let condition = holding.find(|one| *one.kind == *kind)?;
        Some(condition.reason.as_deref().unwrap_or_default())
    }

    fn pod_reason(&self) -> Option<&str> {
        Some(self.reason.as_str()).filter(|_| !self.failed_by_itself())
    }

    fn exit_code(&self) -> Option<i64> {
        let container = first_failed(self).filter(|_| !self.failed_by_itself())?;
        container.exit_code.map(i64::from).filter(|_| self.reason != "DeadlineExceeded")
    }
}

/// Returns whether a container failed.
pub fn has_failed(container: &PodContainer) -> bool {
    container.exit_code.is_some_and(|code| code != 0)
        || container.reason.as_deref().is_some_and(|reason| reason != "Completed")
}

pub(in crate::job) fn first_failed(fields: &PodFields) -> Option<&PodContainer> {
    let mut mains = fields.containers.iter().filter(|one| !one.init && has_failed(one));
    mains.next().or_else(|| fields.containers.iter().find(|one| has_failed(one)))
}
