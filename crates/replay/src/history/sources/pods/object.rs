//! The objects that `kubectl` prints, as far as they are read.

use crate::history::kube_pod::{PodEvent, qualified};
use crate::history::sources::kube::{PodSpec, Texts};
use crate::history::unit_outcome::UnitOutcome;
use serde::Deserialize;

/// The kind of an object, read before the rest of it.
#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) kind: Option<String>,
    #[serde(rename = "type")]
    pub(super) event: Option<String>,
    pub(super) object: Option<ObjectKind>,
}

/// The kind of an event's object.
#[derive(Deserialize)]
pub(super) struct ObjectKind {
    pub(super) kind: Option<String>,
}

/// An event of a watch about an object.
#[derive(Deserialize)]
pub(super) struct WatchEvent<T> {
    pub(super) object: T,
}

/// A Job or a JobSet.
#[derive(Deserialize)]
pub(super) struct UnitObject {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    status: UnitStatus,
}

/// The status of a Job or a JobSet.
#[derive(Default, Deserialize)]
struct UnitStatus {
    conditions: Option<Vec<Condition>>,
}

impl UnitObject {
    /// Its unit, and the outcome that its conditions show, if they do. `Completed` is JobSet's `Complete`.
    pub(super) fn outcome(&self) -> Option<(String, UnitOutcome)> {
        let conditions = self.status.conditions.as_deref().unwrap_or_default();
        let mut holding = conditions.iter().filter(|it| it.status.as_deref() == Some("True"));
        let outcome = holding.find_map(|condition| match condition.kind.as_deref()? {
            // `SuccessCriteriaMet` comes before `Complete`, while pods still end.
            "Complete" | "Completed" | "SuccessCriteriaMet" => Some(UnitOutcome::Succeeded),
            "Failed" => Some(UnitOutcome::Failed),
            _ => None,
        })?;
        Some((self.metadata.qualified_name(), outcome))
    }
}

/// A pod; `docs/sources.md` lists what is read of each part.
#[derive(Default, Deserialize)]
pub(super) struct Pod {
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) spec: PodSpec,
    #[serde(default)]
    pub(super) status: Status,
}

/// The name, labels and owners of a pod.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) labels: Option<Texts>,
    pub(super) annotations: Option<Texts>,
    pub(super) owner_references: Option<Vec<OwnerReference>>,
    pub(super) creation_timestamp: Option<String>,
    pub(super) deletion_timestamp: Option<String>,
    pub(super) deletion_grace_period_seconds: Option<i64>,
    /// Whether an event of a watch reports its deletion.
    #[serde(skip)]
    pub(super) is_gone: bool,
}

impl Metadata {
    /// `namespace/name`, or the name alone where the namespace is not on record.
    pub(super) fn qualified_name(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        qualified(namespace, self.name.as_deref().unwrap_or_default())
    }
}

/// An owner of a pod.
#[derive(Deserialize)]
pub(super) struct OwnerReference {
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) controller: Option<bool>,
}

/// The status of a pod.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) phase: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) start_time: Option<String>,
    pub(super) conditions: Option<Vec<Condition>>,
    pub(super) init_container_statuses: Option<Vec<ContainerStatus>>,
    pub(super) container_statuses: Option<Vec<ContainerStatus>>,
}

/// A condition of an object.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) last_transition_time: Option<String>,
}

/// The status of a container.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerStatus {
    pub(super) name: Option<String>,
    pub(super) state: Option<ContainerState>,
    pub(super) last_state: Option<ContainerState>,
    pub(super) restart_count: Option<i64>,
}

/// A state of a container.
#[derive(Debug, Deserialize)]
pub(super) struct ContainerState {
    pub(super) waiting: Option<Waiting>,
    pub(super) running: Option<Running>,
    pub(super) terminated: Option<Terminated>,
}

/// Why a container waits.
#[derive(Debug, Deserialize)]
pub(super) struct Waiting {
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
}

/// Since when a container runs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Running {
    pub(super) started_at: Option<String>,
}

/// How a container ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Terminated {
    pub(super) exit_code: Option<i64>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) started_at: Option<String>,
    pub(super) finished_at: Option<String>,
}

/// An event about an object.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) involved_object: InvolvedObject,
}

/// The object that an event is about.
#[derive(Default, Deserialize)]
pub(super) struct InvolvedObject {
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
}

impl Event {
    /// The name of its object, as [`Metadata::qualified_name`].
    pub(super) fn object_name(&self) -> String {
        let object = &self.involved_object;
        let namespace = object.namespace.as_deref().unwrap_or_default();
        qualified(namespace, object.name.as_deref().unwrap_or_default())
    }

    /// The event without its object.
    pub(super) fn into_pod_event(self) -> PodEvent {
        PodEvent {
            event_type: self.kind.unwrap_or_default(),
            reason: self.reason.unwrap_or_default(),
            message: self.message.unwrap_or_default(),
        }
    }
}
