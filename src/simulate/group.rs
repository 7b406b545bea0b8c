//! The replay of a unit of several members: gangs, sets, Jobs of several pods.
//!
//! All recorded runs of the unit are known. The ends of live runs are brought to the engine in order of
//! time, one moment after another.

use super::engine::{
    DecisionCounts, Effect, End, Engine, Evaluation, Fact, FactKind, JudgedTogether, Live, Moment,
    ReportedPer, Verdict,
};
use super::outcome::{
    Contradiction, MemberOutcome, MissingRun, Outcome, UNRESOLVED, contradiction, plain_end,
    unit_reason,
};
use super::report::DecisionReport;
use super::summary::{Granted, LastDecision, Summary, Waited};
use super::unit::ReplayContext;
use crate::history::{Member, RecordFields, Run};
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where the counts of each member go.
pub(crate) struct MemberSummaries<'s> {
    /// The only member that is reported, if one is.
    pub(crate) only: Option<usize>,
    pub(crate) reported: &'s mut Summary,
    /// Takes the counts of the other members.
    pub(crate) others: &'s mut Summary,
}

impl MemberSummaries<'_> {
    fn of(&mut self, member: usize) -> &mut Summary {
        if self.only.is_none_or(|only| only == member) { self.reported } else { self.others }
    }
}

/// The state of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It has a recorded run that has not ended yet.
    Live,
    /// Its run has ended and is not judged.
    Pending,
    /// Its run has ended and is judged; another may follow.
    Kept,
    /// Its run is ongoing and judged so far; its next record reports more.
    Ongoing,
    /// It was granted a run that is not recorded.
    Missing,
    /// It ended.
    Over,
}

/// A member and its position in its recorded runs.
struct MemberReplay {
    run: usize,
    phase: Phase,
    /// Runs before that one that were not reached.
    not_reached: Vec<usize>,
    /// The number of its queue.
    queue: u32,
    /// The retry that its recorded run is, unless it is the first.
    granted: Option<Granted>,
    /// The last decision about it.
    last: Option<DecisionCounts>,
    outcome: MemberOutcome,
}

impl MemberReplay {
    fn new(queue: u32) -> Self {
        let (phase, not_reached) = (Phase::Live, Vec::new());
        let outcome = MemberOutcome::new();
        Self { run: 0, phase, not_reached, queue, granted: None, last: None, outcome }
    }

    /// The record `run` is judged next: the end of the live run, or a later event of the unit.
    fn judge(&mut self, run: usize) {
        if self.run != run {
            let judged = usize::from(self.phase != Phase::Live);
            self.not_reached.extend(self.run + judged..run);
            (self.run, self.granted) = (run, None);
        }
        self.phase = Phase::Pending;
    }

    fn end(&mut self, outcome: Outcome, reason: String) {
        self.phase = Phase::Over;
        self.outcome.outcome = outcome;
        self.outcome.reason = reason;
    }
}

/// Why a unit is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// Runs have ended.
    Ends,
    /// A time that the engine requested has come.
    Timer,
}

/// A unit of several members while it is replayed.
pub(crate) struct GroupReplay<'g, 'e, 'm, E: Engine> {
    context: &'g mut ReplayContext<'e, E>,
    /// Whether decisions are written out.
    has_timeline: bool,
    members: &'m [&'m Member<E::Fields>],
    replays: Vec<MemberReplay>,
    state: E::State,
    now: Option<Time>,
    /// Evaluations so far.
    moments: u32,
    /// When the engine evaluates next although no run has ended.
    wake: Option<Time>,
    /// Ends of live runs by time, unless all are waited for; an entry may be outdated. Also the events of the
    /// unit.
    ends: BinaryHeap<Reverse<(Option<Time>, usize, usize)>>,
    /// The last decision, and its reason.
    last: Option<(DecisionCounts, String)>,
    decisions: Vec<(usize, DecisionReport)>,
}

/// Replays a unit. `places` orders its members in the history. Returns an outcome for each member, or one
/// for all, as the engine reports them.
pub(crate) fn replay_group<E: Engine>(
    context: &mut ReplayContext<'_, E>,
    members: &[&Member<E::Fields>],
    places: &[u64],
    has_timeline: bool,
    summaries: &mut MemberSummaries<'_>,
) -> Vec<MemberOutcome> {
    let state = context.engine.begin(members);
    let queues = members.iter().map(|member| context.names.queue(&member.queue));
    let replays = queues.map(MemberReplay::new).collect();
    let wake = context.engine.wake(&state);
    let mut group = GroupReplay {
        context,
        has_timeline,
        members,
        replays,
        state,
        now: None,
        moments: 0,
        wake,
        ends: BinaryHeap::new(),
        last: None,
        decisions: Vec::new(),
    };
    for member in 0..members.len() {
        group.start(member);
        group.await_unit_events(member);
    }
    let end = group.replay(summaries);
    for member in 0..members.len() {
        group.stop(member);
    }
    match E::REPORTED_PER {
        ReportedPer::Member => group.member_outcomes(places, summaries),
        ReportedPer::Unit => vec![group.unit_outcome(places, end, summaries.of(0))],
    }
}

impl<'m, E: Engine> GroupReplay<'_, '_, 'm, E> {
    fn replay(&mut self, summaries: &mut MemberSummaries<'_>) -> Option<End> {
        let draws = self.members.first().and_then(|first| self.context.draws(&first.unit));
        let mut end = None;
        while end.is_none()
            && let Some(trigger) = self.advance()
        {
            loop {
                let mut answer = std::mem::take(&mut self.context.answer);
                let draw = draws.map_or(0, |draws| draws.at(self.moments));
                self.ask(trigger, draw, &mut answer);
                self.apply(&answer, summaries);
                (end, self.wake) = (answer.end, answer.next);
                let again = answer.again;
                self.context.answer = answer;
                if end.is_some() || !again {
                    break;
                }
            }
            for member in 0..self.members.len() {
                self.resume(member);
            }
        }
        end
    }

    fn runs(&self, member: usize) -> &'m [Run<E::Fields>] {
        &self.members[member].runs
    }

    /// The record at which a member is.
    fn run(&self, member: usize) -> &'m Run<E::Fields> {
        &self.runs(member)[self.replays[member].run]
    }

    /// Adds a member's events of the unit to what happens, whichever run of it is live then. One without a
    /// time comes with the record before.
    fn await_unit_events(&mut self, member: usize) {
        let mut latest = None;
        for (number, run) in self.runs(member).iter().enumerate() {
            latest = latest.max(run.time());
            if run.own.is_unit_event() {
                self.ends.push(Reverse((latest, member, number)));
            }
        }
    }

    /// Whether the record of a live member follows what is granted now: its run starts no earlier than now,
    /// or it is an event, which nothing cuts off.
    fn is_to_come(&self, member: usize) -> bool {
        let run = self.run(member);
        self.replays[member].phase == Phase::Live
            && (!run.own.is_attempt() || run.starts_at(self.now))
    }

    /// Stops a live run now. A run that started before is cut off; any other record did not happen.
    fn stop(&mut self, member: usize) {
        let is_to_come = self.is_to_come(member);
        let replay = &mut self.replays[member];
        match replay.phase {
            Phase::Live if is_to_come => replay.not_reached.push(replay.run),
            Phase::Live => replay.outcome.cut_off += 1,
            _ => {}
        }
    }

    /// Leaves a member at the record that was judged: more may be decided by it.
    fn keep(&mut self, member: usize) {
        let is_ongoing = self.run(member).own.is_ongoing();
        let has_more = self.replays[member].run + 1 < self.runs(member).len();
        let replay = &mut self.replays[member];
        replay.phase = match replay.phase {
            Phase::Pending if is_ongoing && has_more => Phase::Ongoing,
            Phase::Ongoing => Phase::Ongoing,
            _ => Phase::Kept,
        };
    }

    /// Moves a member with an ongoing run to its next record.
    fn resume(&mut self, member: usize) {
        if self.replays[member].phase == Phase::Ongoing {
            self.start_next(member);
        }
    }

    /// Starts the run at which a member is.
    fn start(&mut self, member: usize) {
        let run = self.replays[member].run;
        self.replays[member].phase = Phase::Live;
        if E::JUDGED_TOGETHER != JudgedTogether::Unit {
            let end = self.runs(member)[run].time();
            self.ends.push(Reverse((end, member, run)));
        }
    }

    fn start_next(&mut self, member: usize) {
        self.replays[member].run += 1;
        self.start(member);
    }

    /// Moves on to the next moment; `None` if nothing more is recorded.
    fn advance(&mut self) -> Option<Trigger> {
        self.moments = self.moments.saturating_add(1);
        match E::JUDGED_TOGETHER {
            JudgedTogether::Unit => self.end_all(),
            JudgedTogether::Second | JudgedTogether::Each => self.end_next(),
        }
    }

    /// Ends all live runs.
    fn end_all(&mut self) -> Option<Trigger> {
        let mut trigger = None;
        for (member, replay) in self.members.iter().zip(&mut self.replays) {
            if replay.phase == Phase::Live {
                replay.phase = Phase::Pending;
                self.now = self.now.max(member.runs[replay.run].time());
                trigger = Some(Trigger::Ends);
            }
        }
        trigger
    }

    /// The time that the engine requested, if it comes before a run ends.
    fn take_wake(&mut self, end: Option<Time>) -> Option<Trigger> {
        let wake = self.wake.filter(|wake| end.is_some_and(|end| *wake <= end))?;
        (self.now, self.wake) = (self.now.max(Some(wake)), None);
        Some(Trigger::Timer)
    }

    /// Ends the run that ends next, and those of the same second if they are judged together; one without a
    /// time ends at once.
    fn end_next(&mut self) -> Option<Trigger> {
        let (first, run, at) = loop {
            let Reverse((end, member, run)) = *self.ends.peek()?;
            if self.is_live(member, run) || self.runs(member)[run].own.is_unit_event() {
                break (member, run, end);
            }
            self.ends.pop();
        };
        if let Some(trigger) = self.take_wake(at) {
            return Some(trigger);
        }
        let is_together = E::JUDGED_TOGETHER == JudgedTogether::Second;
        let Some(at) = at.filter(|_| is_together) else {
            self.ends.pop();
            self.replays[first].judge(run);
            self.now = self.now.max(at);
            return Some(Trigger::Ends);
        };
        while let Some(Reverse((end, member, run))) = self.ends.peek().copied()
            && end.is_some_and(|end| end.epoch_seconds() == at.epoch_seconds())
        {
            self.ends.pop();
            if self.is_live(member, run) {
                self.replays[member].phase = Phase::Pending;
                self.now = self.now.max(end);
            }
        }
        Some(Trigger::Ends)
    }

    fn is_live(&self, member: usize, run: usize) -> bool {
        let replay = &self.replays[member];
        replay.phase == Phase::Live && replay.run == run
    }

    /// Brings the engine what is pending.
    fn ask(&mut self, trigger: Trigger, draw: u64, answer: &mut Evaluation<E::Decision>) {
        let fact = |number: usize, replay: &MemberReplay| {
            let run = &self.members[number].runs[replay.run];
            let kind = match replay.phase {
                Phase::Live if E::JUDGED_TOGETHER == JudgedTogether::Unit => FactKind::Live,
                Phase::Pending if run.own.is_ongoing() => FactKind::Restarted(run),
                Phase::Pending => FactKind::Ended(run),
                _ => return None,
            };
            Some(Fact { member: number, kind })
        };
        let now = self.now;
        let all = self.replays.iter().enumerate();
        let mut facts: Vec<_> = all.filter_map(|(number, replay)| fact(number, replay)).collect();
        if trigger == Trigger::Timer {
            facts.push(Fact { member: 0, kind: FactKind::Timer });
        }
        let is_live = |member: usize| {
            let replay: &MemberReplay = &self.replays[member];
            let run = &self.members[member].runs[replay.run];
            replay.phase == Phase::Live && !run.starts_at(now)
        };
        let moment = Moment { now, facts: &facts, draw, live: Live::new(&is_live) };
        let ReplayContext { engine, memory, .. } = &mut *self.context;
        engine.evaluate(&mut self.state, memory, &moment, answer);
    }

    /// Counts what was decided, and moves the members on.
    fn apply(&mut self, answer: &Evaluation<E::Decision>, summaries: &mut MemberSummaries<'_>) {
        for verdict in &answer.verdicts {
            let (member, summary) = (verdict.member, summaries.of(verdict.member));
            self.count(verdict, answer.end.is_some(), summary);
            match verdict.effect {
                Effect::Keep => self.keep(member),
                Effect::End(end) => {
                    self.stop(member);
                    let decision = verdict.decision.as_ref();
                    let reason = decision.map(|it| self.context.engine.end_reason(&self.state, it));
                    let plain = || plain_end(end, self.run(member), self.members.len());
                    let reason = reason.unwrap_or_else(plain);
                    self.replays[member].end(end.into(), reason);
                }
                Effect::Rerun { not_before, .. } => self.rerun(verdict, not_before, summary),
            }
        }
    }

    /// Counts a verdict's decision, and the result of its run if that was a retry.
    fn count(&mut self, verdict: &Verdict<E::Decision>, is_last: bool, summary: &mut Summary) {
        let (engine, number) = (self.context.engine, verdict.member);
        let (member, run) = (self.members[number], self.run(number));
        // A run that starts only now is granted anew; the run of the earlier grant is not recorded.
        let is_granted_anew =
            matches!(verdict.effect, Effect::Rerun { .. }) && self.is_to_come(number);
        let replay = &mut self.replays[number];
        let demand = engine.demand(&member.unit_fields);
        let mut facts = self.context.facts(replay.queue, demand, run);
        if let Some(granted) = replay.granted.take().filter(|_| !is_granted_anew) {
            summary.followed(&granted, &facts);
        }
        replay.last = None;
        let Some(decision) = &verdict.decision else { return };
        let counts = engine.counts(run, decision);
        if counts.by_default {
            facts.group = Some(self.context.names.group(&engine.labels(run)));
        }
        summary.decided(&facts, &counts, Waited::by(verdict.effect));
        let is_substitute = counts.retry && engine.uses_substitute_id(run, decision);
        summary.substituted += u64::from(is_substitute);
        replay.outcome.retries += u64::from(counts.retry);
        replay.last = Some(counts);
        if E::REPORTED_PER == ReportedPer::Unit {
            // Reasons are only computed for timelines.
            let reason =
                (is_last && self.has_timeline).then(|| engine.end_reason(&self.state, decision));
            self.last = Some((counts, reason.unwrap_or_default()));
        }
        if self.has_timeline {
            let row = engine.report(&self.state, number, member, run, decision);
            self.decisions.push((number, row));
        }
    }

    /// Lets a member run again, if that run is recorded.
    fn rerun(
        &mut self,
        verdict: &Verdict<E::Decision>,
        not_before: Option<Time>,
        summary: &mut Summary,
    ) {
        let number = verdict.member;
        self.resume(number);
        // Members that run again with another do so by that one's decision.
        let of_unit = self.last.as_ref().map(|(counts, _)| *counts);
        let last = self.replays[number].last.or(of_unit);
        let rule = last.and_then(|counts| LastDecision::of(&counts).rule());
        let stays = self.is_to_come(number);
        if !stays {
            self.stop(number);
        }
        let next = self.replays[number].run + usize::from(!stays);
        let Some(next) = self.runs(number).get(next) else {
            if E::REPORTED_PER == ReportedPer::Member {
                summary.unresolved(rule);
            }
            let replay = &mut self.replays[number];
            replay.outcome.missing = Some(MissingRun { rule });
            replay.end(Outcome::Unresolved, UNRESOLVED.to_owned());
            replay.phase = Phase::Missing;
            return;
        };
        let decision = verdict.decision.as_ref();
        let engine = self.context.engine;
        let avoided = decision.map_or(&[][..], |it| engine.avoided(&self.state, number, it));
        let contradiction = contradiction(next, not_before, avoided);
        let contradiction =
            contradiction.map(|what| Contradiction { run_index: next.run_index, what });
        let replay = &mut self.replays[number];
        // A run that is granted anew follows the last grant alone.
        replay.outcome.contradictions.pop_if(|last| last.run_index == next.run_index);
        replay.outcome.contradictions.extend(contradiction);
        replay.granted = Some(Granted::new(rule, not_before));
        if !stays {
            self.start_next(number);
        }
    }

    /// The outcome of each member.
    fn member_outcomes(
        self,
        places: &[u64],
        summaries: &mut MemberSummaries<'_>,
    ) -> Vec<MemberOutcome> {
        let mut outcomes = Vec::with_capacity(self.replays.len());
        let engine = self.context.engine;
        for (number, (member, mut replay)) in self.members.iter().zip(self.replays).enumerate() {
            let summary = summaries.of(number);
            count_unreached(engine, member, &mut replay, summary);
            let (outcome, last) = (replay.outcome, replay.last.as_ref().map(LastDecision::of));
            summary.ended(replay.queue, outcome.outcome, outcome.retries > 0, last);
            for contradiction in &outcome.contradictions {
                summary.contradicted(places[number], &member.unit, contradiction);
            }
            outcomes.push(outcome);
        }
        for (number, decision) in self.decisions {
            outcomes[number].decisions.push(decision);
        }
        outcomes
    }

    /// The outcome of the unit as a whole.
    fn unit_outcome(
        self,
        places: &[u64],
        end: Option<End>,
        summary: &mut Summary,
    ) -> MemberOutcome {
        let engine = self.context.engine;
        let mut replays = self.replays.iter();
        let missing = replays.find(|replay| replay.phase == Phase::Missing);
        let missing = missing.and_then(|replay| replay.outcome.missing).filter(|_| end.is_none());
        let (last, last_reason) = self.last.unzip();
        if let Some(MissingRun { rule }) = missing {
            summary.unresolved(rule);
        }
        let mut unit = MemberOutcome {
            outcome: end.map_or(Outcome::Unresolved, Into::into),
            system_outcome: engine.unit_outcome(&self.state, end),
            reason: unit_reason(engine, &self.state, end, missing, last_reason),
            missing,
            ..MemberOutcome::new()
        };
        let mut queue = 0;
        for (member, mut replay) in self.members.iter().zip(self.replays) {
            count_unreached(engine, member, &mut replay, summary);
            unit.retries += replay.outcome.retries;
            unit.not_reached += replay.outcome.not_reached;
            unit.cut_off += replay.outcome.cut_off;
            unit.contradictions.append(&mut replay.outcome.contradictions);
            queue = replay.queue;
        }
        let last = last.as_ref().map(LastDecision::of);
        summary.ended(queue, unit.outcome, unit.retries > 0, last);
        for contradiction in &unit.contradictions {
            summary.contradicted(places[0], &self.members[0].unit, contradiction);
        }
        unit.decisions = self.decisions.into_iter().map(|(_, decision)| decision).collect();
        unit
    }
}

/// Counts the recorded runs of a member that were not reached, and those that were cut off.
fn count_unreached<E: Engine>(
    engine: &E,
    member: &Member<E::Fields>,
    replay: &mut MemberReplay,
    summary: &mut Summary,
) {
    let demand = engine.demand(&member.unit_fields);
    let not_reached = replay.not_reached.iter().map(|run| &member.runs[*run]);
    for run in not_reached.chain(&member.runs[replay.run + 1..]) {
        replay.outcome.not_reached += 1;
        summary.passed_over(run.length(), demand);
    }
    summary.cut_off += replay.outcome.cut_off;
}
