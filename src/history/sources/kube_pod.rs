//! A pod as Kubernetes tells of it, for systems that judge pods themselves.
//!
//! It says what stands in the pod and when the pod ended. Which unit the pod is of and what its end
//! means is the system's.

use super::json::{owned, some, time};
use super::kube::Texts;
use super::pod::{ContainerStatus, Terminated};
use super::pods::Pod;
use crate::units::{GoDuration, Time};
use std::collections::BTreeMap;

/// The condition of a pod that something outside it ends: a drain, a preemption, a taint.
pub const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// A pod.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KubePod {
    /// Its name, never empty.
    pub name: String,
    /// Its namespace; empty if it is not said.
    pub namespace: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// The object that controls it.
    pub owner: Option<Owner>,
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; empty if it is not said.
    pub phase: String,
    /// Why it is in this phase, such as `Evicted`.
    pub reason: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// What is known of it beside its phase.
    pub conditions: Vec<PodCondition>,
    /// Its containers, init containers first.
    pub containers: Vec<KubeContainer>,
    /// `Always`, `OnFailure` or `Never`.
    pub restart_policy: Option<String>,
    /// The node it was put on.
    pub node: Option<String>,
    /// When it was made.
    pub created: Option<Time>,
    /// When its node took it.
    pub started: Option<Time>,
    /// When it is gone at the latest, if somebody deleted it: its grace period is part of that.
    pub deleted: Option<Time>,
    /// The grace period of its deletion.
    pub deletion_grace: Option<GoDuration>,
    /// Whether it is there no more.
    pub is_gone: bool,
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
    /// Why, such as `PreemptionByScheduler`.
    pub reason: Option<String>,
    /// When its status became what it is.
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
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerEnd {
    /// Its exit code.
    pub exit_code: Option<i64>,
    /// Such as `OOMKilled`.
    pub reason: Option<String>,
    /// What it wrote to its termination log.
    pub message: Option<String>,
    /// When.
    pub finished: Option<Time>,
}

impl KubePod {
    /// What a pod says, or which of its times is none.
    pub(super) fn of(pod: &Pod) -> Result<Self, String> {
        let (metadata, spec, status) = (&pod.metadata, &pod.spec, &pod.status);
        let mut owners = metadata.owner_references.as_deref().unwrap_or_default().iter();
        let owner = owners.find(|owner| owner.controller == Some(true)).map(|owner| Owner {
            kind: owner.kind.clone().unwrap_or_default(),
            name: owner.name.clone().unwrap_or_default(),
        });
        let mut conditions = Vec::new();
        for condition in status.conditions.as_deref().unwrap_or_default() {
            conditions.push(PodCondition {
                kind: condition.kind.clone().unwrap_or_default(),
                status: condition.status.clone().unwrap_or_default(),
                reason: owned(condition.reason.clone()),
                since: time("lastTransitionTime", condition.last_transition_time.as_ref())?,
            });
        }
        let mut containers = Vec::new();
        let init = status.init_container_statuses.as_deref().unwrap_or_default().iter();
        let main = status.container_statuses.as_deref().unwrap_or_default().iter();
        for (status, init) in init.map(|status| (status, true)).chain(main.map(|it| (it, false))) {
            if let Some(name) = some(status.name.as_ref()) {
                containers.push(container(name, init, status)?);
            }
        }
        let grace = metadata.deletion_grace_period_seconds.filter(|seconds| *seconds >= 0);
        Ok(Self {
            name: metadata.name.clone().unwrap_or_default(),
            namespace: metadata.namespace.clone().unwrap_or_default(),
            labels: texts(metadata.labels.as_ref()),
            annotations: texts(metadata.annotations.as_ref()),
            owner,
            phase: status.phase.clone().unwrap_or_default(),
            reason: owned(status.reason.clone()),
            message: owned(status.message.clone()),
            conditions,
            containers,
            restart_policy: owned(spec.restart_policy.clone()),
            node: owned(spec.node_name.clone()),
            created: time("creationTimestamp", metadata.creation_timestamp.as_ref())?,
            started: time("startTime", status.start_time.as_ref())?,
            deleted: time("deletionTimestamp", metadata.deletion_timestamp.as_ref())?,
            deletion_grace: grace.map(GoDuration::from_secs),
            is_gone: metadata.is_gone,
        })
    }

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
    /// condition or a deletion that does is of an earlier state of the pod, and is passed over.
    pub fn finished(&self) -> Option<Time> {
        let ends = || self.containers.iter().filter_map(|container| container.end.as_ref());
        let last = || ends().filter_map(|end| end.finished).max();
        let all_ended =
            ends().filter(|end| end.finished.is_some()).count() == self.containers.len();
        let deleted = || {
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

fn texts(texts: Option<&Texts>) -> BTreeMap<String, String> {
    let all = texts.into_iter().flatten();
    all.filter_map(|(key, value)| Some((key.clone(), value.clone()?))).collect()
}

fn container(name: &str, init: bool, status: &ContainerStatus) -> Result<KubeContainer, String> {
    let end = |terminated: Option<&Terminated>| {
        terminated.map(|terminated| {
            Ok::<_, String>(ContainerEnd {
                exit_code: terminated.exit_code,
                reason: owned(terminated.reason.clone()),
                message: owned(terminated.message.clone()),
                finished: time("finishedAt", terminated.finished_at.as_ref())?,
            })
        })
    };
    let now = status.state.as_ref().and_then(|state| state.terminated.as_ref());
    let before = status.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let restarts = status.restart_count.unwrap_or_default();
    Ok(KubeContainer {
        name: name.to_owned(),
        init,
        end: end(now).transpose()?,
        end_before: end(before).transpose()?,
        restarts: u32::try_from(restarts.max(0)).unwrap_or(u32::MAX),
    })
}
