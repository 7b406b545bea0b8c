//! The decision about one failure without a history, explained.

use super::lint::BudgetWaits;
use super::{ManifestSystem, Tried};
use replay::history::{Member, RecordFields};
use replay::simulate::{DecisionReport, Draws, Evaluation, Fact, FactKind, Live, Moment};

/// Returns the decision about a member's first run, after this number of retries of its unit, and every rule
/// that was tried; `None` if the run needs no decision. `seed` is that of random jitter.
pub fn explain<S: ManifestSystem>(
    engine: &S,
    member: &Member<S::Fields>,
    retries: u32,
    seed: u64,
) -> Option<(DecisionReport, Vec<Tried>)> {
    let run = member.runs.first()?;
    let mut state = engine.begin(&[member]);
    engine.with_retries_used(&mut state, run, retries);
    let kind = if run.own.is_ongoing() { FactKind::Restarted(run) } else { FactKind::Ended(run) };
    let facts = [Fact { member: 0, kind }];
    let draw = Draws::of(seed, &member.unit).at(run.run_index);
    let moment =
        Moment { now: run.time(), facts: &facts, draw, live: Live::default(), matched: None };
    let tried = engine.trace(&state, member, run);
    let mut answer = Evaluation::default();
    engine.evaluate(&mut state, &mut S::Memory::default(), &moment, &mut answer);
    // The decision on the highest level is the last; it is about the unit.
    let decision = answer.verdicts.iter().rev().find_map(|verdict| verdict.decision.as_ref())?;
    let report = engine.report(&state, 0, member, run, decision);
    let report = DecisionReport { run_index: None, pod_name: None, ..report };
    Some((report, tried))
}

/// Limit of the retries that are counted: a budget of more has no end in practice.
const MOST_RETRIES: u32 = 1000;

/// Returns the retries that are left if the same failure ends each attempt at once, with their waits; `None` if there is
/// none, or no end. `decide` returns the decision after this number of retries more.
pub fn remaining_budget(decide: impl Fn(u32) -> Option<DecisionReport>) -> Option<BudgetWaits> {
    let wait = |retries: u32| decide(retries)?.delay_seconds.map(|seconds| (seconds, seconds));
    let waits: Vec<(f64, f64)> = (0..=MOST_RETRIES).map_while(wait).collect();
    let is_limited = u32::try_from(waits.len()).is_ok_and(|count| count <= MOST_RETRIES);
    (is_limited && !waits.is_empty()).then_some(BudgetWaits { waits })
}
