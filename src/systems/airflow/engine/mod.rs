//! Airflow's scheduler as an [`Engine`]: units are task instances, runs are their tries.

pub(super) mod decision;
pub(super) mod delay;
pub(super) mod eligibility;
pub(super) mod retry_policy;

use super::manifest::AirflowPolicy;
use super::record::{TryFields, TryOutcome};
use super::report::{self, NAME};
use crate::disruption::{self, Disruptions, RowId};
use crate::history::{Member, Run};
use crate::simulate::{
    Absence, DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, FactKind,
    FollowingRuns, Group, JudgedTogether, Labels, Moment, Need, Part, Parts, PolicyNeeds,
    ReportedPer, RuleLabel, Verdict, Without,
};
use compact_str::CompactString;
use decision::{Decision, TryCounts};
use eligibility::Eligibility;
use retry_policy::{Consultation, Skip};
use std::sync::Arc;

/// An Airflow profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AirflowManifest {
    /// `metadata.name`.
    pub name: String,
    /// The task's retry settings.
    pub policy: AirflowPolicy,
}

/// The engine over a profile, which applies to every task instance.
#[derive(Debug, Clone)]
pub struct AirflowEngine {
    pub(super) manifest: AirflowManifest,
    needs: Vec<PolicyNeeds>,
}

static EXCEPTIONS: Part =
    Part { field: "exceptions", noun: "`exceptions`", absence: Absence::Mistake };

const HAS_EXCEPTIONS: Parts = Parts::of(0);

/// Returns what a rule of a retry policy needs.
fn of_rule(rule: usize) -> Need {
    Need {
        rule,
        part: &EXCEPTIONS,
        values: Vec::new(),
        names: Vec::new(),
        any_of: HAS_EXCEPTIONS,
        any_value: HAS_EXCEPTIONS,
        without: Without::NeverMatches,
    }
}

/// The state of a task instance.
#[derive(Debug, Clone)]
pub struct TaskUnit {
    /// The recorded id of the unit, which replaces an absent `task_id`.
    pub(super) id: Arc<str>,
    /// The counts of its tries.
    pub counts: TryCounts,
}

impl AirflowEngine {
    /// Creates an engine over a profile.
    pub fn new(manifest: AirflowManifest) -> Self {
        let mut engine = Self { manifest, needs: Vec::new() };
        let rules = engine.retry_policy().map_or(0, |policy| policy.rules().count());
        engine.needs = vec![(0..rules).map(of_rule).collect()];
        engine
    }

    /// Decides about a try that failed.
    pub(super) fn decide(&self, unit: &mut TaskUnit, run: &Run<TryFields>) -> (Effect, Decision) {
        let TaskUnit { id, counts } = unit;
        let decision =
            counts.decide(&self.manifest.policy, run.own.task(id), &run.own.failed, run.time());
        let effect = match decision.delay {
            Some(delay) => {
                let wait = delay.wait.to_duration();
                let not_before = run.time().map(|end| end.plus(wait));
                Effect::Rerun { delay: Some(wait), not_before }
            }
            // It is not failed, and does not run again.
            None if decision.eligibility == Eligibility::DelayOverflow => Effect::Keep,
            None => Effect::End(End::Failed),
        };
        (effect, decision)
    }
}

impl Engine for AirflowEngine {
    type Fields = TryFields;
    type State = TaskUnit;
    type Decision = Decision;
    type Memory = ();

    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}

    fn begin(&self, members: &[&Member<TryFields>]) -> TaskUnit {
        let id = members.first().map(|member| Arc::clone(&member.unit)).unwrap_or_default();
        TaskUnit { id, counts: TryCounts::new(&self.manifest.policy) }
    }

    fn evaluate(
        &self,
        unit: &mut TaskUnit,
        (): &mut (),
        moment: &Moment<'_, TryFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        for fact in moment.facts {
            let FactKind::Ended(run) = fact.kind else { continue };
            let (effect, decision) = match run.own.outcome {
                TryOutcome::Succeeded => (Effect::End(End::Succeeded), None),
                TryOutcome::Cancelled => (Effect::End(End::Cancelled), None),
                TryOutcome::Failed => {
                    let (effect, decision) = self.decide(unit, run);
                    (effect, Some(decision))
                }
            };
            if let Effect::End(end) = effect {
                answer.end = Some(end);
            }
            answer.verdicts.push(Verdict { member: fact.member, effect, decision });
        }
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn rules(&self) -> Vec<RuleLabel> {
        self.labels_of_rules()
    }

    fn effective_policies(&self, _: &Member<TryFields>) -> Vec<String> {
        vec![self.manifest.name.clone()]
    }

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
