//! What a run record of a Job's pod says beyond what all records say.

use super::fields::RECORD;
use super::line;
use super::model::ConditionStatus;
use super::pod::{IndexFailures, Phase, Pod, PodCondition, PodContainer};
use crate::document::Shape;
use crate::history::{
    InLine, KubePod, Mapping, OwnFields, PodRecord, is_misspelt_pod_condition, named,
};
use crate::units::Time;
use compact_str::CompactString;
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer};
use smallvec::SmallVec;
use std::collections::HashSet;

/// How a pod came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PodOutcome {
    /// Its containers did their work.
    Succeeded,
    /// It failed.
    #[default]
    Failed,
    /// It goes on; containers of it have been restarted in place.
    Running,
    /// Somebody deleted the Job, or the set it belongs to.
    Cancelled,
    /// It was deleted because its Job or set ended or began anew; no failure of its own.
    Stopped,
}

impl PodOutcome {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Succeeded, Self::Failed, Self::Running, Self::Cancelled, Self::Stopped];

    /// The name as records write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Running => "Running",
            Self::Cancelled => "Cancelled",
            Self::Stopped => "Stopped",
        }
    }

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }
}

impl<'de> Deserialize<'de> for PodOutcome {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

/// The fields of a pod's record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PodFields {
    /// The pod's index; where pods have none, the place that its replacements take.
    pub index: u32,
    /// Whether it was created without a valid index, which every pod of an Indexed Job has; `index` is
    /// a place then.
    pub has_no_index: bool,
    /// How it came to its end.
    pub outcome: PodOutcome,
    /// How often its containers have been restarted in place so far, summed.
    pub restarts: u32,
    /// Its containers.
    pub containers: SmallVec<[PodContainer; 1]>,
    /// Its conditions.
    pub conditions: Vec<PodCondition>,
    /// Its name, with its namespace before a slash or without; empty if unknown.
    pub name: Box<str>,
    /// Why it is in its phase, such as `Evicted`; empty if unknown.
    pub reason: CompactString,
    /// Failures of its index before it that count, as its annotation has them.
    pub index_failures: Option<u32>,
    /// Failures of its index before it that a rule ignored.
    pub index_ignored_failures: Option<u32>,
}

impl PodFields {
    /// The most restarts of any of its containers; where no container has a number of its own, all
    /// of them are taken to be one's.
    pub fn most_restarts(&self) -> u32 {
        let each = self.containers.iter().filter_map(|container| container.restarts);
        each.max().unwrap_or(self.restarts)
    }

    /// What the pods of a member have in common: its index, or the place of pods without one, which
    /// is kept apart from the index of the same number.
    pub fn member_key(&self) -> u32 {
        const PLACES: u32 = 1 << 31;
        if self.has_no_index { self.index | PLACES } else { self.index }
    }

    /// The index, if the pod has one.
    pub fn completion_index(&self) -> Option<u32> {
        (!self.has_no_index).then_some(self.index)
    }

    /// Failures of its index before it, where its annotations have them.
    pub fn recorded_failures(&self) -> Option<IndexFailures> {
        let (counted, ignored) = (self.index_failures, self.index_ignored_failures);
        let known = counted.is_some() || ignored.is_some();
        let (counted, ignored) = (counted.unwrap_or_default(), ignored.unwrap_or_default());
        known.then_some(IndexFailures { counted, ignored })
    }

    /// The pod as the controller sees it when its run is over; `earlier` failures of its index
    /// came before it.
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

/// A container as a line has it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerLine {
    name: CompactString,
    #[serde(default)]
    init: Option<bool>,
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(default)]
    reason: Option<CompactString>,
    #[serde(default)]
    restarts: Option<u32>,
    /// No rule looks at it.
    #[serde(default, rename = "message")]
    _message: Option<Unread>,
}

/// A condition as a line has it.
#[derive(Deserialize)]
struct ConditionLine {
    #[serde(rename = "type")]
    kind: CompactString,
    #[serde(default)]
    status: Option<ConditionStatus>,
    #[serde(default)]
    reason: Option<CompactString>,
}

/// A text of which nothing is kept but that it is one.
struct Unread;

impl<'de> Deserialize<'de> for Unread {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, |_| Some(Self))
    }
}

impl<'de> Deserialize<'de> for PodContainer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Mapping::<ContainerLine>::deserialize(from).map(|line| line.0.into())
    }
}

impl<'de> Deserialize<'de> for PodCondition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Mapping::<ConditionLine>::deserialize(from).map(|line| line.0.into())
    }
}

impl From<ContainerLine> for PodContainer {
    fn from(line: ContainerLine) -> Self {
        Self {
            name: line.name,
            init: line.init.unwrap_or_default(),
            exit_code: line.exit_code,
            reason: line.reason.filter(|text| !text.is_empty()),
            restarts: line.restarts,
        }
    }
}

impl From<ConditionLine> for PodCondition {
    fn from(line: ConditionLine) -> Self {
        let reason = line.reason.filter(|text| !text.is_empty());
        Self { kind: line.kind, status: line.status.unwrap_or_default(), reason }
    }
}

impl OwnFields for PodFields {
    type Key = u32;

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "podIndex" => self.index = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "outcome" => {
                let outcome = map.next_value::<Option<_>>()?;
                self.outcome = outcome.ok_or_else(|| A::Error::missing_field("outcome"))?;
            }
            "restarts" => self.restarts = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "podName" => self.name = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "podReason" => self.reason = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "indexFailureCount" => self.index_failures = map.next_value()?,
            "indexIgnoredFailureCount" => self.index_ignored_failures = map.next_value()?,
            "containers" => {
                self.containers = map.next_value::<Option<_>>()?.unwrap_or_default();
            }
            "podConditions" => {
                self.conditions = map.next_value::<Option<_>>()?.unwrap_or_default();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    const IN_LINE: &'static [(&'static str, InLine<Self>)] = &[
        ("podIndex", line::index),
        ("outcome", line::outcome),
        ("restarts", line::restarts),
        ("podName", line::name),
        ("podReason", line::reason),
        ("indexFailureCount", line::index_failures),
        ("indexIgnoredFailureCount", line::index_ignored_failures),
        ("containers", line::containers),
        ("podConditions", line::conditions),
    ];

    fn clear(&mut self) {
        let Self {
            index,
            has_no_index,
            outcome,
            restarts,
            containers,
            conditions,
            name,
            reason,
            index_failures,
            index_ignored_failures,
        } = self;
        (*index, *has_no_index) = (0, false);
        (*outcome, *restarts) = (PodOutcome::default(), 0);
        (*index_failures, *index_ignored_failures) = (None, None);
        *reason = CompactString::default();
        containers.clear();
        conditions.clear();
        if !name.is_empty() {
            *name = Box::default();
        }
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        if self.containers.iter().any(|container| container.name.is_empty()) {
            return Some(("containers", "a container has no name".to_owned()));
        }
        if self.conditions.iter().any(|condition| condition.kind.is_empty()) {
            return Some(("podConditions", "a condition has no type".to_owned()));
        }
        let twice = match &*self.containers {
            [] | [_] => return None,
            [one, other] => Some(other).filter(|other| other.name == one.name)?,
            all => {
                let mut seen = HashSet::new();
                all.iter().find(|container| !seen.insert(&container.name))?
            }
        };
        Some(("containers", format!("two containers are named `{}`", twice.name)))
    }

    fn may_have_unread(&self) -> bool {
        self.conditions.iter().any(|condition| is_misspelt_pod_condition(&condition.kind))
    }

    fn key(&self) -> u32 {
        self.member_key()
    }

    fn is_of(&self, key: &u32) -> bool {
        self.member_key() == *key
    }

    const STRANGE_PODS: Option<[&'static str; 2]> = Some(["pod of no Job", "pods of no Job"]);

    /// The Job, after its namespace.
    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        Some(pod.in_namespace(super::pods::job_name(pod)?))
    }

    fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        super::pods::of_pod(pod)
    }

    fn put(&mut self, place: u32) {
        self.index = place;
    }

    fn succeeded(&self) -> bool {
        self.outcome == PodOutcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        self.outcome == PodOutcome::Running
    }
}
