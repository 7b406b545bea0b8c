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
pub(super) mod state;
pub(super) mod sync;

use super::manifest::read::job_policy;
use super::manifest::{FailurePolicy, FeatureGates, JobSet};
use super::parts::SetNeeds;
use super::record::SetFields;
use super::record::pods::child_of;
use super::report;
use crate::disruption::{self, Disruptions, RowId};
use crate::history::{Member, Run};
use crate::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Engine, Evaluation, IndexMismatch, JudgedTogether,
    Labels, Moment, Parts, PolicyNeeds, ReportedPer, RuleLabel,
};
use crate::systems::Identity;
use crate::systems::job::{self, JobOptions, JobPolicy, Ruling};
use crate::units::Time;
use child::{Child, StateBuffer};
use decision::SetDecision;
use state::{Pending, SetState, identify};
use sync::SetSync;

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

/// A manifest, with the numbers of its rules among those of all manifests.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) set: JobSet,
    /// The number of its first rule; the number of its default follows the last.
    pub(super) first: usize,
    /// The number of the first rule of each replicated Job.
    pub(super) jobs: Vec<usize>,
}

/// Working memory of a thread.
#[derive(Debug, Default)]
pub struct SetMemory {
    pub(super) rulings: Vec<Ruling>,
    /// The ended pods: the index of the Job, that of the pod in the Job, and that of the fact.
    pub(super) ended: Vec<(usize, usize, usize)>,
    /// A reused list for failed Jobs. Most sets handle a failed Job at once, so they keep no list of their
    /// own.
    pub(super) pending: Vec<Pending>,
    /// A reused allocation for the state of the next Job.
    pub(super) buffer: StateBuffer,
    /// The failure policies by manifest. Each is cloned on first use, since threads that share a pattern
    /// contend for its cache.
    policies: Vec<Option<FailurePolicy>>,
}

impl SetMemory {
    /// Returns the failure policy of a manifest, with patterns that this thread does not share.
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
        Identity::of_unit(unit).among(known)
    }

    /// Returns the manifest that applies to the unit of this state.
    pub(super) fn set_of(&self, state: &SetState) -> Option<&Numbered> {
        self.sets.get(state.manifest?)
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

impl Engine for JobSetEngine {
    type Fields = SetFields;
    type State = SetState;
    type Decision = SetDecision;
    type Memory = SetMemory;

    // Kubernetes' times are whole seconds, and one sync handles all Jobs and pods that ended before it.
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}

    fn unit_key(&self, member: &Member<SetFields>) -> Option<String> {
        (!member.is_single).then(|| member.unit.to_string())
    }

    fn has_single_members(&self) -> bool {
        self.sets.iter().all(|numbered| match numbered.set.replicated_jobs.as_slice() {
            [only] => only.replicas == 1 && only.job.is_of_one_pod(),
            _ => false,
        })
    }

    /// Returns whether the members of a unit may be read one after another. If neither the record nor the
    /// Job's name identifies the replicated Job, a later record may.
    fn can_stream(&self, member: &Member<SetFields>) -> bool {
        let numbered = self.manifest(&member.unit).and_then(|number| self.sets.get(number));
        let Some((Numbered { set, .. }, run)) = numbered.zip(member.runs.first()) else {
            return false;
        };
        let jobs = &set.replicated_jobs;
        let recorded = jobs.iter().position(|job| *job.name == *run.own.replicated_job);
        let job = recorded.or_else(|| {
            let mut child = Child::new(&run.own.job_name, Some(&run.own));
            identify(&mut child, &member.unit, set);
            child.replicated_job
        });
        let job = job.and_then(|place| jobs.get(place));
        job.is_some_and(|job| !job.job.lacks_index(run.own.pod.index))
    }

    fn is_separate_run(&self, member: &Member<SetFields>, run: &Run<SetFields>) -> bool {
        let source = run.own.pod.index_source;
        let job = self
            .set_of_member(member)
            .map(|set| self.policy(set, child_of(member, set).replicated_job));
        !run.own.is_job_record()
            && job.is_some_and(|job| job.has_separate_pods(source, member.is_single))
    }

    fn index_mismatch(&self, state: &SetState, run: &Run<SetFields>) -> Option<IndexMismatch> {
        if run.own.is_job_record() {
            return None;
        }
        let set = &self.set_of(state)?.set;
        let child = state.children.iter().find(|child| *child.name == *run.own.job_name)?;
        self.policy(set, child.replicated_job).index_mismatch(run.own.pod.index_source)
    }

    fn begin(&self, members: &[&Member<SetFields>]) -> SetState {
        SetState::new(self, members)
    }

    fn wake(&self, state: &SetState) -> Option<Time> {
        state.deadline(self, &self.set_of(state)?.set)
    }

    fn evaluate(
        &self,
        state: &mut SetState,
        memory: &mut SetMemory,
        moment: &Moment<'_, SetFields>,
        answer: &mut Evaluation<SetDecision>,
    ) {
        answer.clear();
        if let Some(numbered) = self.set_of(state) {
            SetSync { engine: self, set: &numbered.set, moment, answer }.judge(state, memory);
        }
    }

    fn name(&self) -> &'static str {
        "jobset"
    }

    fn rules(&self) -> Vec<RuleLabel> {
        report::rules(&self.sets)
    }

    fn effective_policies(&self, member: &Member<SetFields>) -> Vec<String> {
        let set = self.manifest(&member.unit).and_then(|number| self.sets.get(number));
        set.map(|numbered| numbered.set.name.to_string()).into_iter().collect()
    }

    fn labels<'r>(&self, run: &'r Run<SetFields>) -> Labels<'r> {
        report::labels(&run.own)
    }

    fn ending(&self, run: &Run<SetFields>) -> Ending {
        job::ending(run.own.pod.outcome)
    }

    fn facts(&self, _: &Run<SetFields>, decision: &SetDecision) -> DecisionFacts {
        report::facts(self, decision)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs.by_set
    }

    fn compared_policies<'s>(
        &'s self,
        state: &'s SetState,
        _: usize,
        _: &SetDecision,
    ) -> &'s [usize] {
        state.manifest.as_slice()
    }

    fn parts(&self, state: &SetState, member: usize, run: &Run<SetFields>) -> Parts {
        let child = state.places.get(member).and_then(|slot| state.children.get(slot.child));
        self.needs.parts(&run.own, child.is_some_and(|child| !child.label.is_empty()))
    }

    fn disruption(&self, run: &Run<SetFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Pods, &run.own.pod)
    }

    fn has_survived_memory(&self, run: &Run<SetFields>) -> bool {
        run.own.pod.has_memory_kill()
    }

    fn report(
        &self,
        state: &SetState,
        _: usize,
        member: &Member<SetFields>,
        run: &Run<SetFields>,
        decision: &SetDecision,
    ) -> DecisionReport {
        report::decision_report(self, state, member, run, decision)
    }

    fn end_reason(&self, state: &SetState, decision: &SetDecision) -> String {
        self.sentence(state, decision)
    }

    fn unit_outcome(&self, state: &SetState, end: Option<End>) -> Option<String> {
        report::unit_outcome(state, end?)
    }

    fn open_reason(&self, state: &SetState) -> Option<String> {
        job::still_running(state.running())
    }

    fn success_reason(&self, state: &SetState) -> Option<String> {
        report::success_reason(&self.set_of(state)?.set, state)
    }
}
