//! Reads a JobSet's pods from the output of `kubectl get pods -o json`.

use super::fields::SetFields;
use crate::job::{self, PodFields};
use replay::history::{KubePod, PodRecord, RecordFields};

/// The labels that JobSet puts on the pods of its Jobs.
const SET: &str = "jobset.sigs.k8s.io/jobset-name";
const REPLICATED_JOB: &str = "jobset.sigs.k8s.io/replicatedjob-name";
const JOB_INDEX: &str = "jobset.sigs.k8s.io/job-index";
const RESTART_ATTEMPT: &str = "jobset.sigs.k8s.io/restart-attempt";

/// Returns the set of a pod, after its namespace.
pub(crate) fn unit(pod: &KubePod) -> Option<String> {
    let set = pod.labels.get(SET).filter(|_| job::job_name(pod).is_some())?;
    Some(pod.in_namespace(set))
}

/// Returns the record of a set's pod, if its phase is known.
///
/// # Errors
///
/// A description of a wrong value.
pub(crate) fn read_pod(pod: &KubePod) -> Result<Option<PodRecord<SetFields>>, String> {
    let Some(job_name) = job::job_name(pod) else { return Ok(None) };
    let Some(PodRecord { own, has_slot }) = PodFields::read_pod(pod)? else { return Ok(None) };
    let label = |key| pod.labels.get(key).map(String::as_str);
    let own = SetFields {
        pod: own,
        job_name: job_name.into(),
        replicated_job: label(REPLICATED_JOB).unwrap_or_default().into(),
        job_index: label(JOB_INDEX).and_then(|index| index.parse().ok()),
        restart_attempt: job::recorded_count("label", RESTART_ATTEMPT, &pod.labels)?,
        ..SetFields::default()
    };
    Ok(Some(PodRecord { own, has_slot }))
}
