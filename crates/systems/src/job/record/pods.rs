//! Reads a Job's pods from the output of `kubectl get pods -o json`.

use super::pod_fields::{PodFields, PodOutcome};
use crate::job::engine::pod::{PodCondition, PodContainer};
use crate::job::index_source::IndexSource;
use crate::job::manifest::ConditionStatus;
use replay::history::{KubeContainer, KubePod, PodRecord};
use std::collections::BTreeMap;

/// The labels with the name of the Job, the newer one first.
const JOB_NAME: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];
/// The label with a pod's index; before Kubernetes 1.28 it is only an annotation.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// The annotations with the failures of a pod's index before it.
const INDEX_FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
const INDEX_IGNORED_FAILURES: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

/// Returns the record of a Job's pod, if its phase is known.
///
/// # Errors
///
/// A description of a wrong value.
pub fn read_pod(pod: &KubePod) -> Result<Option<PodRecord<PodFields>>, String> {
    let Some(fields) = fields(pod)? else { return Ok(None) };
    // The label is of newer clusters; older ones write the annotation only.
    let index = pod.labels.get(INDEX).or_else(|| pod.annotations.get(INDEX));
    let index = index.and_then(|index| index.parse().ok());
    let index_source = if index.is_some() { IndexSource::Recorded } else { IndexSource::None };
    let own = PodFields { index: index.unwrap_or_default(), index_source, ..fields };
    Ok(Some(PodRecord { own, has_slot: index.is_some() }))
}

/// Returns the name of the Job that a pod belongs to.
pub fn job_name(pod: &KubePod) -> Option<&str> {
    let label = JOB_NAME.iter().find_map(|label| pod.labels.get(*label));
    let owner = pod.owner.as_ref().filter(|owner| owner.kind == "Job");
    label.or(owner.map(|owner| &owner.name)).map(String::as_str)
}

/// Returns the fields of a pod that ended, or was restarted in place; `None` for one that was deleted before
/// it ended.
fn fields(pod: &KubePod) -> Result<Option<PodFields>, String> {
    let outcome = match pod.phase.as_str() {
        "Succeeded" => PodOutcome::Succeeded,
        "Failed" => PodOutcome::Failed,
        "" => return Ok(None),
        _ if pod.is_gone => return Ok(None),
        _ => PodOutcome::Running,
    };
    let conditions = pod.conditions.iter().filter_map(|condition| {
        let status = ConditionStatus::from_name(&condition.status)?;
        let reason = condition.reason.as_deref().map(Into::into);
        Some(PodCondition { kind: condition.kind.as_str().into(), status, reason })
    });
    let count = |key| recorded_count("annotation", key, &pod.annotations);
    Ok(Some(PodFields {
        outcome,
        restarts: pod.restarts(),
        containers: pod.containers.iter().map(container).collect(),
        conditions: conditions.collect(),
        name: pod.qualified_name().into(),
        reason: pod.reason.as_deref().unwrap_or_default().into(),
        index_failures: count(INDEX_FAILURES)?,
        index_ignored_failures: count(INDEX_IGNORED_FAILURES)?,
        resources: pod.resources.map(Box::new),
        ..PodFields::default()
    }))
}

/// Returns the count that a controller wrote at a pod, as a label or an annotation, if there is one.
///
/// # Errors
///
/// A description of a wrong value.
pub fn recorded_count(
    what: &str,
    key: &str,
    values: &BTreeMap<String, String>,
) -> Result<Option<u32>, String> {
    let Some(value) = values.get(key) else { return Ok(None) };
    // Controllers keep such counts as signed 32-bit integers.
    let count = value.parse().ok().filter(|count| i32::try_from(*count).is_ok());
    let wrong =
        || format!("{what} `{key}`: `{value}` is not a whole number from 0 to {}", i32::MAX);
    count.map(Some).ok_or_else(wrong)
}

fn container(container: &KubeContainer) -> PodContainer {
    let end = container.end.as_ref();
    let text = |text: Option<&String>| text.map(|text| text.as_str().into());
    PodContainer {
        name: container.name.as_str().into(),
        init: container.init,
        exit_code: end.and_then(|end| end.exit_code).and_then(|code| i32::try_from(code).ok()),
        reason: text(end.and_then(|end| end.reason.as_ref())),
        restarts: Some(container.restarts),
    }
}
