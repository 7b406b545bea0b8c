//! The draft's handler behind the interface of all engines.

use super::decision::{Decision, Verdict};
use super::jitter::Draw;
use super::session_id::SessionId;
use super::{BackendAiEngine, Chain, HAS_CAUSE, RootSession};
use crate::backendai::manifest::Profile;
use crate::backendai::manifest::cause::Cause;
use crate::backendai::manifest::shape::SYSTEM;
use crate::backendai::record::{SessionFields, SessionOutcome};
use crate::backendai::report;
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{Member, Run};
use replay::simulate::{
    DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, JudgedTogether, Labels,
    Moment, Parts, PolicyNeeds, ReportTexts, ReportedPer, RuleLabel, SummaryFacts, Units,
};

impl Units for BackendAiEngine {
    type Fields = SessionFields;
    type State = RootSession;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;

    fn limits(_: &[&Self]) {}
    fn begin(&self, members: &[&Member<SessionFields>]) -> RootSession {
        let unit = members.first().map_or("", |member| &member.unit);
        RootSession { id: SessionId::new(unit), chain: Chain::default() }
    }
}

impl Engine for BackendAiEngine {
    type Memory = ();
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;
    const DRAWS: bool = true;

    fn evaluate(
        &self,
        root: &mut RootSession,
        (): &mut (),
        moment: &Moment<'_, SessionFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        let Some(profile) = &self.profile else { return };
        answer.judge_each(moment.facts, |run| match run.own.outcome {
            SessionOutcome::Succeeded => (Effect::End(End::Succeeded), None),
            SessionOutcome::Cancelled => (Effect::End(End::Cancelled), None),
            SessionOutcome::Failed => {
                let (effect, decision) = judge_failure(profile, root, run, moment.draw);
                (effect, Some(decision))
            }
        });
    }
}

impl SummaryFacts for BackendAiEngine {
    fn labels<'r>(&self, run: &'r Run<SessionFields>) -> Labels<'r> {
        report::labels(&run.own)
    }

    fn ending(&self, run: &Run<SessionFields>) -> Ending {
        report::ending(run.own.outcome)
    }

    fn facts(&self, run: &Run<SessionFields>, decision: &Decision) -> DecisionFacts {
        self.decision_facts(run, decision)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs
    }

    fn compared_policies<'s>(&'s self, _: &'s RootSession, _: usize, _: &Decision) -> &'s [usize] {
        &[0]
    }

    fn parts(&self, _: &RootSession, _: usize, run: &Run<SessionFields>) -> Parts {
        Parts::default().with(HAS_CAUSE, run.own.cause != Cause::Unknown)
    }

    fn disruption(&self, run: &Run<SessionFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Records(disruption::System::BackendAi), &run.own)
    }
}

impl ReportTexts for BackendAiEngine {
    fn name(&self) -> &'static str {
        SYSTEM
    }

    /// Returns one label for the policy, which has no rules.
    fn rules(&self) -> Vec<RuleLabel> {
        let label = |policy: &str| RuleLabel::new(policy, None);
        self.profile().map(|profile| label(&profile.name)).into_iter().collect()
    }

    fn effective_policies(&self, _: &Member<SessionFields>) -> Vec<String> {
        self.profile().map(|profile| profile.name.clone()).into_iter().collect()
    }

    fn report(
        &self,
        root: &RootSession,
        _: usize,
        _: &Member<SessionFields>,
        run: &Run<SessionFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(root, run, decision)
    }

    fn end_reason(&self, _: &RootSession, decision: &Decision) -> String {
        decision.reason()
    }

    fn unit_outcome(&self, _: &RootSession, end: Option<End>) -> Option<String> {
        end.map(|end| report::session_status(end).to_owned())
    }
}

/// Decides about a failed session of a chain.
fn judge_failure(
    profile: &Profile,
    root: &mut RootSession,
    run: &Run<SessionFields>,
    draw: u64,
) -> (Effect, Decision) {
    let RootSession { id, chain } = root;
    let failure = run.own.failure(run.own.id.as_ref().unwrap_or(id));
    let decision =
        chain.decide(&profile.policy, profile.interpretation, &failure, Draw::from_bits(draw));
    let effect = match decision.verdict {
        Verdict::Retry(retry) => {
            let wait = retry.delay.wait();
            let not_before = run.finished_at.map(|ended| ended.plus(wait));
            Effect::Rerun { delay: Some(wait), not_before }
        }
        // The session's retry exists already, so the chain continues with that retry.
        Verdict::Stop(_) if chain.stop_reason().is_none() => {
            Effect::Rerun { delay: None, not_before: None }
        }
        Verdict::Stop(_) => Effect::End(End::Failed),
    };
    (effect, decision)
}
