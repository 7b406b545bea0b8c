//! Pods as cases describe them.

use super::{now, number};
use document::units::{GoDuration, Time};
use serde_json::Value;
use systems::job::{ConditionStatus, IndexFailures, Phase, Pod, PodCondition, PodContainer};

/// A pod with texts of its own.
#[derive(Default)]
pub struct Described {
    pub phase: Phase,
    pub index: Option<u32>,
    pub earlier: IndexFailures,
    pub restarts: u32,
    pub deleting: bool,
    pub containers: Vec<PodContainer>,
    pub conditions: Vec<PodCondition>,
    pub finished_at: Option<Time>,
}

impl Described {
    /// A pod of which nothing is known but its phase.
    pub fn of(phase: Phase) -> Self {
        Self { phase, ..Self::default() }
    }

    pub fn pod(&self) -> Pod<'_> {
        Pod {
            name: "default/pod",
            namespace: "",
            phase: self.phase,
            deleting: self.deleting,
            containers: &self.containers,
            conditions: &self.conditions,
            restarts: self.restarts,
            index: self.index,
            earlier: self.earlier,
            finished_at: self.finished_at,
        }
    }
}

pub fn phase(value: &Value) -> Phase {
    match value.as_str() {
        Some("Running") => Phase::Running,
        Some("Succeeded") => Phase::Succeeded,
        Some("Failed") => Phase::Failed,
        Some("Pending") => Phase::Pending,
        _ => Phase::Unknown,
    }
}

pub fn list(value: &Value) -> Vec<Described> {
    value.as_array().into_iter().flatten().map(described).collect()
}

pub fn described(value: &Value) -> Described {
    let ago = value["finishedSecondsAgo"].as_i64();
    Described {
        phase: phase(&value["phase"]),
        index: value["index"].as_u64().and_then(|index| u32::try_from(index).ok()),
        earlier: IndexFailures {
            counted: number(&value["indexFailureCount"]),
            ignored: number(&value["indexIgnoredFailureCount"]),
        },
        deleting: value["deleting"] == true,
        finished_at: ago.map(|ago| now().plus(GoDuration::from_secs(-ago))),
        ..contents(value)
    }
}

/// What a pod's containers and conditions say.
pub fn contents(value: &Value) -> Described {
    let containers = |key: &str, init| {
        let list = value[key].as_array().cloned().unwrap_or_default();
        list.into_iter().map(move |one| container(&one, init)).collect::<Vec<_>>()
    };
    let mut all = containers("initContainers", true);
    all.extend(containers("containers", false));
    let lists = ["containers", "initContainers"].map(|key| value[key].as_array());
    let restarts = lists.into_iter().flatten().flatten().map(|one| number(&one["restartCount"]));
    let conditions = value["conditions"].as_array().into_iter().flatten();
    Described {
        restarts: restarts.sum::<u32>() + number(&value["restartCount"]),
        containers: all,
        conditions: conditions.map(condition).collect(),
        ..Described::default()
    }
}

fn container(value: &Value, init: bool) -> PodContainer {
    PodContainer {
        name: value["name"].as_str().unwrap_or_default().into(),
        init,
        exit_code: value["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok()),
        ..PodContainer::default()
    }
}

fn condition(value: &Value) -> PodCondition {
    let status = value["status"].as_str().and_then(ConditionStatus::from_name);
    PodCondition {
        kind: value["type"].as_str().unwrap_or_default().into(),
        status: status.unwrap_or_default(),
        ..PodCondition::default()
    }
}
