//! A pod as Kubernetes describes it, for systems that judge pods themselves.
//!
//! Owns what a pod's status holds and when the pod ended. A system defines which unit the pod belongs to and
//! what its end means.

use armada_retry::engine::Resources;
use document::units::{GoDuration, Time};
use std::collections::BTreeMap;

/// The condition of a pod that something outside it ends: a drain, a preemption, a taint.
pub const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// The condition of a pod that Kueue stops.
pub const TERMINATION_TARGET: &str = "TerminationTarget";

/// A pod.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KubePod {
    /// Its name, never empty.
    pub name: String,
    /// Its namespace; empty if it is not on record.
    pub namespace: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// The object that controls it.
    pub owner: Option<Owner>,
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; empty if it is not on record.
    pub phase: String,
    /// Why it is in this phase, such as `Evicted`.
    pub reason: Option<String>,
    /// The reason in words.
    pub message: Option<String>,
    /// Its conditions.
    pub conditions: Vec<PodCondition>,
    /// Its containers, init containers first.
    pub containers: Vec<KubeContainer>,
    /// `Always`, `OnFailure` or `Never`.
    pub restart_policy: Option<String>,
    /// The node it was scheduled to.
    pub node: Option<String>,
    /// When it was created.
    pub created: Option<Time>,
    /// When the kubelet accepted it.
    pub started: Option<Time>,
    /// When it is gone at the latest, if it was deleted: this includes its grace period.
    pub deleted: Option<Time>,
    /// The grace period of its deletion.
    pub deletion_grace: Option<GoDuration>,
    /// Whether it no longer exists.
    pub is_gone: bool,
    /// The names of the init containers of its spec that end before the others start.
    pub init_containers: Vec<String>,
    /// How long it may be active, by its spec.
    pub active_deadline: Option<GoDuration>,
    /// How long it may take to end, by its spec.
    pub termination_grace: Option<GoDuration>,
    /// The resources that it requests, by its spec.
    pub resources: Option<Resources>,
}

/// An event about a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodEvent {
    /// `Normal` or `Warning`.
    pub event_type: String,
    /// Such as `FailedMount`.
    pub reason: String,
    /// The reason in words.
    pub message: String,
}

/// The object that controls a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Owner {
    /// Such as `Job`.
    pub kind: String,
    /// Its name in the pod's namespace.
    pub name: String,
}

/// A condition of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodCondition {
    /// Such as `DisruptionTarget`.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason, such as `PreemptionByScheduler`.
    pub reason: Option<String>,
    /// When its status changed last.
    pub since: Option<Time>,
}

/// A container of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KubeContainer {
    /// Its name.
    pub name: String,
    /// Whether it is an init container.
    pub init: bool,
    /// How it ended, if it has and was not restarted.
    pub end: Option<ContainerEnd>,
    /// How it ended before it was restarted last.
    pub end_before: Option<ContainerEnd>,
    /// How often it was restarted in place.
    pub restarts: u32,
    /// Why it waits, if it does.
    pub waiting: Option<Waiting>,
    /// Whether it runs.
    pub is_running: bool,
    /// Since when it runs.
    pub running_since: Option<Time>,
    /// Whether it ran before it was restarted last.
    pub has_run_before: bool,
}

/// Why a container waits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Such as `ImagePullBackOff`; empty if it is not on record.
    pub reason: String,
    /// The reason in words.
    pub message: String,
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerEnd {
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// Such as `OOMKilled`.
    pub reason: Option<String>,
    /// Its termination message.
    pub message: Option<String>,
    /// When it began.
    pub started: Option<Time>,
    /// When it ended.
    pub finished: Option<Time>,
}

impl KubePod {
    /// `namespace/name`, or its name alone where the namespace is not on record.
    pub fn qualified_name(&self) -> String {
        self.in_namespace(&self.name)
    }

    /// The name of another object of the pod's namespace, as [`qualified_name`](Self::qualified_name).
    pub fn in_namespace(&self, name: &str) -> String {
        qualified(&self.namespace, name)
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase.as_str(), "Succeeded" | "Failed")
    }

    /// Restarts of its containers in place, all together.
    pub fn restarts(&self) -> u32 {
        self.containers.iter().fold(0, |sum, container| sum.saturating_add(container.restarts))
    }

    /// When it ended. First as the Job controller computes it
    /// (`pkg/controller/job/backoff_utils.go`, `getFinishedTime`): the end of its last container if
    /// all have ended, else since when it is not ready, else when it was deleted. A pod that the
    /// kubelet evicted or never admitted may have none of these: a disruption comes before the
    /// deletion, and last are the end of any container and the later of start and creation.
    ///
    /// Only a container's end may come before the pod's start, which then is a bad record. A
    /// condition or a deletion that does is of an earlier state of the pod, and is skipped.
    pub fn finished(&self) -> Option<Time> {
        let ends = || self.containers.iter().filter_map(|container| container.end.as_ref());
        let last = || ends().filter_map(|end| end.finished).max();
        let all_ended =
            ends().filter(|end| end.finished.is_some()).count() == self.containers.len();
        let deleted = || {
            // Kubernetes sets `deletionTimestamp` to the request plus the grace period.
            let grace = self.deletion_grace.unwrap_or(GoDuration::ZERO).as_nanos();
            Some(self.deleted?.plus(GoDuration::from_nanos(-grace)))
        };
        let in_run = |at: &Time| self.started.is_none_or(|started| *at >= started);
        let finished = last().filter(|_| all_ended);
        finished
            .or_else(|| self.since("Ready", "False").filter(in_run))
            .or_else(|| self.since(DISRUPTION_TARGET, "True").filter(in_run))
            .or_else(|| deleted().filter(in_run))
            .or_else(last)
            .or_else(|| self.started.max(self.created))
    }

    /// Since when a condition has a status, if it has.
    fn since(&self, kind: &str, status: &str) -> Option<Time> {
        let mut conditions = self.conditions.iter();
        conditions.find(|it| it.kind == kind && it.status == status)?.since
    }

    /// When a container of it ended last before it was restarted.
    pub fn restarted(&self) -> Option<Time> {
        let ends = self.containers.iter().filter_map(|container| container.end_before.as_ref());
        ends.filter_map(|end| end.finished).max()
    }
}

/// A name within a namespace, if that is on record.
pub(super) fn qualified(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}
