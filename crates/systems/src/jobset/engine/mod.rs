//! The engine: a unit is a JobSet, and its members are the pods of its child Jobs.
//!
//! A record with a reason of failure means that its Job has failed. For other records, the Job's own rules
//! apply first, to all pods of a Job that ended in the same second together. Then the failure policy decides
//! about all Jobs that have failed. Pods without a record are assumed to have succeeded. If no Job has
//! failed, the success policy is checked last.

pub(super) mod child;
pub(super) mod counters;
pub(super) mod decision;
pub(super) mod failure_policy;
mod interface;
pub(super) mod memory;
pub(super) mod state;
pub(super) mod sync;

use super::manifest::nodes::job_policy;
use super::manifest::{FeatureGates, JobSet};
use super::numbered::Numbered;
use super::parts::SetNeeds;
use crate::Identity;
use crate::job::{JobOptions, JobPolicy};

/// The engine over JobSet manifests.
#[derive(Debug)]
pub struct JobSetEngine {
    pub(super) sets: Vec<Numbered>,
    pub(super) gates: FeatureGates,
    pub(super) options: JobOptions,
    /// The policy of a Job whose replicated Job is unknown.
    pub(super) unknown: JobPolicy,
    needs: SetNeeds,
}

impl JobSetEngine {
    /// Creates an engine over manifests with unique identities.
    pub fn new(sets: Vec<JobSet>, gates: FeatureGates, options: JobOptions) -> Self {
        let mut next = 0;
        let mut take = |rules: usize| {
            // The default has a number too.
            let first = next;
            next += rules + 1;
            first
        };
        let numbered = sets.into_iter().map(|set| {
            let rules = set.failure_policy.as_ref().map_or(0, |policy| policy.rules.len());
            let first = take(rules);
            let jobs = set.replicated_jobs.iter().map(|job| take(job.job.rules().len())).collect();
            Numbered { set, first, jobs }
        });
        let sets: Vec<Numbered> = numbered.collect();
        let needs = SetNeeds::new(&sets);
        Self { sets, gates, options, unknown: job_policy(None), needs }
    }

    /// Returns the index of the manifest that applies to a unit: the only one, else the one with the unit's
    /// name.
    pub(super) fn manifest(&self, unit: &str) -> Option<usize> {
        if self.sets.len() == 1 {
            return Some(0);
        }
        let known = self.sets.iter().map(|numbered| numbered.set.identity());
        Identity::from_unit(unit).among(known)
    }

    /// Returns the policy of a child Job.
    pub(super) fn policy<'e>(
        &'e self,
        set: &'e JobSet,
        replicated_job: Option<usize>,
    ) -> &'e JobPolicy {
        let known = replicated_job.and_then(|place| set.replicated_jobs.get(place));
        known.map_or(&self.unknown, |job| &job.job)
    }
}
