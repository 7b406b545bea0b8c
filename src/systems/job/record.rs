//! What a run record of a Job's pod says beyond what all records say.

use super::model::ConditionStatus;
use super::pod::{PodCondition, PodContainer};
use crate::diag::Code;
use crate::document::{Choice, Choices, Extra, Field, Kind, Need, Shape};
use crate::history::{KubePod, Mapping, OwnFields, PodRecord, named};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer};
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
    /// How it came to its end.
    pub outcome: PodOutcome,
    /// How often its containers have been restarted in place so far, summed.
    pub restarts: u32,
    /// Its containers.
    pub containers: Box<[PodContainer]>,
    /// Its conditions.
    pub conditions: Box<[PodCondition]>,
    /// Its name, with its namespace before a slash or without; empty if unknown.
    pub name: Box<str>,
}

const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, doc, kind, need: Need::Optional }
}

const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, doc, kind, need: Need::Required }
}

const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

/// The fields that the records of every system have.
pub(in crate::systems) mod common {
    use super::{COUNT, Field, Kind, optional, required};

    pub(in crate::systems) const JOB_ID: Field =
        required("jobId", Kind::SomeText, "The Job, or the set, that the run belongs to.");
    pub(in crate::systems) const QUEUE: Field =
        optional("queue", Kind::Text, "The queue that summaries count it under.");
    pub(in crate::systems) const RUN_INDEX: Field = optional(
        "runIndex",
        COUNT,
        "The run's number, growing within its member; absent means its position, from 0.",
    );
    pub(in crate::systems) const STARTED: Field =
        optional("startedAt", Kind::Time, "When the run began: RFC 3339.");
    pub(in crate::systems) const FINISHED: Field = optional(
        "finishedAt",
        Kind::Time,
        "When the run ended: RFC 3339. What ends in the same second is judged together.",
    );
    pub(in crate::systems) const NODE: Field = optional("node", Kind::Text, "The node it ran on.");
    pub(in crate::systems) const CLUSTER: Field =
        optional("cluster", Kind::Text, "The cluster it ran in.");
}

/// The pod's index.
pub(in crate::systems) const POD_INDEX: Field = optional(
    "podIndex",
    COUNT,
    "The pod's completion index; without one, the place that its replacements take. Absent means 0.",
);
/// How the pod ended.
pub(in crate::systems) const OUTCOME: Field =
    required("outcome", Kind::OneOf(&OUTCOMES), "How the pod ended.");
/// Its containers.
pub(in crate::systems) const CONTAINERS: Field = optional(
    "containers",
    Kind::List { item: &CONTAINER_KIND, min: 0 },
    "The pod's containers as they were when it ended, which rules look at.",
);
/// Its conditions.
pub(in crate::systems) const POD_CONDITIONS: Field = optional(
    "podConditions",
    Kind::List { item: &CONDITION_KIND, min: 0 },
    "The pod's conditions, such as DisruptionTarget.",
);
/// Restarts in place.
pub(in crate::systems) const RESTARTS: Field = optional(
    "restarts",
    COUNT,
    "How often containers of the pod have been restarted in place so far; absent means 0.",
);
/// The pod's name.
pub(in crate::systems) const POD_NAME: Field = optional(
    "podName",
    Kind::Text,
    "The pod's name, or `namespace/name`; messages of failed Jobs tell it.",
);

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        Choice { value: "Succeeded", doc: "Its containers did their work.", also: &[] },
        Choice { value: "Failed", doc: "It failed.", also: &[] },
        Choice {
            value: "Running",
            doc: "It goes on; told because containers of it were restarted in place.",
            also: &[],
        },
        Choice { value: "Cancelled", doc: "Somebody deleted its Job or set.", also: &[] },
        Choice {
            value: "Stopped",
            doc: "It was deleted with its Job or set; no failure of its own.",
            also: &[],
        },
    ],
    any_case: false,
};

static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);

static CONTAINER: Shape = Shape {
    name: "container",
    doc: "One container of a pod.",
    fields: &[
        required("name", Kind::SomeText, "Its name."),
        optional("init", Kind::Boolean, "Whether it is an init container."),
        optional(
            "exitCode",
            Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange },
            "Its exit code; absent if it did not end.",
        ),
        optional("reason", Kind::Text, "Why it ended, such as OOMKilled, Error or Completed."),
        optional("message", Kind::Text, "What it wrote to its termination log."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static CONDITION_KIND: Kind = Kind::Object(&CONDITION);

static CONDITION: Shape = Shape {
    name: "condition",
    doc: "A condition of a pod.",
    fields: &[
        required("type", Kind::SomeText, "Its type."),
        optional("status", Kind::OneOf(&super::shape::STATUSES), "Its status; absent means True."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// A record of a Job's pod. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One pod of a Job, as one line of a JSON Lines history.",
    fields: &[
        common::JOB_ID,
        common::QUEUE,
        POD_INDEX,
        common::RUN_INDEX,
        common::STARTED,
        common::FINISHED,
        common::NODE,
        common::CLUSTER,
        OUTCOME,
        CONTAINERS,
        POD_CONDITIONS,
        RESTARTS,
        POD_NAME,
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

/// A container as a line has it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerLine {
    name: Box<str>,
    #[serde(default)]
    init: Option<bool>,
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(default)]
    reason: Option<Box<str>>,
    #[serde(default)]
    message: Option<Box<str>>,
}

/// A condition as a line has it.
#[derive(Deserialize)]
struct ConditionLine {
    #[serde(rename = "type")]
    kind: Box<str>,
    #[serde(default)]
    status: Option<ConditionStatus>,
}

impl From<ContainerLine> for PodContainer {
    fn from(line: ContainerLine) -> Self {
        Self {
            name: line.name,
            init: line.init.unwrap_or_default(),
            exit_code: line.exit_code,
            reason: line.reason.filter(|text| !text.is_empty()),
            message: line.message.filter(|text| !text.is_empty()),
        }
    }
}

impl From<ConditionLine> for PodCondition {
    fn from(line: ConditionLine) -> Self {
        Self { kind: line.kind, status: line.status.unwrap_or_default() }
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
            "containers" => {
                let lines: Option<Vec<Mapping<ContainerLine>>> = map.next_value()?;
                self.containers =
                    lines.unwrap_or_default().into_iter().map(|line| line.0.into()).collect();
            }
            "podConditions" => {
                let lines: Option<Vec<Mapping<ConditionLine>>> = map.next_value()?;
                self.conditions =
                    lines.unwrap_or_default().into_iter().map(|line| line.0.into()).collect();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        if self.containers.iter().any(|container| container.name.is_empty()) {
            return Some(("containers", "a container has no name".to_owned()));
        }
        if self.conditions.iter().any(|condition| condition.kind.is_empty()) {
            return Some(("podConditions", "a condition has no type".to_owned()));
        }
        let mut seen = HashSet::new();
        let twice = match &*self.containers {
            [] | [_] => return None,
            all => all.iter().find(|container| !seen.insert(&container.name))?,
        };
        Some(("containers", format!("two containers are named `{}`", twice.name)))
    }

    fn key(&self) -> u32 {
        self.index
    }

    fn of_pod(pod: &KubePod) -> Option<PodRecord<Self>> {
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
