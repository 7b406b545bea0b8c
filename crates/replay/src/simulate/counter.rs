//! Counts the runs and the decisions about them, alike for units of one member and of several.

use super::context::ReplayContext;
use super::end_facts::end_facts;
use super::engine::Engine;
use super::evaluation::Effect;
use super::figures::DecisionFacts;
use super::part::Parts;
use super::summary::{LastDecision, RetryCount, RetryWait, RunFacts, Summary};
use crate::disruption::Kind;
use crate::history::{RecordFields, Run};

/// A run of a member with a decision about it.
pub(super) struct DecidedRun<'r, E: Engine> {
    /// The state of the unit after the decision.
    pub(super) state: &'r E::State,
    /// The number of the member.
    pub(super) member: usize,
    pub(super) run: &'r Run<E::Fields>,
    pub(super) decision: &'r E::Decision,
    pub(super) effect: Effect,
}

impl<E: Engine> ReplayContext<'_, E> {
    /// The facts of a run that summaries count.
    pub(super) fn run_facts(
        &mut self,
        queue: u32,
        unit: &<E::Fields as RecordFields>::Unit,
        run: &Run<E::Fields>,
    ) -> RunFacts {
        RunFacts::new(queue, unit, run, end_facts(self.engine, &mut self.names, run, false))
    }

    /// Counts a decision, and the retry that it grants as the next one of `retries`. Adds the features of the failure to
    /// the facts of the run if no rule matched it.
    pub(super) fn count_decision(
        &mut self,
        decided: &DecidedRun<'_, E>,
        run_facts: &RunFacts,
        retries: &mut RetryCount,
        summary: &mut Summary,
    ) -> DecisionFacts {
        let DecidedRun { run, decision, effect, .. } = *decided;
        if let Some(name) = self.engine.subcategory(run) {
            self.names.subcategory(name);
        }
        let facts = self.engine.facts(run, decision);
        if facts.by_default && run_facts.group.get().is_none() {
            run_facts.group.set(Some(self.names.group(&self.engine.labels(run))));
        }
        summary.count_decision(run_facts, &facts, RetryWait::of(effect));
        if facts.failure {
            count_parts(self.engine, decided, summary);
        }
        let disruption = self.count_disruption(run_facts, &facts, summary);
        if facts.retry {
            let rule = LastDecision::of(&facts).rule();
            retries.add(rule);
            summary.count_grant(rule, retries.granted(), disruption);
        }
        facts
    }

    /// Counts a failure that is a disruption. Returns its kind if a limit counts the retry that is granted after it.
    fn count_disruption(
        &self,
        run: &RunFacts,
        facts: &DecisionFacts,
        summary: &mut Summary,
    ) -> Option<Kind> {
        if !facts.failure && !facts.retry {
            return None;
        }
        let id = run.end.disruption?;
        if facts.failure {
            summary.count_disruption(id);
        }
        let row =
            Some(self.names.disruptions().row(id)).filter(|row| row.enabled && !facts.unlimited);
        row.map(|row| row.kind)
    }
}

/// Counts a failure, and the parts that it has, for each policy whose rules it was compared with. Nothing is looked for
/// once earlier failures have met all needs.
fn count_parts<E: Engine>(engine: &E, decided: &DecidedRun<'_, E>, summary: &mut Summary) {
    let DecidedRun { state, member, run, decision, .. } = *decided;
    let needs = engine.needs();
    if needs.is_empty() {
        return;
    }
    let mut parts = None;
    for policy in engine.compared_policies(state, member, decision) {
        let Some(needs) = needs.get(*policy).filter(|it| !it.is_empty()) else {
            continue;
        };
        let judged = summary.judged_by(*policy);
        judged.failures += 1;
        if judged.parts != Parts::ALL {
            let found = *parts.get_or_insert_with(|| engine.parts(state, member, run));
            let found = judged.parts.with(found, true);
            if found != judged.parts {
                judged.parts = needs.found(found);
            }
        }
    }
}
