//! From the object of a pod to the pod that systems judge.

use super::object::{ContainerStatus, Pod, Terminated};
use crate::history::kube_pod::{
    ContainerEnd, KubeContainer, KubePod, Owner, PodCondition, Waiting,
};
use crate::history::sources::json::{into_non_empty, non_empty, time};
use crate::history::sources::kube::Texts;
use document::units::GoDuration;
use std::collections::BTreeMap;

/// The pod of an object.
///
/// # Errors
///
/// Which of its times is invalid.
pub(super) fn kube_pod(pod: &Pod) -> Result<KubePod, String> {
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
            reason: into_non_empty(condition.reason.clone()),
            since: time("lastTransitionTime", condition.last_transition_time.as_ref())?,
        });
    }
    let mut containers = Vec::new();
    let init = status.init_container_statuses.as_deref().unwrap_or_default().iter();
    let main = status.container_statuses.as_deref().unwrap_or_default().iter();
    for (status, init) in init.map(|status| (status, true)).chain(main.map(|it| (it, false))) {
        if let Some(name) = non_empty(status.name.as_ref()) {
            containers.push(container(name, init, status)?);
        }
    }
    // A negative period is invalid, and means nothing here.
    let grace = metadata.deletion_grace_period_seconds.filter(|seconds| *seconds >= 0);
    Ok(KubePod {
        name: metadata.name.clone().unwrap_or_default(),
        namespace: metadata.namespace.clone().unwrap_or_default(),
        labels: texts(metadata.labels.as_ref()),
        annotations: texts(metadata.annotations.as_ref()),
        owner,
        phase: status.phase.clone().unwrap_or_default(),
        reason: into_non_empty(status.reason.clone()),
        message: into_non_empty(status.message.clone()),
        conditions,
        containers,
        restart_policy: into_non_empty(spec.restart_policy.clone()),
        node: into_non_empty(spec.node_name.clone()),
        created: time("creationTimestamp", metadata.creation_timestamp.as_ref())?,
        started: time("startTime", status.start_time.as_ref())?,
        deleted: time("deletionTimestamp", metadata.deletion_timestamp.as_ref())?,
        deletion_grace: grace.map(GoDuration::from_secs),
        is_gone: metadata.is_gone,
        init_containers: spec.ending_init_names().map(str::to_owned).collect(),
        active_deadline: spec.active_deadline_seconds.map(GoDuration::from_secs),
        termination_grace: spec.grace(),
        resources: spec.resources(),
    })
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
                reason: into_non_empty(terminated.reason.clone()),
                message: into_non_empty(terminated.message.clone()),
                started: time("startedAt", terminated.started_at.as_ref())?,
                finished: time("finishedAt", terminated.finished_at.as_ref())?,
            })
        })
    };
    let now = status.state.as_ref().and_then(|state| state.terminated.as_ref());
    let before = status.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let restarts = status.restart_count.unwrap_or_default();
    let state = status.state.as_ref();
    let waiting = state.and_then(|state| state.waiting.as_ref()).map(|waiting| Waiting {
        reason: waiting.reason.clone().unwrap_or_default(),
        message: waiting.message.clone().unwrap_or_default(),
    });
    let running = state.and_then(|state| state.running.as_ref());
    let running_since = running.and_then(|running| running.started_at.as_ref());
    Ok(KubeContainer {
        waiting,
        is_running: running.is_some(),
        running_since: time("startedAt", running_since)?,
        has_run_before: status.last_state.as_ref().is_some_and(|state| state.running.is_some()),
        name: name.to_owned(),
        init,
        end: end(now).transpose()?,
        end_before: end(before).transpose()?,
        // A negative count is invalid in Kubernetes.
        restarts: u32::try_from(restarts.max(0)).unwrap_or(u32::MAX),
    })
}
