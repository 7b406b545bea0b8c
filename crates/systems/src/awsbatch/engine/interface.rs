//! The retry strategy behind the interface of all engines.

use super::{AwsBatchEngine, Decision, JobState, PARTS};
use crate::awsbatch::record::{AttemptFields, AttemptOutcome, NAME};
use crate::awsbatch::report;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, FollowingRuns, Group,
    JudgedTogether, Labels, Moment, Parts, PolicyNeeds, ReportTexts, ReportedPer, RuleLabel,
    SummaryFacts, Units,
};

impl Units for AwsBatchEngine {
    type Fields = AttemptFields;
    type State = JobState;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn begin(&self, _: &[&Member<AttemptFields>]) -> JobState {
        JobState::default()
    }
}

impl Engine for AwsBatchEngine {
    type Memory = ();
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Each;

    fn evaluate(
        &self,
        state: &mut JobState,
        (): &mut (),
        moment: &Moment<'_, AttemptFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        answer.judge_each(moment.facts, |run| match run.own.outcome {
            AttemptOutcome::Succeeded => (Effect::End(End::Succeeded), None),
            AttemptOutcome::Terminated => (Effect::End(End::Cancelled), None),
            AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Invalid => {
                let decision = self.decide(state, &run.own);
                (decision.effect(), Some(decision))
            }
        });
    }
}

impl SummaryFacts for AwsBatchEngine {
    fn ending(&self, run: &Run<AttemptFields>) -> Ending {
        report::ending(run.own.outcome)
    }

    fn disruption(&self, run: &Run<AttemptFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Records(disruption::System::AwsBatch), &run.own)
    }

    fn facts(&self, _: &Run<AttemptFields>, decision: &Decision) -> DecisionFacts {
        self.decision_facts(*decision)
    }

    fn labels<'r>(&self, run: &'r Run<AttemptFields>) -> Labels<'r> {
        report::labels(&run.own)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs
    }

    fn compared_policies<'s>(&'s self, _: &'s JobState, _: usize, _: &Decision) -> &'s [usize] {
        &[0]
    }

    fn parts(&self, _: &JobState, _: usize, run: &Run<AttemptFields>) -> Parts {
        let own = &run.own;
        let is_there =
            [!own.status_reason.is_empty(), !own.reason.is_empty(), own.exit_code.is_some()];
        (0..PARTS.len())
            .zip(is_there)
            .fold(Parts::default(), |parts, (at, is_there)| parts.with(Parts::of(at), is_there))
    }
}

impl ReportTexts for AwsBatchEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn rules(&self) -> Vec<RuleLabel> {
        self.labels_of_rules()
    }

    fn effective_policies(&self, _: &Member<AttemptFields>) -> Vec<String> {
        vec![self.definition.name.clone()]
    }

    fn suggest(&self, group: &Group, after: FollowingRuns) -> Option<String> {
        report::suggest(group, after.evidence())
    }

    fn report(
        &self,
        _: &JobState,
        _: usize,
        _: &Member<AttemptFields>,
        run: &Run<AttemptFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(run, *decision)
    }

    fn end_reason(&self, _: &JobState, decision: &Decision) -> String {
        self.reason(*decision)
    }

    fn unit_outcome(&self, _: &JobState, end: Option<End>) -> Option<String> {
        Some(report::job_status(end).to_owned())
    }
}
