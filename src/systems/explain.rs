//! One failure by itself, decided and explained.

use super::{System, Tried};
use crate::engine::{Evaluation, Fact, FactKind, Live, Moment, Recorded};
use crate::history::Member;
use crate::simulate::{DecisionReport, Draws};

/// The decision about a member's first run, after so many retries of its unit, and every rule that
/// was tried; nothing if the run needs no decision. What is left to chance hangs on the seed.
pub fn explain<S: System>(
    engine: &S,
    member: &Member<S::Own>,
    retries: u32,
    seed: u64,
) -> Option<(DecisionReport, Vec<Tried>)> {
    let run = member.runs.first()?;
    let mut state = engine.begin(&[member]);
    engine.spend(&mut state, run, retries);
    let kind = if run.goes_on() { FactKind::Restarted(run) } else { FactKind::Ended(run) };
    let facts = [Fact { member: 0, at: run.time(), kind }];
    let draw = Draws::of(seed, &member.unit).at(run.run_index);
    let moment = Moment { now: run.time(), facts: &facts, draw, live: Live::default() };
    let tried = engine.trace(&state, member, run);
    let mut answer = Evaluation::default();
    engine.evaluate(&mut state, &mut S::Memory::default(), &moment, &mut answer);
    // What is decided on a higher level comes last, and is what becomes of the unit.
    let decision = answer.verdicts.iter().rev().find_map(|verdict| verdict.decision.as_ref())?;
    let report = engine.report(&state, 0, member, run, decision);
    let report = DecisionReport { run_index: None, pod_name: None, ..report };
    Some((report, tried))
}
