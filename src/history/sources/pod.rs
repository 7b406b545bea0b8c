//! What one pod says: whether it has ended, how, and whose run it was.
//!
//! It cannot know the cluster, a failure category, nor that a pod had no pod after it. A container
//! that has not ended has neither exit code nor reason, whatever it waits for.

use super::json::{owned, some, time};
use super::kube::{Texts, annotations};
use super::kube_pod::DISRUPTION_TARGET;
use super::pods::{Metadata, Pod};
use crate::history::armada::JobFields;
use crate::history::armada::{ArmadaRun, Container, Outcome, RunRecord};
use crate::units::Time;
use serde::Deserialize;

/// The labels and annotations that Armada's executor puts on its pods.
const JOB_ID: &str = "armada_job_id";
const QUEUE: &str = "armada_queue_id";
const JOB_SET: &str = "armada_jobset_id";
const RUN_INDEX: &str = "armada_job_run_index";
/// The labels of Kubernetes' Job controller, the newer first.
const JOB_NAME: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];
const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// How a pod stands.
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

/// What is known of a pod beside its phase.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) last_transition_time: Option<String>,
}

/// How a container stands.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerStatus {
    pub(super) name: Option<String>,
    pub(super) state: Option<ContainerState>,
    pub(super) last_state: Option<ContainerState>,
    pub(super) restart_count: Option<i64>,
}

/// A state of a container, as far as it is an end.
#[derive(Debug, Deserialize)]
pub(super) struct ContainerState {
    pub(super) terminated: Option<Terminated>,
}

/// How a container ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Terminated {
    pub(super) exit_code: Option<i64>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) finished_at: Option<String>,
}

/// A pod that has ended.
pub(super) struct Ended {
    pub(super) id: String,
    pub(super) queue: Option<String>,
    pub(super) job: JobFields,
    pub(super) run: RunRecord,
    pub(super) index: Option<u32>,
    /// What it is sorted by.
    pub(super) time: Option<Time>,
}

/// The run of a pod, unless the pod has not ended; or its job and what is wrong.
pub(super) fn ended(pod: Pod) -> Result<Option<Ended>, (String, String)> {
    let id = job_id(&pod.metadata);
    let outcome = match pod.status.phase.as_deref() {
        Some("Succeeded") => Outcome::Succeeded,
        Some("Failed") if preempted(&pod.status) => Outcome::Preempted,
        Some("Failed") => Outcome::Failed,
        _ => return Ok(None),
    };
    let label = |key: &str| text(pod.metadata.labels.as_ref(), key);
    let index = label(RUN_INDEX).and_then(|index| index.parse().ok());
    let queue = label(QUEUE).map(str::to_owned);
    let job_set = text(pod.metadata.annotations.as_ref(), JOB_SET).map(str::to_owned);
    let created = time("creationTimestamp", pod.metadata.creation_timestamp.as_ref());
    let (run, created) = match run(&pod, outcome).and_then(|run| Ok((run, created?))) {
        Ok(both) => both,
        Err(message) => return Err((id, message)),
    };
    let job = JobFields {
        job_set,
        annotations: annotations(pod.metadata.annotations),
        resources: pod.spec.resources(),
        gang: None,
    };
    let time = run.time().or(created);
    Ok(Some(Ended { id, queue, job, run, index, time }))
}

fn text<'t>(texts: Option<&'t Texts>, key: &str) -> Option<&'t str> {
    some(texts?.get(key)?.as_ref())
}

/// Armada's job; else Kubernetes' Job, and the index if it has one; else who made the pod; else
/// the pod itself. All but the first are names within a namespace.
fn job_id(metadata: &Metadata) -> String {
    let label = |key| text(metadata.labels.as_ref(), key);
    if let Some(id) = label(JOB_ID) {
        return id.to_owned();
    }
    let mut owners = metadata.owner_references.as_deref().unwrap_or_default().iter();
    let owner = owners.find(|owner| owner.controller == Some(true));
    let name = JOB_NAME.into_iter().find_map(label);
    let name = name.or_else(|| some(owner?.name.as_ref())).or(some(metadata.name.as_ref()));
    let mut id = name.unwrap_or_default().to_owned();
    if let Some(namespace) = some(metadata.namespace.as_ref()) {
        id = format!("{namespace}/{id}");
    }
    match label(COMPLETION_INDEX).or_else(|| text(metadata.annotations.as_ref(), COMPLETION_INDEX))
    {
        Some(index) => format!("{id}/{index}"),
        None => id,
    }
}

/// Why Kubernetes disturbed the pod, if it did, and when.
fn disruption(status: &Status) -> Option<&Condition> {
    status.conditions.as_deref().unwrap_or_default().iter().find(|condition| {
        condition.kind.as_deref() == Some(DISRUPTION_TARGET)
            && condition.status.as_deref() == Some("True")
    })
}

/// By the scheduler for a pod of higher priority, or by the kubelet for one that is critical.
fn preempted(status: &Status) -> bool {
    let reason = disruption(status).and_then(|condition| condition.reason.as_deref());
    reason == Some("PreemptionByScheduler") || status.reason.as_deref() == Some("Preempting")
}

fn run(pod: &Pod, outcome: Outcome) -> Result<RunRecord, String> {
    let status = &pod.status;
    let containers = containers(pod);
    let mut last: Option<Time> = None;
    for terminated in statuses(status).filter_map(|(_, _, terminated)| terminated) {
        last = last.max(time("finishedAt", terminated.finished_at.as_ref())?);
    }
    let disruption = disruption(status);
    let disturbed = disruption.and_then(|condition| condition.last_transition_time.as_ref());
    let disturbed = time("lastTransitionTime", disturbed)?;
    let disturbed_by = disruption.and_then(|condition| condition.reason.clone());
    let mut conditions: Vec<String> =
        [owned(status.reason.clone()), owned(disturbed_by)].into_iter().flatten().collect();
    conditions.dedup();
    // A preemption is the failure; that the containers ended is its confirmation.
    let (finished, confirmed) = match (outcome, disturbed) {
        (Outcome::Preempted, Some(disturbed)) => (Some(disturbed), last),
        _ => (last.or(disturbed), None),
    };
    let own = ArmadaRun {
        conditions: conditions.into_iter().map(Into::into).collect(),
        containers: containers.into(),
        termination_grace: pod.spec.grace(),
        termination_confirmed_at: confirmed,
        ..ArmadaRun::new(outcome)
    };
    Ok(RunRecord {
        started_at: time("startTime", status.start_time.as_ref())?,
        finished_at: finished,
        node: owned(pod.spec.node_name.clone()).map(Into::into),
        own,
        ..RunRecord::default()
    })
}

/// The name of each container, whether it is an init container, and its end.
fn statuses(status: &Status) -> impl Iterator<Item = (&str, bool, Option<&Terminated>)> {
    let init = status.init_container_statuses.as_deref().unwrap_or_default().iter();
    let main = status.container_statuses.as_deref().unwrap_or_default().iter();
    let all = init.map(|container| (container, true)).chain(main.map(|other| (other, false)));
    all.filter_map(|(container, init)| {
        let name = some(container.name.as_ref())?;
        let state = container.state.as_ref();
        Some((name, init, state.and_then(|state| state.terminated.as_ref())))
    })
}

/// The containers in pod order: init containers first, each kind as the spec lists them.
fn containers(pod: &Pod) -> Vec<Container> {
    let order: Vec<&str> = pod.spec.init_names().chain(pod.spec.main_names()).collect();
    let mut containers: Vec<Container> = statuses(&pod.status)
        .map(|(name, init, terminated)| Container {
            name: name.into(),
            init,
            exit_code: terminated.and_then(|terminated| terminated.exit_code),
            reason: terminated.and_then(|it| it.reason.as_deref()).unwrap_or_default().into(),
            message: terminated.and_then(|it| it.message.as_deref()).unwrap_or_default().into(),
        })
        .collect();
    let place = |name: &str| order.iter().position(|known| *known == name);
    containers
        .sort_by_key(|container| (!container.init, place(&container.name).unwrap_or(usize::MAX)));
    containers
}
