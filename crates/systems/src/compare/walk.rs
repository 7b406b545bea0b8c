//! A unit of one member, judged failure by failure.

use crate::System;
use document::units::{GoDuration, Time};
use replay::history::{Member, Run};
use replay::simulate::{Effect, Evaluation, Fact, FactKind, Live, Moment};

/// A unit after some failures.
pub(super) struct Walk<'e, S: System> {
    engine: &'e S,
    state: S::State,
}

impl<S: System> Clone for Walk<'_, S> {
    fn clone(&self) -> Self {
        Self { engine: self.engine, state: self.state.clone() }
    }
}

/// The consequences of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Consequences {
    /// Whether a run follows.
    pub retries: bool,
    /// The wait before it.
    pub wait: GoDuration,
}

impl<'e, S: System> Walk<'e, S> {
    /// A unit before its first failure, which a member has.
    pub(super) fn new(engine: &'e S, member: &Member<S::Fields>) -> Self {
        Self { engine, state: engine.begin(&[member]) }
    }

    /// Judges a failure.
    pub(super) fn judge(&mut self, run: &Run<S::Fields>, draw: u64) -> Consequences {
        let now = run.finished_at;
        let mut memory = S::Memory::default();
        let mut answer = Evaluation::default();
        let mut found = Consequences { retries: false, wait: GoDuration::ZERO };
        let mut fact = Some(Fact { member: 0, kind: FactKind::Ended(run) });
        loop {
            let facts = fact.take();
            let moment =
                Moment { now, facts: facts.as_slice(), draw, live: Live::default(), matched: None };
            self.engine.evaluate(&mut self.state, &mut memory, &moment, &mut answer);
            for verdict in &answer.verdicts {
                match verdict.effect {
                    Effect::Rerun { delay, not_before }
                    | Effect::Replace { delay, not_before, .. } => {
                        let until = not_before.zip(now).map(|(time, now)| time.since(now));
                        found.retries = true;
                        found.wait = delay.or(until).unwrap_or(GoDuration::ZERO);
                    }
                    Effect::Keep | Effect::End(_) => found.retries = false,
                    Effect::Release => {}
                }
            }
            if answer.end.is_some() {
                found.retries = false;
            }
            if answer.end.is_some() || !answer.again {
                return found;
            }
        }
    }
}

/// The times of the run that follows one: it starts after the longer of two waits, and takes a second.
pub(super) fn next_run([_, end]: [Time; 2], waits: [GoDuration; 2]) -> [Time; 2] {
    let start = end.plus(waits[0].max(waits[1]));
    [start, start.plus(RUNTIME)]
}

/// The times of the first run.
pub(super) fn first_run() -> [Time; 2] {
    let start = Time::from_epoch_seconds(START);
    [start, start.plus(RUNTIME)]
}

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;
const RUNTIME: GoDuration = GoDuration::from_secs(1);
