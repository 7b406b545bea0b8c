//! Records that nothing in the manifest can judge: pods of a replicated Job that it does not have,
//! and pods of an index that a Job does not have. A record of a failed Job needs no template.

use super::super::job::{self, PodOutcome};
use super::child::Child;
use super::engine::JobSetEngine;
use super::model::JobSet;
use super::record::SetFields;
use super::state::identify;
use crate::diag::did_you_mean;
use crate::history::Member;
use crate::systems::Unjudged;
use std::collections::HashSet;

impl JobSetEngine {
    /// The first member that cannot be judged, and why.
    pub(super) fn unjudged(&self, members: &[Member<SetFields>]) -> Option<Unjudged> {
        let unknown: Vec<(&Member<SetFields>, &JobSet, Child)> =
            members.iter().filter_map(|member| self.unknown_job(member)).collect();
        if !unknown.is_empty() {
            // What one pod's record leaves out another of its Job may say.
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

    fn set_of_member(&self, member: &Member<SetFields>) -> Option<&JobSet> {
        let number = self.manifest(&member.unit)?;
        self.sets.get(number).map(|numbered| &numbered.set)
    }

    /// The Job of a pod that failed or was restarted, if it is made from nothing in the manifest.
    fn unknown_job<'m>(
        &'m self,
        member: &'m Member<SetFields>,
    ) -> Option<(&'m Member<SetFields>, &'m JobSet, Child)> {
        let judged = |run: &SetFields| {
            let failed = matches!(run.pod.outcome, PodOutcome::Failed | PodOutcome::Running);
            failed && !run.tells_of_job()
        };
        if !member.runs.iter().any(|run| judged(&run.own)) {
            return None;
        }
        let set = self.set_of_member(member)?;
        let child = child(member, set);
        child.replicated_job.is_none().then_some((member, set, child))
    }

    fn unknown_index(&self, member: &Member<SetFields>) -> Option<Unjudged> {
        if member.runs.iter().all(|run| run.own.tells_of_job()) {
            return None;
        }
        let set = self.set_of_member(member)?;
        let (name, _) = &member.key;
        let index = member.runs.first()?.own.pod.completion_index()?;
        let job = set.replicated_jobs.get(child(member, set).replicated_job?)?;
        job.job.lacks(index).then(|| job::no_index(name, &job.job, index))
    }
}

/// The member's Job, as far as its own records tell.
fn child(member: &Member<SetFields>, set: &JobSet) -> Child {
    let mut runs = member.runs.iter().map(|run| &run.own);
    let telling = runs.clone().find(|run| !run.replicated_job.is_empty());
    let mut child = Child::new(&member.key.0, telling.or_else(|| runs.next()));
    identify(&mut child, &member.unit, set);
    child
}

fn no_replicated_job(unit: &str, set: &JobSet, child: &Child) -> Unjudged {
    let names = || set.replicated_jobs.iter().map(|job| &*job.name);
    let all = names().collect::<Vec<_>>().join(", ");
    if child.label.is_empty() {
        let name = &child.name;
        let message = format!("JobSet `{unit}`: a pod of Job `{name}` is of no replicatedJob");
        let help = format!("say its `replicatedJob` in its records; there are {all}");
        return Unjudged { message, help };
    }
    let message = format!("JobSet `{unit}` has no replicatedJob `{}`", child.label);
    let help = match did_you_mean(&child.label, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {all}"),
    };
    Unjudged { message, help }
}
