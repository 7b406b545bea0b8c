//! Counts the runs and the decisions about them, alike for units of one member and of several.

use super::context::ReplayContext;
use super::engine::{Effect, Engine};
use super::figures::{DecisionFacts, Ending};
use super::part::Parts;
use super::summary::{Hours, LastDecision, RetryCount, RetryWait, RunFacts, Summary};
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
        RunFacts {
            queue,
            category: self.names.category(self.engine.category(run)),
            group: None,
            time: run.time(),
            ending: self.engine.ending(run),
            hours: Hours::for_run(unit, run),
        }
    }

    /// Counts a decision, and the retry that it grants as the next one of `retries`. Adds the kind of the failure to
    /// the facts of the run if no rule matched it.
    pub(super) fn count_decision(
        &mut self,
        decided: &DecidedRun<'_, E>,
        run_facts: &mut RunFacts,
        retries: &mut RetryCount,
        summary: &mut Summary,
    ) -> DecisionFacts {
        let DecidedRun { run, decision, effect, .. } = *decided;
        if let Some(name) = self.engine.subcategory(run) {
            self.names.subcategory(name);
        }
        let facts = self.engine.facts(run, decision);
        if facts.by_default && run_facts.group.is_none() {
            run_facts.group = Some(self.names.group(&self.engine.labels(run)));
        }
        summary.count_decision(run_facts, &facts, RetryWait::of(effect));
        if facts.failure {
            count_parts(self.engine, decided, summary);
        }
        let disruption = self.count_disruption(run, &facts, summary);
        if facts.retry {
            let rule = LastDecision::of(&facts).rule();
            retries.add(rule);
            summary.count_grant(rule, retries.granted(), disruption);
        }
        facts
    }

    /// Counts a run that ended without a decision, if it succeeded although a container of it exceeded its memory.
    pub(super) fn count_undecided(&self, run: &Run<E::Fields>, summary: &mut Summary) {
        let has_survived =
            self.engine.ending(run) == Ending::Succeeded && self.engine.has_survived_memory(run);
        summary.runs.survived_memory += u64::from(has_survived);
    }

    /// Counts a failure that is a disruption. Returns its kind if a limit counts the retry that is granted after it.
    fn count_disruption(
        &self,
        run: &Run<E::Fields>,
        facts: &DecisionFacts,
        summary: &mut Summary,
    ) -> Option<Kind> {
        if !facts.failure && !facts.retry {
            return None;
        }
        let table = self.names.disruptions();
        let id = self.engine.disruption(run, table)?;
        if facts.failure {
            summary.count_disruption(id);
        }
        let row = Some(table.row(id)).filter(|row| row.enabled && !facts.unlimited);
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
