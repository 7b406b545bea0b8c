//! The JobSet controller behind the interface of all engines.

use super::JobSetEngine;
use super::child::Child;
use super::decision::SetDecision;
use super::memory::SetMemory;
use super::state::{SetState, identify};
use super::sync::SetSync;
use crate::job::{self};
use crate::jobset::numbered::Numbered;
use crate::jobset::record::SetFields;
use crate::jobset::report;
use crate::jobset::unsupported::child_of;
use document::units::Time;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Engine, Evaluation, IndexMismatch, JudgedTogether,
    Labels, Moment, Parts, PolicyNeeds, ReportTexts, ReportedPer, RuleLabel, SummaryFacts, Units,
};

impl Units for JobSetEngine {
    type Fields = SetFields;
    type State = SetState;
    type Decision = SetDecision;
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
}

impl Engine for JobSetEngine {
    type Memory = SetMemory;

    // Kubernetes' times are whole seconds, and one sync handles all Jobs and pods that ended before it.
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;

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
}

impl SummaryFacts for JobSetEngine {
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
}

impl ReportTexts for JobSetEngine {
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
        job::still_running(state.running(), state.restarts())
    }

    fn success_reason(&self, state: &SetState) -> Option<String> {
        report::success_reason(&self.set_of(state)?.set, state)
    }
}
