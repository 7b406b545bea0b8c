//! The engine: a unit is a JobSet, its members are the pods of its child Jobs.
//!
//! A record that gives a reason of failure says that its Job has failed. Of all other records the
//! Job's own rules are asked first, all pods of a Job that ended in the same second together. Then
//! the failure policy is asked about all Jobs that have failed. Pods of which there is no record
//! are taken to have done their work. Where no Job has failed the success policy is asked last.

use super::super::job::{JobOptions, JobPolicy, Ruling};
use super::child::Room;
use super::decision::SetDecision;
use super::gates::FeatureGates;
use super::look::Look;
use super::model::{FailurePolicy, JobSet};
use super::read::job_policy;
use super::record::SetFields;
use super::state::{Pending, SetState};
use crate::engine::{Engine, Evaluation, Moment, Together};
use crate::history::{Member, MemberRun};
use crate::systems::Identity;
use crate::units::Time;

/// Manifests of JobSet, ready to judge.
#[derive(Debug)]
pub struct JobSetEngine {
    pub(super) sets: Vec<Numbered>,
    pub(super) gates: FeatureGates,
    pub(super) options: JobOptions,
    /// What a Job is judged by whose replicated Job is not known.
    pub(super) unknown: JobPolicy,
}

/// A manifest, and where its rules stand among those of all manifests.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) set: JobSet,
    /// The number of its first rule; its default follows the last.
    pub(super) first: usize,
    /// The number of the first rule of each replicated Job.
    pub(super) jobs: Vec<usize>,
}

/// Working memory of a thread.
#[derive(Debug, Default)]
pub struct SetMemory {
    pub(super) rulings: Vec<Ruling>,
    /// Facts about pods: their Job, their place there, and the fact's.
    pub(super) ended: Vec<(usize, usize, usize)>,
    /// Room for Jobs that have failed. Most are made good at once, and a set holds none.
    pub(super) pending: Vec<Pending>,
    /// Room for what is remembered of the next Job.
    pub(super) room: Room,
    /// The failure policies, manifest by manifest, each once it is asked for: patterns that threads
    /// share make them wait for each other.
    policies: Vec<Option<FailurePolicy>>,
}

impl SetMemory {
    /// The failure policy of a manifest, with patterns of its own.
    pub(super) fn policy(&mut self, manifest: usize, set: &JobSet) -> Option<&FailurePolicy> {
        if self.policies.len() <= manifest {
            self.policies.resize(manifest + 1, None);
        }
        let policy = self.policies.get_mut(manifest)?;
        if policy.is_none() {
            policy.clone_from(&set.failure_policy);
        }
        policy.as_ref()
    }
}

impl JobSetEngine {
    /// An engine over manifests. Their identities are unique.
    pub fn new(sets: Vec<JobSet>, gates: FeatureGates, options: JobOptions) -> Self {
        let mut next = 0;
        let mut take = |rules: usize| {
            // One more for the default.
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
        let sets = numbered.collect();
        Self { sets, gates, options, unknown: job_policy(None) }
    }

    /// The manifest that a unit is judged by: the one of its name, else the only one.
    pub(super) fn manifest(&self, unit: &str) -> Option<usize> {
        if self.sets.len() == 1 {
            return Some(0);
        }
        let known = self.sets.iter().map(|numbered| numbered.set.identity());
        Identity::of_unit(unit).among(known)
    }

    /// The manifest that a unit of this state is judged by.
    pub(super) fn set_of(&self, state: &SetState) -> Option<&Numbered> {
        self.sets.get(state.manifest?)
    }

    /// What a child Job is judged by.
    pub(super) fn policy<'e>(
        &'e self,
        set: &'e JobSet,
        replicated_job: Option<usize>,
    ) -> &'e JobPolicy {
        let known = replicated_job.and_then(|place| set.replicated_jobs.get(place));
        known.map_or(&self.unknown, |job| &job.job)
    }
}

impl Engine for JobSetEngine {
    type Record = MemberRun<SetFields>;
    type Member = Member<SetFields>;
    type State = SetState;
    type Decision = SetDecision;
    type Memory = SetMemory;

    const TOGETHER: Together = Together::Second;
    const DRAWS: bool = false;

    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record] {
        &member.runs
    }

    fn unit_key(&self, member: &Self::Member) -> Option<String> {
        (!member.alone).then(|| member.unit.to_string())
    }

    fn begin(&self, members: &[&Self::Member]) -> SetState {
        SetState::new(self, members)
    }

    fn wake(&self, state: &SetState) -> Option<Time> {
        state.deadline(self, &self.set_of(state)?.set)
    }

    fn evaluate(
        &self,
        state: &mut SetState,
        memory: &mut SetMemory,
        moment: &Moment<'_, Self::Record>,
        answer: &mut Evaluation<SetDecision>,
    ) {
        answer.clear();
        if let Some(numbered) = self.set_of(state) {
            Look { engine: self, set: &numbered.set, moment, answer }.at(state, memory);
        }
    }

    fn avoided<'s>(&self, _: &'s SetState, _: usize, _: &SetDecision) -> &'s [String] {
        &[]
    }
}
