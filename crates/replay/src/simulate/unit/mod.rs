//! The replay of a unit with one member, run by run.
//!
//! A run is judged when it is pushed, so that runs may come from a stream as well as from memory. A decision
//! that depends on the next run is settled when that run is pushed, or when the unit is finished.

mod extras;
mod grant;
mod step;
mod timeline;

use super::changes::{Decided, Reach};
use super::context::{ReplayContext, UnitContext};
use super::counter::DecidedRun;
use super::engine::Engine;
use super::evaluation::{Effect, End, Evaluation, ReportedPer, Verdict};
use super::moment::{Fact, FactKind, Live, Moment};
use super::outcome::{MissingRun, Outcome, find_contradiction};
use super::summary::{GrantedRetry, LastDecision, LastFailure, RetryCount, Summary};
use crate::history::{RecordFields, Run};
use document::units::Time;
use extras::{Extras, Timeline};
use grant::{Grant, NextRun, StopTime, Wait};
use step::{Phase, Step};

/// A unit of one member, after some of its runs.
pub(crate) struct UnitReplay<E: Engine> {
    state: E::State,
    next: NextRun,
    /// The latest time so far.
    now: Option<Time>,
    /// The last decision about the unit.
    last: Option<LastDecision>,
    /// The last decided run.
    failure: LastFailure,
    end: Option<End>,
    /// Whether the granted run is a retry of its own, not a run of a member that runs again with its unit.
    is_retry: bool,
    /// The retries that were granted.
    retries: RetryCount,
    /// The number of the kind of the last failure, if no rule matched it and no run was recorded since.
    uncaught: u32,
    /// Set for few units only; boxed, since a stream holds a replay for every unfinished unit.
    extras: Option<Box<Extras>>,
}

/// In [`UnitReplay`], no kind of failure.
const NO_GROUP: u32 = u32::MAX;

/// Whether a record is the end of a run.
pub(crate) fn is_end_of_run<F: RecordFields>(run: &Run<F>) -> bool {
    run.own.is_attempt() && !run.own.is_ongoing()
}

impl<E: Engine> UnitReplay<E> {
    /// A unit before its first run.
    pub(crate) fn new(engine: &E, state: E::State, has_timeline: bool) -> Self {
        let wake = engine.wake(&state);
        let timeline = has_timeline.then(Timeline::default);
        let has_extras = wake.is_some() || timeline.is_some();
        Self {
            state,
            next: NextRun::Any,
            now: None,
            last: None,
            failure: LastFailure::default(),
            end: None,
            is_retry: false,
            retries: RetryCount::default(),
            uncaught: NO_GROUP,
            extras: has_extras.then(|| Box::new(Extras { wake, timeline })),
        }
    }

    /// Reads a part of each of its cache lines.
    pub(crate) fn touch(&self) -> u32 {
        // One field of each cache line; combining them keeps the compiler from dropping a load.
        let is_over = matches!(self.next, NextRun::None);
        let rule = self.last.and_then(LastDecision::rule).unwrap_or_default();
        self.uncaught ^ rule ^ u32::from(is_over)
    }

    /// How the unit ended, if no further run is judged.
    pub(crate) fn over(&self) -> Option<End> {
        self.end.filter(|_| matches!(self.next, NextRun::None))
    }

    /// The number of the kind of its last failure, if no rule matched it and no run was recorded since.
    pub(crate) fn uncaught(&self) -> Option<u32> {
        Some(self.uncaught).filter(|group| *group != NO_GROUP)
    }

    /// How the unit ended, if it did.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// The last decision about the unit.
    pub(crate) fn last_decision(&self) -> Option<LastDecision> {
        self.last
    }

    /// The decision that ended the unit, if one did.
    pub(crate) fn end_decision(&self) -> Option<LastDecision> {
        self.last.filter(|_| self.end.is_some())
    }

    /// Judges the next recorded run. Returns how far the run is replayed.
    pub(crate) fn push(
        &mut self,
        context: &mut ReplayContext<'_, E>,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) -> Reach {
        summary.count_index(context.engine.index_mismatch(&self.state, run));
        // Before the run is judged, and also for runs that are not reached: the figure is about
        // what was recorded after an uncaught failure, not about what the policies make of it.
        if let Some(group) = self.uncaught().filter(|_| is_end_of_run(run)) {
            self.uncaught = NO_GROUP;
            summary.count_run_after_uncaught(group, unit.facts.end.ending);
        }
        let retry = match std::mem::replace(&mut self.next, NextRun::None) {
            // An event of the unit is judged until the unit ends.
            NextRun::None if run.own.is_unit_event() && self.end.is_none() => None,
            NextRun::None => return self.count_not_reached(unit, summary),
            NextRun::Stopped => return self.stop(unit, run, summary),
            NextRun::Any => None,
            // A record that began before the stop reports the stopped run once more; the granted one is still to come.
            NextRun::Granted(mut grant) if grant.is_before(run) => {
                grant.clear_stop_time();
                self.next = NextRun::Granted(grant);
                return self.stop(unit, run, summary);
            }
            NextRun::Granted(grant) => Some(self.follow(&grant, unit, run, summary)),
        };
        // Each run begins live, since timers that the engine requested may come before its recorded end.
        let (phase, decision) = (Phase::Live, None);
        let mut step = Step { context, unit, run, summary, phase, retry, decision };
        let reach = self.judge(&mut step);
        let decision = step.decision;
        self.next = match step.phase {
            // The record after an ongoing one is of the same run, so it is cut off instead of not reached.
            Phase::Ongoing if self.end.is_some() => NextRun::Stopped,
            _ if self.end.is_some() => NextRun::None,
            Phase::Ongoing => NextRun::Any,
            Phase::Granted(grant) => NextRun::Granted(grant),
            Phase::Live | Phase::Pending | Phase::Done => NextRun::None,
        };
        if let Some(end) = self.end {
            let last = match E::REPORTED_PER {
                // A unit that is reported as a whole may end without a decision about this run, by the one before.
                ReportedPer::Member => decision.as_ref().map(LastDecision::of),
                ReportedPer::Unit => self.last,
            };
            summary.count_job(unit.queue, end.into(), self.retries, last, self.failure);
            self.last = last;
        }
        reach
    }

    /// Evaluates at the times that the engine requested while the run is live, and then its end. The run is
    /// stopped if one of the former evaluations ends the unit or the member.
    #[inline]
    fn judge(&mut self, step: &mut Step<'_, '_, '_, E>) -> Reach {
        let end = step.run.time();
        // Time never goes back: a timer that was requested for an earlier time is evaluated at the latest time so far.
        while let Some(wake) = self.take_wake(end) {
            self.now = self.now.max(Some(wake));
            self.evaluate(step, true);
            if self.end.is_some() || !matches!(step.phase, Phase::Live) {
                break;
            }
        }
        if self.end.is_none() && matches!(step.phase, Phase::Live) {
            self.now = self.now.max(end);
            step.phase = Phase::Pending;
            self.evaluate(step, false);
            Reach::Reached
        } else {
            self.stop(step.unit, step.run, step.summary)
        }
    }

    /// Takes the time at which the engine evaluates next, if it comes before a run ends. With an end at that time it
    /// judges both.
    fn take_wake(&mut self, end: Option<Time>) -> Option<Time> {
        let wake = &mut self.extras.as_mut()?.wake;
        // Without a recorded end nothing shows that the timer came first, so that the end is judged alone.
        wake.take_if(|wake| end.is_some_and(|end| *wake < end))
    }

    /// Sets the time at which the engine evaluates next.
    fn set_wake(&mut self, wake: Option<Time>) {
        match &mut self.extras {
            Some(extras) => extras.wake = wake,
            None if wake.is_some() => {
                self.extras = Some(Box::new(Extras { wake, timeline: None }));
            }
            None => {}
        }
    }

    fn timeline(&mut self) -> Option<&mut Timeline> {
        self.extras.as_mut()?.timeline.as_mut()
    }

    /// Counts a run that is not reached.
    fn count_not_reached(
        &mut self,
        unit: &UnitContext<'_, E::Fields>,
        summary: &mut Summary,
    ) -> Reach {
        if let Some(timeline) = self.timeline() {
            timeline.not_reached += 1;
        }
        summary.not_reached.merge(unit.facts.hours);
        Reach::NotReached
    }

    /// Stops a run now. It is cut off, unless it would start only now: then it is not reached.
    #[cold]
    fn stop(
        &mut self,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) -> Reach {
        if run.starts_at(self.now) {
            return self.count_not_reached(unit, summary);
        }
        if let Some(timeline) = self.timeline() {
            timeline.cut_off += 1;
        }
        summary.runs.cut_off += 1;
        Reach::CutOff
    }

    /// Takes a run for the recorded run of a grant, and reports what contradicts the grant.
    fn follow(
        &mut self,
        grant: &Grant,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) -> GrantedRetry {
        let contradiction = find_contradiction(run, grant.wait.not_before(), grant.avoided());
        if let Some(contradiction) = contradiction {
            self.add_contradiction(unit, summary, contradiction);
        }
        GrantedRetry {
            rule: grant.rule(),
            number: self.retry_number(),
            node: grant.node(),
            wait_end: grant.wait.last_minute(),
            after: self.failure,
        }
    }

    /// The number of the granted run among the retries of the unit; 0 if it is none.
    fn retry_number(&self) -> u32 {
        if self.is_retry { self.retries.granted() } else { 0 }
    }

    /// Evaluates a moment until the engine requests no further evaluation of it.
    fn evaluate(&mut self, step: &mut Step<'_, '_, '_, E>, is_timer: bool) {
        loop {
            // Taken out, so that the vectors of the answer are used again by the next unit, while
            // the context is borrowed for counting.
            let mut answer = std::mem::take(&mut step.context.answer);
            self.evaluate_once(step, is_timer, &mut answer);
            for verdict in &answer.verdicts {
                self.apply(step, verdict, answer.end.is_some());
            }
            self.end = answer.end;
            self.set_wake(answer.next);
            let again = answer.again;
            step.context.answer = answer;
            if self.end.is_some() || !again {
                return;
            }
        }
    }

    /// Evaluates a moment once: the pending end or timer, or nothing new.
    fn evaluate_once(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        is_timer: bool,
        answer: &mut Evaluation<E::Decision>,
    ) {
        let run = step.run;
        let kind = match step.phase {
            _ if is_timer => Some(FactKind::Timer),
            Phase::Pending if run.own.is_ongoing() => Some(FactKind::Restarted(run)),
            Phase::Pending => Some(FactKind::Ended(run)),
            _ => None,
        };
        let fact = kind.map(|kind| Fact { member: 0, kind });
        let draws = step.context.draws(step.unit.id);
        let draw = draws.map_or(0, |draws| draws.at(run.run_index));
        let (now, phase) = (self.now, &step.phase);
        let is_live = |_| matches!(phase, Phase::Live) && !run.starts_at(now);
        // The rule was found once for all runs with this signature; the engine then skips the search.
        let matched = step.unit.matched.get();
        let (facts, live) = (fact.as_slice(), Live::new(&is_live));
        let moment = Moment { now, facts, draw, live, matched };
        let ReplayContext { engine, memory, notes, .. } = &mut *step.context;
        // Notes compare the state before and after, so that it is kept before the engine changes it.
        if let Some(notes) = notes {
            notes.keep(&self.state);
        }
        engine.evaluate(&mut self.state, memory, &moment, answer);
    }

    /// Counts a verdict, and applies its effect to the member.
    fn apply(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        is_last: bool,
    ) {
        self.count(step, verdict, is_last);
        match verdict.effect {
            Effect::Keep => match step.phase {
                Phase::Pending if step.run.own.is_ongoing() => step.phase = Phase::Ongoing,
                // A verdict at a timer is about the unit, and names a live run for it.
                Phase::Ongoing | Phase::Live => {}
                _ => step.phase = Phase::Done,
            },
            Effect::End(end) => {
                step.phase = Phase::Done;
                if step.unit.timeline.is_some() {
                    self.add_member_reason(step, verdict, end);
                }
            }
            // A unit of one member has no other that could replace its runs.
            Effect::Rerun { not_before, .. } | Effect::Replace { not_before, .. } => {
                self.rerun(step, verdict, not_before);
            }
            Effect::Release => {}
        }
    }

    /// Counts a decision, and the result of the run if it is a retry.
    fn count(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        is_last: bool,
    ) {
        step.decision = None;
        let run_facts = step.unit.facts;
        // Otherwise `count_decision` counts it, with the facts of the decision.
        if verdict.decision.is_none() {
            step.summary.runs.survived_memory += u64::from(run_facts.end.survived_memory);
        }
        // Most verdicts of successes return here, before anything of the run is looked up.
        if step.retry.is_none() && verdict.decision.is_none() {
            return;
        }
        // Looked up for retries alone: a node's number takes a search by name.
        let node = step.retry.is_some().then(|| step.node()).flatten();
        let Step { context, unit, run, summary, .. } = step;
        // A live run is cut off or granted anew: its end on record does not come.
        let has_ended = !matches!(step.phase, Phase::Live);
        if let Some(retry) = step.retry.take().filter(|_| has_ended) {
            summary.count_retry_run(&retry, run_facts, node);
        }
        let Some(decision) = &verdict.decision else { return };
        let (state, effect) = (&self.state, verdict.effect);
        let decided = DecidedRun { state, member: 0, run, decision, effect };
        let facts = context.count_decision(&decided, run_facts, &mut self.retries, summary);
        if let Some(decided) = &mut context.decided {
            decided.push(Decided::of(&facts, effect));
        }
        self.failure = LastFailure::new(run_facts);
        if facts.by_default {
            self.uncaught = run_facts.group.get().unwrap_or(NO_GROUP);
        }
        (self.last, step.decision) = (Some(LastDecision::of(&facts)), Some(facts));
        if let Some(member) = unit.timeline {
            let engine = context.engine;
            let row = engine.report(&self.state, 0, member, run, decision);
            if let Some(notes) = &mut context.notes {
                notes.add((0, run.run_index), facts, &row);
            }
            // A stream has no timelines.
            if let Some(decisions) = &mut context.decisions {
                decisions.of_run.push(row);
                return;
            }
            let is_last_of_unit = is_last && E::REPORTED_PER == ReportedPer::Unit;
            let reason = is_last_of_unit.then(|| engine.end_reason(&self.state, decision));
            self.add_decision(row, &facts, reason);
        }
    }

    /// Grants a further run: the live one, if it starts no earlier than now, or the next one.
    fn rerun(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        not_before: Option<Time>,
    ) {
        let (node, engine) = (step.node(), step.context.engine);
        let decision = verdict.decision.as_ref();
        let avoided = decision.and_then(|it| engine.avoided(&self.state, 0, it));
        let rule = self.last.and_then(LastDecision::rule);
        // The decision about this run, not the last one about the unit: a member that runs again
        // with its unit is no retry.
        self.is_retry = step.decision.is_some_and(|facts| facts.retry);
        let wait = Wait::new(not_before, step.run.time(), self.is_retry);
        let grant = |stop_time| Grant::new(rule, node, wait, avoided, stop_time);
        match step.phase {
            // The recorded run starts no earlier than now: it is the one that is granted now.
            Phase::Live if step.run.starts_at(self.now) => {
                let grant = grant(None);
                step.retry = Some(self.follow(&grant, step.unit, step.run, step.summary));
            }
            Phase::Ongoing => step.phase = Phase::Granted(grant(Some(StopTime(self.now)))),
            _ => step.phase = Phase::Granted(grant(None)),
        }
    }

    /// Ends the history of the unit: a granted run that was not pushed is not recorded.
    pub(crate) fn finish(&self, queue: u32, summary: &mut Summary) -> Option<MissingRun> {
        let missing = match &self.next {
            NextRun::Granted(grant) => {
                Some(MissingRun { rule: grant.rule(), number: self.retry_number() })
            }
            NextRun::Any | NextRun::Stopped | NextRun::None => None,
        };
        if let Some(missing) = missing {
            summary.count_missing_run(missing);
        }
        if self.end.is_none() {
            summary.count_job(queue, Outcome::Unresolved, self.retries, None, self.failure);
        }
        missing
    }
}
