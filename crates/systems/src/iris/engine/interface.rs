//! Iris behind the interface of all engines.

use super::decision::{Change, Decision};
use super::{IrisEngine, IrisUnit};
use crate::iris::record::IrisFields;
use crate::iris::report;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, End, Ending, Engine, Evaluation, FactKind, JudgedTogether,
    Labels, Moment, ReportTexts, ReportedPer, RuleLabel, SummaryFacts, Units,
};

impl Units for IrisEngine {
    type Fields = IrisFields;
    type State = IrisUnit;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    /// Returns the smallest number of tasks: the task of a record must exist in every profile.
    fn limits(engines: &[&Self]) -> Option<u32> {
        engines.iter().map(|engine| engine.rules().policy.replicas).min()
    }

    fn unit_key(&self, member: &Member<IrisFields>) -> Option<String> {
        (!member.is_single).then(|| member.unit.to_string())
    }

    fn has_single_members(&self) -> bool {
        self.rules().policy.replicas == 1
    }

    fn begin(&self, members: &[&Member<IrisFields>]) -> IrisUnit {
        IrisUnit::new(self.rules().policy.replicas, members)
    }
}

impl Engine for IrisEngine {
    type Memory = Vec<Change>;

    // Iris applies ends one by one: each may cut off the other attempts of its gang.
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Each;

    fn evaluate(
        &self,
        unit: &mut IrisUnit,
        changes: &mut Vec<Change>,
        moment: &Moment<'_, IrisFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        for fact in moment.facts {
            if let FactKind::Ended(run) = fact.kind
                && answer.end.is_none()
            {
                self.judge(unit, changes, (fact.member, run), answer);
            }
        }
    }
}

impl SummaryFacts for IrisEngine {
    fn labels<'r>(&self, run: &'r Run<IrisFields>) -> Labels<'r> {
        let outcome = run.own.outcome.as_str();
        Labels { condition: Some(outcome), outcome, ..Labels::default() }
    }

    fn ending(&self, run: &Run<IrisFields>) -> Ending {
        report::ending(run.own.outcome)
    }

    fn facts(&self, run: &Run<IrisFields>, decision: &Decision) -> DecisionFacts {
        report::facts(run, decision)
    }

    fn disruption(&self, run: &Run<IrisFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Records(disruption::System::Iris), &run.own)
    }
}

impl ReportTexts for IrisEngine {
    fn name(&self) -> &'static str {
        report::name(self.rules().profile)
    }

    /// Returns one label for the whole policy, which has no rules.
    fn rules(&self) -> Vec<RuleLabel> {
        vec![self.label()]
    }

    fn effective_policies(&self, _: &Member<IrisFields>) -> Vec<String> {
        vec![self.profile.name.clone()]
    }

    fn report(
        &self,
        unit: &IrisUnit,
        _: usize,
        _: &Member<IrisFields>,
        run: &Run<IrisFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(unit, run, decision)
    }

    fn end_reason(&self, unit: &IrisUnit, decision: &Decision) -> String {
        unit.end_reason(self.rules(), decision)
    }

    /// Returns the job's state, also if the job has not ended.
    fn unit_outcome(&self, unit: &IrisUnit, _: Option<End>) -> Option<String> {
        Some(unit.job.state().as_str().to_owned())
    }

    fn open_reason(&self, unit: &IrisUnit) -> Option<String> {
        unit.open_reason()
    }
}
