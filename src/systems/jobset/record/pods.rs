//! Reads a JobSet's pods from the output of `kubectl get pods -o json`.
//!
//! Owns the detection of records that the manifest cannot judge: pods of a replicated Job that it does not
//! have, and pods of an index that a Job does not have. A record of a failed Job needs no template.

use super::SetFields;
use crate::diag::did_you_mean;
use crate::history::{KubePod, Member, PodRecord, RecordFields};
use crate::systems::UnsupportedRecord;
use crate::systems::job::{self, PodFields, PodOutcome};
use crate::systems::jobset::engine::JobSetEngine;
use crate::systems::jobset::engine::child::Child;
use crate::systems::jobset::engine::state::identify;
use crate::systems::jobset::manifest::JobSet;
use std::collections::HashSet;

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
pub(crate) fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<SetFields>>, String> {
    let Some(job_name) = job::job_name(pod) else { return Ok(None) };
    let Some(PodRecord { own, has_slot }) = PodFields::of_pod(pod)? else { return Ok(None) };
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

impl JobSetEngine {
    /// Returns the first member that cannot be judged, and why.
    pub(crate) fn first_unsupported(
        &self,
        members: &[Member<SetFields>],
    ) -> Option<UnsupportedRecord> {
        let unknown: Vec<(&Member<SetFields>, &JobSet, Child)> =
            members.iter().filter_map(|member| self.unknown_job(member)).collect();
        if !unknown.is_empty() {
            // If one pod's record lacks a field, another record of its Job may have it.
            let known: HashSet<(&str, &str)> = members
                .iter()
                .filter(|member| member.runs.iter().any(|run| !run.own.replicated_job.is_empty()))
                .map(|member| (&*member.unit, member.key.0.as_str()))
                .collect();
            let mut silent = unknown.into_iter().filter(|(member, _, child)| {
                !child.label.is_empty() || !known.contains(&(&*member.unit, &*child.name))
            });
            if let Some((member, set, child)) = silent.next() {
                return Some(no_replicated_job(&member.unit, set, &child));
            }
        }
        members.iter().find_map(|member| self.unknown_index(member))
    }

    pub(crate) fn set_of_member(&self, member: &Member<SetFields>) -> Option<&JobSet> {
        let number = self.manifest(&member.unit)?;
        self.sets.get(number).map(|numbered| &numbered.set)
    }

    /// Returns the Job of a pod that failed or was restarted, if the manifest has no replicated Job for it.
    fn unknown_job<'m>(
        &'m self,
        member: &'m Member<SetFields>,
    ) -> Option<(&'m Member<SetFields>, &'m JobSet, Child)> {
        let judged = |run: &SetFields| {
            let failed = matches!(run.pod.outcome, PodOutcome::Failed | PodOutcome::Running);
            failed && !run.is_job_record()
        };
        if !member.runs.iter().any(|run| judged(&run.own)) {
            return None;
        }
        let set = self.set_of_member(member)?;
        let child = child_of(member, set);
        child.replicated_job.is_none().then_some((member, set, child))
    }

    fn unknown_index(&self, member: &Member<SetFields>) -> Option<UnsupportedRecord> {
        if member.runs.iter().all(|run| run.own.is_job_record()) {
            return None;
        }
        let set = self.set_of_member(member)?;
        let (name, _) = &member.key;
        let index = member.runs.first()?.own.pod.completion_index()?;
        let job = set.replicated_jobs.get(child_of(member, set).replicated_job?)?;
        job.job.lacks_index(index).then(|| job::no_index(name, &job.job, index))
    }
}

/// Makes the member's Job, as far as its own records describe it.
pub(crate) fn child_of(member: &Member<SetFields>, set: &JobSet) -> Child {
    let mut runs = member.runs.iter().map(|run| &run.own);
    let telling = runs.clone().find(|run| !run.replicated_job.is_empty());
    let mut child = Child::new(&member.key.0, telling.or_else(|| runs.next()));
    identify(&mut child, &member.unit, set);
    child
}

fn no_replicated_job(unit: &str, set: &JobSet, child: &Child) -> UnsupportedRecord {
    let names = || set.replicated_jobs.iter().map(|job| &*job.name);
    let all = names().collect::<Vec<_>>().join(", ");
    if child.label.is_empty() {
        let name = &child.name;
        let message = format!("JobSet `{unit}`: a pod of Job `{name}` is of no replicatedJob");
        let help = format!("set `replicatedJob` in its records; there are {all}");
        return UnsupportedRecord { message, help };
    }
    let message = format!("JobSet `{unit}` has no replicatedJob `{}`", child.label);
    let help = match did_you_mean(&child.label, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {all}"),
    };
    UnsupportedRecord { message, help }
}
