//! The replay of a unit with one member, run by run.
//!
//! A run is judged when it is pushed, so that runs may come from a stream as well as from memory. A decision
//! that depends on the next run is settled when that run is pushed, or when the unit is finished.

use super::engine::{
    DecisionCounts, Effect, End, Engine, Evaluation, Fact, FactKind, Live, Moment, ReportedPer,
    Verdict,
};
use super::names::{NameCache, Names};
use super::outcome::{
    Contradiction, MemberOutcome, MissingRun, Outcome, UNRESOLVED, contradiction, plain_end,
    unit_reason,
};
use super::report::DecisionReport;
use super::rng::Draws;
use super::summary::{Demand, Granted, LastDecision, RunFacts, Summary, Waited};
use crate::history::{Member, RecordFields, Run};
use crate::units::Time;

/// What a thread keeps from one unit to the next.
pub(crate) struct ReplayContext<'e, E: Engine> {
    pub(super) engine: &'e E,
    pub(super) memory: E::Memory,
    pub(super) answer: Evaluation<E::Decision>,
    /// Seed for random jitter.
    pub(super) seed: u64,
    pub(super) names: NameCache<'e>,
}

impl<'e, E: Engine> ReplayContext<'e, E> {
    /// A context for an engine. Summaries count by these `names`.
    pub(crate) fn new(engine: &'e E, names: &'e Names, seed: u64) -> Self {
        let (memory, answer) = (E::Memory::default(), Evaluation::default());
        Self { engine, memory, answer, seed, names: NameCache::new(names) }
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &'e E {
        self.engine
    }

    /// The random numbers of a unit, if its engine draws.
    pub(super) fn draws(&self, id: &str) -> Option<Draws> {
        E::DRAWS.then(|| Draws::of(self.seed, id))
    }

    /// What a summary counts of a run.
    pub(super) fn facts(&mut self, queue: u32, demand: Demand, run: &Run<E::Fields>) -> RunFacts {
        RunFacts {
            queue,
            category: self.names.category(self.engine.labels(run).category),
            group: None,
            time: run.time(),
            length: run.length(),
            ending: self.engine.ending(run),
            demand,
        }
    }
}

/// A unit, for the time that one of its runs is judged.
pub(crate) struct UnitContext<'u, F: RecordFields> {
    /// Its id.
    pub(crate) id: &'u str,
    /// The number of its queue.
    pub(crate) queue: u32,
    /// The resources that it requests.
    pub(crate) demand: Demand,
    /// Where its first record is in the history; orders examples of contradictions.
    pub(crate) place: u64,
    /// The member, if a timeline is written.
    pub(crate) timeline: Option<&'u Member<F>>,
}

/// A unit of one member, after some of its runs.
pub(crate) struct UnitReplay<E: Engine> {
    state: E::State,
    awaited: AwaitedRun,
    now: Option<Time>,
    last: Option<LastDecision>,
    end: Option<End>,
    was_retried: bool,
    /// What few units have, apart so that the others take no memory for it.
    extras: Option<Box<Extras>>,
}

#[derive(Debug, Default)]
struct Extras {
    /// When the engine evaluates next although no run has ended.
    wake: Option<Time>,
    timeline: Option<Timeline>,
}

/// What reports show of a unit.
#[derive(Debug, Default)]
struct Timeline {
    /// Why its member ended.
    member_reason: String,
    /// Why the last decision was made.
    last_reason: String,
    retries: u64,
    not_reached: u64,
    cut_off: u64,
    contradictions: Vec<Contradiction>,
    decisions: Vec<DecisionReport>,
}

/// What the next recorded run is taken for.
#[derive(Debug)]
enum AwaitedRun {
    /// A run to judge: the first, or more of an ongoing one.
    Any,
    /// The run that was granted.
    Granted(Grant),
    /// More of an ongoing run that the unit's end stopped.
    Stopped,
    /// A run that is not reached.
    None,
}

/// A granted run that is not recorded yet.
#[derive(Debug)]
struct Grant {
    rule: Option<u32>,
    not_before: Option<Time>,
    /// What few grants have.
    more: Option<Box<GrantExtras>>,
}

#[derive(Debug)]
struct GrantExtras {
    /// Nodes that the run avoids.
    avoided: Vec<String>,
    /// When the ongoing run before it was stopped: records of an earlier start report that run.
    stopped: Option<Stopped>,
}

/// When an ongoing run was stopped, if that is known.
#[derive(Debug, Clone, Copy)]
struct Stopped(Option<Time>);

impl Grant {
    fn new(
        rule: Option<u32>,
        not_before: Option<Time>,
        avoided: &[String],
        stopped: Option<Stopped>,
    ) -> Self {
        let is_plain = avoided.is_empty() && stopped.is_none();
        let more = || Box::new(GrantExtras { avoided: avoided.to_vec(), stopped });
        Self { rule, not_before, more: (!is_plain).then(more) }
    }

    fn avoided(&self) -> &[String] {
        self.more.as_ref().map_or(&[], |more| &more.avoided)
    }

    /// Whether a record reports the run before the granted one.
    fn is_before<F>(&self, run: &Run<F>) -> bool {
        let stopped = self.more.as_ref().and_then(|more| more.stopped);
        stopped.is_some_and(|Stopped(at)| !run.starts_at(at))
    }
}

/// The state of the member while one of its runs is judged.
#[derive(Debug)]
enum Phase {
    /// The run has not ended.
    Live,
    /// The run has ended and is not judged.
    Pending,
    /// The run is judged, and ongoing.
    Ongoing,
    /// The run is judged; the next one was granted.
    Granted(Grant),
    /// The run is judged, and no run follows.
    Done,
}

/// A run while it is judged.
struct Step<'s, 'e, 'u, E: Engine> {
    context: &'s mut ReplayContext<'e, E>,
    unit: &'s UnitContext<'u, E::Fields>,
    run: &'s Run<E::Fields>,
    summary: &'s mut Summary,
    phase: Phase,
    /// The retry that it is, until it is judged.
    granted: Option<Granted>,
    /// Computed when they are first needed.
    facts: Option<RunFacts>,
    /// The last decision about it.
    decided: Option<DecisionCounts>,
}

impl<E: Engine> UnitReplay<E> {
    /// A unit before its first run.
    pub(crate) fn new(engine: &E, state: E::State, has_timeline: bool) -> Self {
        let wake = engine.wake(&state);
        let timeline = has_timeline.then(Timeline::default);
        let has_extras = wake.is_some() || timeline.is_some();
        Self {
            state,
            awaited: AwaitedRun::Any,
            now: None,
            last: None,
            end: None,
            was_retried: false,
            extras: has_extras.then(|| Box::new(Extras { wake, timeline })),
        }
    }

    /// Whether no further run is judged.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.awaited, AwaitedRun::None) && self.end.is_some()
    }

    /// Judges the next recorded run.
    pub(crate) fn push(
        &mut self,
        context: &mut ReplayContext<'_, E>,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) {
        let granted = match std::mem::replace(&mut self.awaited, AwaitedRun::None) {
            // An event of the unit is judged until the unit ends.
            AwaitedRun::None if run.own.is_unit_event() && self.end.is_none() => None,
            AwaitedRun::None => return self.pass_over(unit, run, summary),
            AwaitedRun::Stopped => return self.stop(unit, run, summary),
            AwaitedRun::Any => None,
            AwaitedRun::Granted(mut grant) if grant.is_before(run) => {
                if let Some(more) = &mut grant.more {
                    more.stopped = None;
                }
                self.awaited = AwaitedRun::Granted(grant);
                return self.stop(unit, run, summary);
            }
            AwaitedRun::Granted(grant) => Some(self.follow(&grant, unit, run, summary)),
        };
        let (phase, facts, decided) = (Phase::Live, None, None);
        let mut step = Step { context, unit, run, summary, phase, granted, facts, decided };
        let end = run.time();
        while let Some(wake) = self.take_wake(end) {
            self.now = self.now.max(Some(wake));
            self.evaluate(&mut step, true);
            if self.end.is_some() || !matches!(step.phase, Phase::Live) {
                break;
            }
        }
        if self.end.is_none() && matches!(step.phase, Phase::Live) {
            self.now = self.now.max(end);
            step.phase = Phase::Pending;
            self.evaluate(&mut step, false);
        } else {
            self.stop(unit, run, step.summary);
        }
        let decided = step.decided;
        self.awaited = match step.phase {
            Phase::Ongoing if self.end.is_some() => AwaitedRun::Stopped,
            _ if self.end.is_some() => AwaitedRun::None,
            Phase::Ongoing => AwaitedRun::Any,
            Phase::Granted(grant) => AwaitedRun::Granted(grant),
            Phase::Live | Phase::Pending | Phase::Done => AwaitedRun::None,
        };
        if let Some(end) = self.end {
            let last = match E::REPORTED_PER {
                ReportedPer::Member => decided.as_ref().map(LastDecision::of),
                ReportedPer::Unit => self.last,
            };
            summary.ended(unit.queue, end.into(), self.was_retried, last);
        }
    }

    /// Takes the time at which the engine evaluates next, if it comes before a run ends.
    fn take_wake(&mut self, end: Option<Time>) -> Option<Time> {
        let wake = &mut self.extras.as_mut()?.wake;
        wake.take_if(|wake| end.is_some_and(|end| *wake <= end))
    }

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
    fn pass_over(
        &mut self,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) {
        if let Some(timeline) = self.timeline() {
            timeline.not_reached += 1;
        }
        summary.passed_over(run.length(), unit.demand);
    }

    /// A run is stopped now: it is cut off, unless it would start only now.
    fn stop(
        &mut self,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) {
        if run.starts_at(self.now) {
            return self.pass_over(unit, run, summary);
        }
        if let Some(timeline) = self.timeline() {
            timeline.cut_off += 1;
        }
        summary.cut_off += 1;
    }

    /// The recorded run of a grant; reports what contradicts the grant.
    fn follow(
        &mut self,
        grant: &Grant,
        unit: &UnitContext<'_, E::Fields>,
        run: &Run<E::Fields>,
        summary: &mut Summary,
    ) -> Granted {
        if let Some(what) = contradiction(run, grant.not_before, grant.avoided()) {
            let contradiction = Contradiction { run_index: run.run_index, what };
            summary.contradicted(unit.place, unit.id, &contradiction);
            if let Some(timeline) = self.timeline() {
                timeline.contradictions.push(contradiction);
            }
        }
        Granted::new(grant.rule, grant.not_before)
    }

    /// Evaluates until the engine has no more to say about this moment.
    fn evaluate(&mut self, step: &mut Step<'_, '_, '_, E>, is_timer: bool) {
        loop {
            let mut answer = std::mem::take(&mut step.context.answer);
            self.ask(step, is_timer, &mut answer);
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

    fn ask(
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
        let moment = Moment { now, facts: fact.as_slice(), draw, live: Live::new(&is_live) };
        let ReplayContext { engine, memory, .. } = &mut *step.context;
        engine.evaluate(&mut self.state, memory, &moment, answer);
    }

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
                Phase::Ongoing => {}
                _ => step.phase = Phase::Done,
            },
            Effect::End(end) => {
                step.phase = Phase::Done;
                if step.unit.timeline.is_some() {
                    let decision = verdict.decision.as_ref();
                    let reason = decision.map(|it| step.context.engine.end_reason(&self.state, it));
                    let reason = reason.unwrap_or_else(|| plain_end(end, step.run, 1));
                    if let Some(timeline) = self.timeline() {
                        timeline.member_reason = reason;
                    }
                }
            }
            Effect::Rerun { not_before, .. } => self.rerun(step, verdict, not_before),
        }
    }

    /// Counts a decision, and the result of the run if it is a retry.
    fn count(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        is_last: bool,
    ) {
        let Step { context, unit, run, summary, .. } = step;
        step.decided = None;
        if step.granted.is_none() && verdict.decision.is_none() {
            return;
        }
        let facts = step.facts.get_or_insert_with(|| context.facts(unit.queue, unit.demand, run));
        // A run that starts only now is granted anew; the run of the earlier grant is not recorded.
        let is_granted_anew = matches!(verdict.effect, Effect::Rerun { .. })
            && matches!(step.phase, Phase::Live)
            && run.starts_at(self.now);
        if let Some(granted) = step.granted.take().filter(|_| !is_granted_anew) {
            summary.followed(&granted, facts);
        }
        let Some(decision) = &verdict.decision else { return };
        let engine = context.engine;
        let counts = engine.counts(run, decision);
        if counts.by_default && facts.group.is_none() {
            facts.group = Some(context.names.group(&engine.labels(run)));
        }
        summary.decided(facts, &counts, Waited::by(verdict.effect));
        let is_substitute = counts.retry && engine.uses_substitute_id(run, decision);
        summary.substituted += u64::from(is_substitute);
        self.was_retried |= counts.retry;
        (self.last, step.decided) = (Some(LastDecision::of(&counts)), Some(counts));
        let Some(member) = unit.timeline else { return };
        let row = engine.report(&self.state, 0, member, run, decision);
        let is_last_of_unit = is_last && E::REPORTED_PER == ReportedPer::Unit;
        let reason = is_last_of_unit.then(|| engine.end_reason(&self.state, decision));
        if let Some(timeline) = self.timeline() {
            timeline.decisions.push(row);
            timeline.retries += u64::from(counts.retry);
            timeline.last_reason = reason.unwrap_or(std::mem::take(&mut timeline.last_reason));
        }
    }

    fn rerun(
        &mut self,
        step: &mut Step<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        not_before: Option<Time>,
    ) {
        let engine = step.context.engine;
        let decision = verdict.decision.as_ref();
        let avoided = decision.map_or(&[][..], |it| engine.avoided(&self.state, 0, it));
        let rule = self.last.and_then(LastDecision::rule);
        let grant = |stopped| Grant::new(rule, not_before, avoided, stopped);
        match step.phase {
            // The recorded run starts no earlier than now: it is the one that is granted now.
            Phase::Live if step.run.starts_at(self.now) => {
                let grant = grant(None);
                step.granted = Some(self.follow(&grant, step.unit, step.run, step.summary));
            }
            Phase::Ongoing => step.phase = Phase::Granted(grant(Some(Stopped(self.now)))),
            _ => step.phase = Phase::Granted(grant(None)),
        }
    }

    /// Ends the history of the unit: a granted run that was not pushed is not recorded.
    pub(crate) fn finish(&self, queue: u32, summary: &mut Summary) -> Option<MissingRun> {
        let missing = match &self.awaited {
            AwaitedRun::Granted(grant) => Some(MissingRun { rule: grant.rule }),
            AwaitedRun::Any | AwaitedRun::Stopped | AwaitedRun::None => None,
        };
        if let Some(missing) = missing {
            summary.unresolved(missing.rule);
        }
        if self.end.is_none() {
            summary.ended(queue, Outcome::Unresolved, self.was_retried, None);
        }
        missing
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
            contradictions: timeline.contradictions,
            decisions: timeline.decisions,
        }
    }
}
