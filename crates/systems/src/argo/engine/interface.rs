//! Argo's controller behind the interface of all engines.

use super::decision::{Decision, Verdict};
use super::{ArgoEngine, RetryUnit};
use crate::argo::record::{AttemptFields, AttemptOutcome, NAME};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, JudgedTogether, Labels,
    Moment, ReportTexts, ReportedPer, RuleLabel, SummaryFacts, Units,
};

impl Units for ArgoEngine {
    type Fields = AttemptFields;
    type State = RetryUnit;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn begin(&self, members: &[&Member<AttemptFields>]) -> RetryUnit {
        self.unit(members)
    }
}

impl Engine for ArgoEngine {
    type Memory = ();
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;

    fn evaluate(
        &self,
        unit: &mut RetryUnit,
        (): &mut (),
        moment: &Moment<'_, AttemptFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        answer.judge_each(moment.facts, |run| match run.own.outcome {
            AttemptOutcome::Succeeded => (Effect::End(End::Succeeded), None),
            AttemptOutcome::Stopped => (Effect::End(End::Cancelled), None),
            AttemptOutcome::Failed | AttemptOutcome::Error => {
                let decision = self.decide(unit, run);
                let effect = match decision.verdict {
                    Verdict::Retry => {
                        let wait = decision.wait.unwrap_or_default();
                        let not_before = run.time().map(|end| end.plus(wait));
                        Effect::Rerun { delay: Some(wait), not_before }
                    }
                    _ => Effect::End(End::Failed),
                };
                (effect, Some(decision))
            }
        });
    }
}

impl SummaryFacts for ArgoEngine {
    fn ending(&self, run: &Run<AttemptFields>) -> Ending {
        match run.own.outcome {
            AttemptOutcome::Succeeded => Ending::Succeeded,
            AttemptOutcome::Failed | AttemptOutcome::Error => Ending::Failed,
            AttemptOutcome::Stopped => Ending::Cancelled,
        }
    }

    fn facts(&self, _: &Run<AttemptFields>, decision: &Decision) -> DecisionFacts {
        DecisionFacts {
            code: decision.code(),
            rule: decision.rule,
            failure: true,
            retry: decision.verdict.retries(),
            exhausted: decision.verdict == Verdict::Limit,
            unlimited: decision.is_unlimited,
            lacks_facts: decision.lacks_facts,
            ..DecisionFacts::default()
        }
    }

    fn labels<'r>(&self, run: &'r Run<AttemptFields>) -> Labels<'r> {
        Labels {
            exit_code: run.own.exit_code.map(i64::from),
            message: run.own.message.as_deref(),
            outcome: run.own.outcome.as_str(),
            ..Labels::default()
        }
    }
}

impl ReportTexts for ArgoEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn rules(&self) -> Vec<RuleLabel> {
        self.labels_of_templates()
    }

    fn effective_policies(&self, member: &Member<AttemptFields>) -> Vec<String> {
        let unit = self.unit(&[member]);
        self.template(&unit).map(|template| template.policy.clone()).into_iter().collect()
    }

    fn report(
        &self,
        unit: &RetryUnit,
        _: usize,
        _: &Member<AttemptFields>,
        run: &Run<AttemptFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(unit, run, decision)
    }

    fn end_reason(&self, unit: &RetryUnit, decision: &Decision) -> String {
        self.reason(unit, decision)
    }

    fn unit_outcome(&self, unit: &RetryUnit, end: Option<End>) -> Option<String> {
        match end {
            Some(End::Succeeded) => Some("Succeeded".to_owned()),
            Some(End::Failed) => unit.phase.map(str::to_owned),
            Some(End::Cancelled) | None => None,
        }
    }
}
