//! The parts of a decision report that only a JobSet has.

use crate::job::{self, FailureReason};
use crate::jobset::engine::JobSetEngine;
use crate::jobset::engine::decision::SetDecision;
use crate::jobset::engine::state::SetState;
use crate::jobset::record::SetFields;
use crate::jobset::report::fields::{JobRestarts, JobSetDecision};
use replay::history::{Member, Run};
use replay::simulate::SystemFields;
use std::collections::BTreeMap;

impl JobSetEngine {
    /// Returns the Job's or the set's counts, and why the Job failed.
    pub(crate) fn system_fields(
        &self,
        state: &SetState,
        member: &Member<SetFields>,
        run: &Run<SetFields>,
        decision: &SetDecision,
    ) -> SystemFields {
        let of_job = decision.code.is_of_job();
        let (job_name, _) = &member.key;
        let (one, other) = (u64::from(decision.counts.0), u64::from(decision.counts.1));
        let failed_indexes = u64::from(decision.failed_indexes);
        let counts = if of_job {
            BTreeMap::from([("failed", one), ("ignored", other), ("failedIndexes", failed_indexes)])
        } else {
            BTreeMap::from([("restarts", one), ("restartsCountTowardsMax", other)])
        };
        let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let derived = decision.failure.map(|reason| reason.as_str().to_owned());
        SystemFields::of(&JobSetDecision {
            level: Some(if of_job { "job" } else { "jobset" }),
            job_name: Some(job_name.to_string()),
            pod_index: self.pod_index(decision, run),
            counts: Some(counts),
            job_restarts: (!of_job).then(|| job_restarts(state)).flatten(),
            failure_reason: derived.or_else(|| non_empty(&run.own.failure_reason)),
            failure_message: match decision.failure {
                Some(reason) => self.message(state, decision, run, reason),
                None => non_empty(run.own.message()),
            },
        })
    }

    /// Returns the index of a record's pod, if it is of an Indexed Job.
    fn pod_index(&self, decision: &SetDecision, run: &Run<SetFields>) -> Option<u32> {
        let set = &self.sets.get(decision.manifest)?.set;
        let is_indexed = self.policy(set, decision.replicated_job).is_indexed();
        run.own.pod.completion_index().filter(|_| is_indexed && !run.own.is_job_record())
    }

    /// Makes the message of a failure that was derived from pods.
    fn message(
        &self,
        state: &SetState,
        decision: &SetDecision,
        run: &Run<SetFields>,
        reason: FailureReason,
    ) -> Option<String> {
        // Reasons other than a pod failure policy have a fixed message.
        if let Some(fixed) = reason.message() {
            return Some(fixed.to_owned());
        }
        let set = &self.set_of(state)?.set;
        let pod = run.own.pod.pod(run.time(), job::IndexFailures::default());
        let child = state.children.get(decision.child);
        let name = job::pod_name(&run.own.pod, child.map_or("", |child| &child.name));
        let pod = job::Pod { name: &name, namespace: &set.namespace, ..pod };
        let matched = job::first_match(self.policy(set, decision.replicated_job).rules(), &pod)?;
        Some(job::message(matched, &pod))
    }
}

/// Returns the Jobs that were restarted alone, by name.
fn job_restarts(state: &SetState) -> Option<BTreeMap<String, JobRestarts>> {
    if !state.counters.restarted_jobs() {
        return None;
    }
    let restarted = state.children.iter().filter_map(|child| {
        let counts = state.counters.jobs(child.replicated_job?);
        let count = counts.get(child.job_index? as usize).filter(|count| count.restarts > 0)?;
        let restarts = JobRestarts {
            restarts: count.restarts,
            restarts_count_towards_max: count.restarts_count_towards_max,
        };
        Some((child.name.to_string(), restarts))
    });
    Some(restarted.collect())
}
