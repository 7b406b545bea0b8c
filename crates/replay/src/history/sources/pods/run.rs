//! A pod as a run of Armada's: whether it has ended, how, and the job that it belongs to.
//!
//! A pod holds no cluster and no failure category. A container that has not ended has neither exit code nor
//! reason.

use super::object::{Condition, ContainerState, Metadata, Pod, Status, Terminated};
use crate::disruption::{Disruptions, Evidence, Source};
use crate::history::armada::ArmadaRun;
use crate::history::job::RunRecord;
use crate::history::kube_pod::{DISRUPTION_TARGET, TERMINATION_TARGET};
use crate::history::lookout::ObservedPod;
use crate::history::sources::json::{into_non_empty, non_empty, time};
use crate::history::sources::kube::{Texts, annotations};
use armada_retry::engine::{Container, JobFields, Outcome};
use document::units::Time;

/// The labels and annotations that Armada's executor puts on its pods.
const JOB_ID: &str = "armada_job_id";
const QUEUE: &str = "armada_queue_id";
const JOB_SET: &str = "armada_jobset_id";
/// The annotation of pods that the executor deletes.
const MARKED_FOR_DELETION: &str = "deletion_requested";
const RUN_INDEX: &str = "armada_job_run_index";
/// The labels of Kubernetes' Job controller, the newer first.
const JOB_NAME: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];
const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// The run of a pod that has ended.
pub(super) struct PodEnd {
    pub(super) id: String,
    pub(super) queue: Option<String>,
    pub(super) job: JobFields,
    pub(super) run: RunRecord,
    pub(super) index: Option<u32>,
    /// The time by which the runs of a job are sorted.
    pub(super) time: Option<Time>,
}

/// The run of a pod, if the pod has ended.
///
/// # Errors
///
/// The job of the pod, and what is wrong with the pod.
pub(super) fn run_of_pod(
    pod: Pod,
    table: &Disruptions,
) -> Result<Option<PodEnd>, (String, String)> {
    let id = job_id(&pod.metadata);
    let outcome = match pod.status.phase.as_deref() {
        Some("Succeeded") => Outcome::Succeeded,
        Some("Failed") => Outcome::Failed,
        _ => return Ok(None),
    };
    let label = |key: &str| text(pod.metadata.labels.as_ref(), key);
    let index = label(RUN_INDEX).and_then(|index| index.parse().ok());
    let queue = label(QUEUE).map(str::to_owned);
    let job_set = text(pod.metadata.annotations.as_ref(), JOB_SET).map(str::to_owned);
    let created = time("creationTimestamp", pod.metadata.creation_timestamp.as_ref());
    let (run, created) = match run(&pod, outcome, table).and_then(|run| Ok((run, created?))) {
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
    Ok(Some(PodEnd { id, queue, job, run, index, time }))
}

fn text<'t>(texts: Option<&'t Texts>, key: &str) -> Option<&'t str> {
    non_empty(texts?.get(key)?.as_ref())
}

/// The id of the job: Armada's job; else Kubernetes' Job with the index if it has one; else the owner of the
/// pod; else the pod itself. All but the first are names within a namespace.
pub(super) fn job_id(metadata: &Metadata) -> String {
    let label = |key| text(metadata.labels.as_ref(), key);
    if let Some(id) = label(JOB_ID) {
        return id.to_owned();
    }
    let mut owners = metadata.owner_references.as_deref().unwrap_or_default().iter();
    let owner = owners.find(|owner| owner.controller == Some(true));
    let name = JOB_NAME.into_iter().find_map(label);
    let name =
        name.or_else(|| non_empty(owner?.name.as_ref())).or(non_empty(metadata.name.as_ref()));
    let mut id = name.unwrap_or_default().to_owned();
    if let Some(namespace) = non_empty(metadata.namespace.as_ref()) {
        id = format!("{namespace}/{id}");
    }
    // The index was an annotation before it became a label (Kubernetes 1.28).
    match label(COMPLETION_INDEX).or_else(|| text(metadata.annotations.as_ref(), COMPLETION_INDEX))
    {
        Some(index) => format!("{id}/{index}"),
        None => id,
    }
}

/// The condition of a type, if it is `True`.
fn condition<'s>(status: &'s Status, kind: &str) -> Option<&'s Condition> {
    status.conditions.as_deref().unwrap_or_default().iter().find(|condition| {
        condition.kind.as_deref() == Some(kind) && condition.status.as_deref() == Some("True")
    })
}

/// A failed pod, with its run so far.
struct FailedPod<'p> {
    status: &'p Status,
    run: &'p ArmadaRun,
}

impl Evidence for FailedPod<'_> {
    fn pod_condition(&self, kind: &str) -> Option<&str> {
        Some(condition(self.status, kind)?.reason.as_deref().unwrap_or_default())
    }

    fn pod_reason(&self) -> Option<&str> {
        self.status.reason.as_deref()
    }

    fn exit_code(&self) -> Option<i64> {
        self.run.exit_code()
    }
}

fn run(pod: &Pod, outcome: Outcome, table: &Disruptions) -> Result<RunRecord, String> {
    let status = &pod.status;
    let containers = containers(pod);
    let mut last: Option<Time> = None;
    for terminated in statuses(status).filter_map(|(_, _, terminated)| terminated) {
        last = last.max(time("finishedAt", terminated.finished_at.as_ref())?);
    }
    let targets = [DISRUPTION_TARGET, TERMINATION_TARGET].map(|kind| condition(status, kind));
    let targets = || targets.into_iter().flatten();
    let disrupted_at = targets().find_map(|condition| condition.last_transition_time.as_ref());
    let disrupted_at = time("lastTransitionTime", disrupted_at)?;
    let reasons = targets().map(|condition| condition.reason.clone());
    let mut conditions: Vec<String> =
        std::iter::once(status.reason.clone()).chain(reasons).filter_map(into_non_empty).collect();
    // The pod's reason is mostly that of its condition too.
    conditions.dedup();
    let mut own = ArmadaRun {
        conditions: conditions.into_iter().map(Into::into).collect(),
        containers: containers.into(),
        termination_grace: pod.spec.grace(),
        observed: observed(pod).map(Box::new),
        ..ArmadaRun::new(outcome)
    };
    if outcome == Outcome::Failed {
        own.disruption = table.find(Source::Pods, &FailedPod { status, run: &own });
    }
    if let Some(row) = own.disruption.map(|id| table.row(id)).filter(|row| row.enabled) {
        own.disrupt(row);
    }
    // A preemption is the failure; that the containers ended is its confirmation.
    let finished = match (own.outcome, disrupted_at) {
        (Outcome::Preempted, Some(at)) => {
            own.termination_confirmed_at = last;
            Some(at)
        }
        // Without the end of a container the disruption is the last time that is known.
        _ => last.or(disrupted_at),
    };
    Ok(RunRecord {
        started_at: time("startTime", status.start_time.as_ref())?,
        finished_at: finished,
        node: into_non_empty(pod.spec.node_name.clone()).map(Into::into),
        own,
        ..RunRecord::default()
    })
}

/// Returns the parts of a failed pod that the executor sees.
fn observed(pod: &Pod) -> Option<ObservedPod> {
    let phase = pod.status.phase.as_deref().unwrap_or_default();
    let has =
        |key: &str| pod.metadata.annotations.as_ref().is_some_and(|all| all.contains_key(key));
    // The executor marks a pod before it deletes it, and after it has reported a phase with the phase's name.
    let is_unreported = has(MARKED_FOR_DELETION) && !has(phase);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let status = &pod.status;
    let lists = [&status.init_container_statuses, &status.container_statuses];
    let containers = || lists.into_iter().flatten().flatten();
    (phase == "Failed").then(|| ObservedPod {
        reason: text(&status.reason),
        message: text(&status.message),
        has_started: containers().any(|container| {
            let has_run =
                |state: &ContainerState| state.running.is_some() || state.terminated.is_some();
            [&container.state, &container.last_state].into_iter().flatten().any(has_run)
        }),
        is_unreported,
        ..ObservedPod::default()
    })
}

/// The name of each container, whether it is an init container, and its end.
fn statuses(status: &Status) -> impl Iterator<Item = (&str, bool, Option<&Terminated>)> {
    let init = status.init_container_statuses.as_deref().unwrap_or_default().iter();
    let main = status.container_statuses.as_deref().unwrap_or_default().iter();
    let all = init.map(|container| (container, true)).chain(main.map(|other| (other, false)));
    all.filter_map(|(container, init)| {
        let name = non_empty(container.name.as_ref())?;
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
        // Init containers first, as they end before the others begin; those that the spec lacks come last.
        .sort_by_key(|container| (!container.init, place(&container.name).unwrap_or(usize::MAX)));
    containers
}
