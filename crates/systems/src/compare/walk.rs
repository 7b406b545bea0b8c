//! A unit of one member, judged failure by failure.

use super::history::draw;
use crate::ManifestSystem;
use document::units::{GoDuration, Time};
use replay::history::{Member, RecordFields, Run};
use replay::simulate::{Effect, Evaluation, Fact, FactKind, Live, Moment};

/// A unit after some failures.
pub(super) struct Walk<'e, S: ManifestSystem> {
    engine: &'e S,
    /// The engines of both versions.
    versions: [&'e S; 2],
    state: S::State,
    /// When the engine judges next although no run has ended.
    wake: Option<Time>,
    /// Whether such a time has come, as that of a deadline.
    is_timed: bool,
}

impl<S: ManifestSystem> Clone for Walk<'_, S> {
    fn clone(&self) -> Self {
        let Self { engine, versions, wake, is_timed, .. } = *self;
        Self { engine, versions, state: self.state.clone(), wake, is_timed }
    }
}

/// The consequences of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Consequences {
    /// Whether a run follows, or the run goes on.
    pub retries: bool,
    /// The wait before it.
    pub wait: GoDuration,
    /// The consequence for the other members of the unit.
    pub others: &'static str,
}

/// The answer of an engine to a moment.
struct Answer {
    consequences: Consequences,
    /// Whether the unit has ended.
    is_over: bool,
}

impl<'e, S: ManifestSystem> Walk<'e, S> {
    /// A unit of each version before its first failure, which a member has.
    pub(super) fn both(versions: [&'e S; 2], member: &Member<S::Fields>) -> [Self; 2] {
        versions.map(|engine| Self::new(engine, versions, member))
    }

    fn new(engine: &'e S, versions: [&'e S; 2], member: &Member<S::Fields>) -> Self {
        let mut member = member.clone();
        for run in &mut member.runs {
            let [start, end] = first_run();
            (run.started_at, run.finished_at) = (Some(start), Some(end));
        }
        let state = engine.begin(&[&member]);
        let wake = engine.wake(&state);
        Self { engine, versions, state, wake, is_timed: false }
    }

    /// Whether a time has come for which the engine asked.
    pub(super) fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// The state on which further decisions depend if the next run starts at a time, unless that is counts of failures.
    pub(super) fn progress(&self, time: Time) -> Option<Vec<u64>> {
        self.engine.progress(&self.state, time)
    }

    /// Judges a failure, and before it the times that the engine asked for, such as a deadline. `None` if the unit ends before
    /// the run starts.
    pub(super) fn judge(&mut self, run: &Run<S::Fields>) -> Option<Consequences> {
        let draw = draw(run.run_index);
        let end = run.finished_at;
        while let Some(wake) = self.wake.take_if(|wake| end.is_some_and(|end| *wake < end)) {
            self.is_timed = true;
            let (now, has_started) = (Some(wake), !run.starts_at(Some(wake)));
            let Answer { consequences, is_over } = self.evaluate(run, FactKind::Timer, now, draw);
            if is_over {
                return has_started.then_some(consequences);
            }
            // The run is cut off, and another one follows.
            if has_started && consequences.retries {
                return Some(consequences);
            }
        }
        let is_ongoing = run.own.is_ongoing();
        let kind = if is_ongoing { FactKind::Restarted(run) } else { FactKind::Ended(run) };
        Some(self.evaluate(run, kind, end, draw).consequences)
    }

    /// Lets the engine judge a moment of a run until it asks for no other evaluation of it.
    fn evaluate(
        &mut self,
        run: &Run<S::Fields>,
        kind: FactKind<'_, S::Fields>,
        now: Option<Time>,
        draw: u64,
    ) -> Answer {
        let mut memory = S::Memory::default();
        let mut answer = Evaluation::default();
        let goes_on = matches!(kind, FactKind::Restarted(_));
        let mut found = Consequences { retries: false, wait: GoDuration::ZERO, others: "" };
        let mut fact = Some(Fact { member: 0, kind });
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
                    Effect::Keep => found.retries = goes_on,
                    Effect::End(_) => found.retries = false,
                    Effect::Release => {}
                }
                if let Some(decision) = &verdict.decision {
                    let code = self.engine.facts(run, decision).code;
                    found.others = S::others_after(self.versions, code);
                }
            }
            self.wake = answer.next;
            let is_over = answer.end.is_some();
            if is_over {
                found.retries = false;
            }
            if is_over || !answer.again {
                return Answer { consequences: found, is_over };
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
