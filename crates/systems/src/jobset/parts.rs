//! The parts of failures that the rules of a set and of its Jobs compare, and those that a rule requires.

use super::manifest::Rule;
use super::numbered::Numbered;
use super::record::SetFields;
use crate::job::PodValues;
use replay::simulate::{Absence, Need, Part, Parts, PolicyNeeds, Without};

static MESSAGE: Part =
    Part { field: "failureMessage", noun: "a message", absence: Absence::Mistake };
static REPLICATED_JOB: Part =
    Part { field: "replicatedJob", noun: "a replicated Job", absence: Absence::Mistake };

const HAS_MESSAGE: Parts = PodValues::own(0);
const HAS_REPLICATED_JOB: Parts = PodValues::own(1);
const OWN: usize = 2;

/// The requirements of the rules of all sets.
#[derive(Debug)]
pub(super) struct SetNeeds {
    pub(super) by_set: Vec<PolicyNeeds>,
    values: PodValues,
}

impl SetNeeds {
    pub(super) fn new(sets: &[Numbered]) -> Self {
        let mut values = PodValues::new(OWN);
        let by_set = sets
            .iter()
            .map(|Numbered { set, first, jobs }| {
                let policy = set.failure_policy.iter();
                let rules = policy.flat_map(|policy| &policy.rules).enumerate();
                let own: Vec<Need> =
                    rules.flat_map(|(index, rule)| rule_needs(rule, first + index)).collect();
                let jobs = set.replicated_jobs.iter().zip(jobs);
                let of_jobs = jobs.flat_map(|(job, first)| values.needs(job.job.rules(), *first));
                own.into_iter().chain(of_jobs).collect()
            })
            .collect();
        Self { by_set, values }
    }

    /// Returns the parts of a record. One of a failed Job has no pod, so that no rule of its Job is compared with it.
    pub(super) fn parts(&self, record: &SetFields, has_replicated_job: bool) -> Parts {
        let of_pod =
            if record.is_job_record() { Parts::ALL } else { self.values.parts(&record.pod) };
        // The message of a Job that its pods end is that of the controller.
        let has_message = !record.is_job_record() || !record.message().is_empty();
        of_pod
            .without(HAS_MESSAGE.with(HAS_REPLICATED_JOB, true))
            .with(HAS_MESSAGE, has_message)
            .with(HAS_REPLICATED_JOB, has_replicated_job)
    }
}

/// Returns the requirements of a rule of a set: each applies to Jobs of a replicated Job alone.
fn rule_needs(rule: &Rule, number: usize) -> Vec<Need> {
    let need = |part, bit| Need {
        rule: number,
        part,
        values: Vec::new(),
        names: Vec::new(),
        any_of: bit,
        any_value: bit,
        without: Without::NeverMatches,
    };
    let message = (!rule.patterns.is_empty()).then(|| need(&MESSAGE, HAS_MESSAGE));
    message.into_iter().chain([need(&REPLICATED_JOB, HAS_REPLICATED_JOB)]).collect()
}
