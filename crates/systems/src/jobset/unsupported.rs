//! Records that the manifest cannot judge: pods of a replicated Job that it does not have, and pods of an index that a Job
//! does not have. A record of a failed Job needs no template.

use super::engine::JobSetEngine;
use super::engine::child::Child;
use super::engine::state::identify;
use super::manifest::JobSet;
use super::record::SetFields;
use crate::UnsupportedRecord;
use crate::job::{self, PodOutcome};
use document::diag::did_you_mean;
use replay::history::Member;
use std::collections::HashSet;

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
