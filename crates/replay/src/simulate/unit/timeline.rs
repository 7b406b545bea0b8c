//! The timeline of a unit: the decisions and contradictions that its outcome contains.

use super::UnitReplay;
use super::step::Step;
use crate::simulate::context::UnitContext;
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::{End, ReportedPer, Verdict};
use crate::simulate::figures::DecisionFacts;
use crate::simulate::outcome::{
    Contradiction, MemberOutcome, Outcome, UNRESOLVED, end_reason_without_decision, unit_reason,
};
use crate::simulate::report::DecisionReport;
use crate::simulate::summary::Summary;

impl<E: Engine> UnitReplay<E> {
    #[cold]
    pub(super) fn add_contradiction(
        &mut self,
        unit: &UnitContext<'_, E::Fields>,
        summary: &mut Summary,
        contradiction: Contradiction,
    ) {
        summary.contradictions.add(unit.id.as_str(), &contradiction);
        if let Some(timeline) = self.timeline() {
            timeline.contradictions.push(contradiction);
        }
    }

    /// Adds the reason why the member ended to its timeline.
    #[cold]
    pub(super) fn add_member_reason(
        &mut self,
        step: &Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        end: End,
    ) {
        let decision = verdict.decision.as_ref();
        let reason = decision.map(|it| step.context.engine.end_reason(&self.state, it));
        let reason = reason.unwrap_or_else(|| end_reason_without_decision(end, step.run, 1));
        if let Some(timeline) = self.timeline() {
            timeline.member_reason = reason;
        }
    }

    /// Adds a decision to the timeline.
    #[cold]
    pub(super) fn add_decision(
        &mut self,
        row: DecisionReport,
        facts: &DecisionFacts,
        reason: Option<String>,
    ) {
        if let Some(timeline) = self.timeline() {
            timeline.decisions.push(row);
            timeline.retries += u64::from(facts.retry);
            // Reasons are computed for last decisions alone; another decision keeps the reason so far.
            timeline.last_reason = reason.unwrap_or(std::mem::take(&mut timeline.last_reason));
        }
    }

    /// Ends the history of the unit and returns its outcome, with its timeline.
    pub(crate) fn into_outcome(
        mut self,
        engine: &E,
        queue: u32,
        summary: &mut Summary,
    ) -> MemberOutcome {
        let missing = self.finish(queue, summary);
        let timeline = self.extras.as_mut().and_then(|extras| extras.timeline.take());
        let timeline = timeline.unwrap_or_default();
        let (system_outcome, reason) = match E::REPORTED_PER {
            ReportedPer::Member if missing.is_some() => (None, UNRESOLVED.to_owned()),
            ReportedPer::Member => (None, timeline.member_reason),
            ReportedPer::Unit => {
                let last = Some(timeline.last_reason);
                let reason = unit_reason(engine, &self.state, self.end, missing, last);
                (engine.unit_outcome(&self.state, self.end), reason)
            }
        };
        MemberOutcome {
            outcome: self.end.map_or(Outcome::Unresolved, Into::into),
            system_outcome,
            reason,
            retries: timeline.retries,
            not_reached: timeline.not_reached,
            cut_off: timeline.cut_off,
            missing,
            reruns: 0,
            contradictions: timeline.contradictions,
            decisions: timeline.decisions,
        }
    }
}
