//! Airflow's scheduler behind the interface of all engines.

use super::decision::{Decision, TryCounts};
use super::retry_policy::{Consultation, Skip};
use super::{AirflowEngine, HAS_EXCEPTIONS, TaskUnit};
use crate::airflow::record::{TryFields, TryOutcome};
use crate::airflow::report::{self, NAME};
use compact_str::CompactString;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, FollowingRuns, Group,
    JudgedTogether, Labels, Moment, Parts, PolicyNeeds, ReportTexts, ReportedPer, RuleLabel,
    SummaryFacts, Units,
};
use std::sync::Arc;

impl Units for AirflowEngine {
    type Fields = TryFields;
    type State = TaskUnit;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn begin(&self, members: &[&Member<TryFields>]) -> TaskUnit {
        let id = members.first().map(|member| Arc::clone(&member.unit)).unwrap_or_default();
        TaskUnit { id, counts: TryCounts::new(&self.manifest.policy) }
    }
}

impl Engine for AirflowEngine {
    type Memory = ();
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;

    fn evaluate(
        &self,
        unit: &mut TaskUnit,
        (): &mut (),
        moment: &Moment<'_, TryFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        answer.judge_each(moment.facts, |run| match run.own.outcome {
            TryOutcome::Succeeded => (Effect::End(End::Succeeded), None),
            TryOutcome::Cancelled => (Effect::End(End::Cancelled), None),
            TryOutcome::Failed => {
                let (effect, decision) = self.decide(unit, run);
                (effect, Some(decision))
            }
        });
    }
}

impl SummaryFacts for AirflowEngine {
    fn ending(&self, run: &Run<TryFields>) -> Ending {
        report::ending(run.own.outcome)
    }

    fn disruption(&self, run: &Run<TryFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Records(disruption::System::Airflow), &run.own)
    }

    fn facts(&self, run: &Run<TryFields>, decision: &Decision) -> DecisionFacts {
        self.decision_facts(run, decision)
    }

    fn labels<'r>(&self, run: &'r Run<TryFields>) -> Labels<'r> {
        Labels {
            category: run.own.failed.exceptions.first().map(CompactString::as_str),
            outcome: run.own.outcome.as_str(),
            ..Labels::default()
        }
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs
    }

    /// Returns the only policy, unless it was not consulted for another reason than a missing exception.
    fn compared_policies<'s>(
        &'s self,
        _: &'s TaskUnit,
        _: usize,
        decision: &Decision,
    ) -> &'s [usize] {
        match decision.consultation {
            Consultation::Skipped(Skip::NoExceptions) | Consultation::Answered(_) => &[0],
            Consultation::NoPolicy | Consultation::Skipped(_) => &[],
        }
    }

    fn parts(&self, _: &TaskUnit, _: usize, run: &Run<TryFields>) -> Parts {
        Parts::default().with(HAS_EXCEPTIONS, !run.own.failed.exceptions.is_empty())
    }
}

impl ReportTexts for AirflowEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn rules(&self) -> Vec<RuleLabel> {
        self.labels_of_rules()
    }

    fn effective_policies(&self, _: &Member<TryFields>) -> Vec<String> {
        vec![self.manifest.name.clone()]
    }

    fn suggest(&self, group: &Group, after: FollowingRuns) -> Option<String> {
        report::suggest(group, after.evidence())
    }

    fn report(
        &self,
        _: &TaskUnit,
        _: usize,
        _: &Member<TryFields>,
        run: &Run<TryFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(run, decision)
    }

    fn end_reason(&self, _: &TaskUnit, decision: &Decision) -> String {
        self.reason(decision)
    }

    fn unit_outcome(&self, unit: &TaskUnit, end: Option<End>) -> Option<String> {
        report::instance_state(end, unit.counts.reschedules.is_open).map(str::to_owned)
    }
}
