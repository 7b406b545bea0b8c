//! Pods of a JobSet as `kubectl get pods -o json` prints them.

use super::super::job::{self, PodFields};
use super::record::SetFields;
use crate::history::{KubePod, OwnFields, PodRecord};

/// The labels that JobSet puts on the pods of its Jobs.
const SET: &str = "jobset.sigs.k8s.io/jobset-name";
const REPLICATED_JOB: &str = "jobset.sigs.k8s.io/replicatedjob-name";
const JOB_INDEX: &str = "jobset.sigs.k8s.io/job-index";
const RESTART_ATTEMPT: &str = "jobset.sigs.k8s.io/restart-attempt";

/// The set that a pod is of, after its namespace.
pub(super) fn unit(pod: &KubePod) -> Option<String> {
    let set = pod.labels.get(SET).filter(|_| job::job_name(pod).is_some())?;
    Some(pod.in_namespace(set))
}

/// The record of a set's pod, if its phase is known; else which value of it is wrong.
pub(super) fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<SetFields>>, String> {
    let Some(job_name) = job::job_name(pod) else { return Ok(None) };
    let Some(PodRecord { own, placed }) = PodFields::of_pod(pod)? else { return Ok(None) };
    let label = |key| pod.labels.get(key).map(String::as_str);
    let own = SetFields {
        pod: own,
        job_name: job_name.into(),
        replicated_job: label(REPLICATED_JOB).unwrap_or_default().into(),
        job_index: label(JOB_INDEX).and_then(|index| index.parse().ok()),
        restart_attempt: job::recorded_count("label", RESTART_ATTEMPT, &pod.labels)?,
        ..SetFields::default()
    };
    Ok(Some(PodRecord { own, placed }))
}
