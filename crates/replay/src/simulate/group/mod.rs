//! The replay of a unit of several members: gangs, sets, Jobs of several pods.
//!
//! All recorded runs of the unit are in memory, since a verdict about one member moves the others. The ends of
//! live runs are passed to the engine in order of time, one moment after another.

mod members;
mod outcomes;
mod pods;

pub(crate) use outcomes::MemberSummaries;
pub(crate) use pods::PodMembers;

use super::changes::{Decided, MemberLog};
use super::context::{ReplayContext, RunNode, UnitId};
use super::counter::DecidedRun;
use super::engine::Engine;
use super::evaluation::{Effect, End, Evaluation, JudgedTogether, ReportedPer, Verdict};
use super::figures::DecisionFacts;
use super::moment::{Fact, FactKind, Live, Moment};
use super::outcome::{
    MemberOutcome, MissingRun, Outcome, UNRESOLVED, end_reason_without_decision, find_contradiction,
};
use super::report::DecisionReport;
use super::summary::{GrantedRetry, LastDecision, LastFailure, Minute, RetryCount, Summary};
use super::unit::is_end_of_run;
use crate::history::{Member, RecordFields};
use document::units::Time;
use members::{GroupMembers, MemberReplay, Phase, Trigger};
use outcomes::FinishedGroup;

/// A unit of several members while it is replayed.
struct GroupReplay<'g, 'e, 'm, E: Engine> {
    context: &'g mut ReplayContext<'e, E>,
    /// Whether decisions are written out.
    has_timeline: bool,
    members: GroupMembers<'m, E>,
    state: E::State,
    /// Evaluations so far: the position of the next random number.
    moments: u32,
    /// The last decision, and its reason.
    last: Option<(DecisionFacts, String)>,
    /// The last decided run.
    failure: LastFailure,
    /// The retries of all members.
    retries: RetryCount,
    /// The decisions, each with the number of its member; empty unless timelines are written.
    decisions: Vec<(usize, DecisionReport)>,
    /// The decisions, each with its member and the position of its run; none unless engines are compared.
    decided: Option<Vec<(usize, usize, Decided)>>,
}

/// Replays a unit. Returns an outcome for each member, or one for all, as the engine reports them, and what is compared of
/// each member if engines are.
pub(crate) fn replay_group<E: Engine>(
    context: &mut ReplayContext<'_, E>,
    members: &[&Member<E::Fields>],
    has_timeline: bool,
    summaries: &mut MemberSummaries<'_>,
) -> (Vec<MemberOutcome>, Vec<MemberLog>) {
    let engine = context.engine;
    let state = engine.begin(members);
    let all = members.iter().map(|member| {
        let first = member.runs.first();
        let is_pod = first.is_some_and(|run| engine.is_separate_run(member, run));
        (context.names.queue(&member.queue), is_pod)
    });
    let members = GroupMembers::new(members, all, engine.wake(&state));
    let (last, retries, decisions) = (None, RetryCount::default(), Vec::new());
    let decided = context.decided.as_ref().map(|_| Vec::new());
    let mut group = GroupReplay {
        context,
        has_timeline,
        members,
        state,
        moments: 0,
        last,
        failure: LastFailure::default(),
        retries,
        decisions,
        decided,
    };
    group.count_index_mismatches(summaries);
    let end = group.replay(summaries);
    let GroupReplay { mut members, state, last, failure, retries, decisions, decided, .. } = group;
    // What is still live did not end within the unit: its run is cut off or not reached.
    for member in 0..members.replays.len() {
        members.stop(member);
    }
    let GroupMembers { members, replays, .. } = members;
    let finished =
        FinishedGroup { engine, state, members, replays, last, failure, retries, decisions };
    let mut logs = decided.map(|decided| finished.logs(decided)).unwrap_or_default();
    let outcomes = match E::REPORTED_PER {
        ReportedPer::Member => finished.member_outcomes(summaries),
        ReportedPer::Unit => vec![finished.unit_outcome(end, summaries.of(0))],
    };
    for (log, outcome) in logs.iter_mut().zip(&outcomes) {
        log.outcome = Some(outcome.outcome);
    }
    (outcomes, logs)
}

impl<E: Engine> GroupReplay<'_, '_, '_, E> {
    /// Replays the recorded runs; returns how the unit ended, if it did.
    fn replay(&mut self, summaries: &mut MemberSummaries<'_>) -> Option<End> {
        let first = self.members.members.first();
        let draws = first.and_then(|first| self.context.draws(UnitId::from(&*first.unit)));
        let mut end = None;
        while end.is_none()
            && let Some(trigger) = self.advance()
        {
            loop {
                // Taken out and put back, so that its memory is used again.
                let mut answer = std::mem::take(&mut self.context.answer);
                let draw = draws.map_or(0, |draws| draws.at(self.moments));
                self.evaluate(trigger, draw, &mut answer);
                self.apply(&answer, summaries);
                (end, self.members.wake) = (answer.end, answer.next);
                let again = answer.again;
                self.context.answer = answer;
                if end.is_some() || !again {
                    break;
                }
            }
            // Only after the whole moment: a verdict about one member may still move another one with an ongoing run.
            self.members.resume_all();
        }
        end
    }

    /// Counts the records whose index does not fit the unit.
    fn count_index_mismatches(&self, summaries: &mut MemberSummaries<'_>) {
        for (number, member) in self.members.members.iter().enumerate() {
            for run in &member.runs {
                let mismatch = self.context.engine.index_mismatch(&self.state, run);
                summaries.of(number).count_index(mismatch);
            }
        }
    }

    /// Moves on to the next moment; `None` if nothing more is recorded.
    fn advance(&mut self) -> Option<Trigger> {
        self.moments = self.moments.saturating_add(1);
        self.members.advance()
    }

    /// Lets the engine judge the facts that are pending.
    fn evaluate(&mut self, trigger: Trigger, draw: u64, answer: &mut Evaluation<E::Decision>) {
        let pending = self.members.take_pending();
        let members = &self.members;
        // Under `Unit` all members are passed; those whose runs are judged already have no fact.
        let fact = |number: usize| {
            let replay: &MemberReplay = members.replays.get(number)?;
            let run = &members.members[number].runs[replay.run];
            let kind = match replay.phase {
                Phase::Live if E::JUDGED_TOGETHER == JudgedTogether::Unit => FactKind::Live,
                Phase::Pending if run.own.is_ongoing() => FactKind::Restarted(run),
                Phase::Pending => FactKind::Ended(run),
                _ => return None,
            };
            Some(Fact { member: number, kind })
        };
        let now = members.now;
        let mut facts: Vec<_> = match E::JUDGED_TOGETHER {
            JudgedTogether::Unit => (0..members.replays.len()).filter_map(fact).collect(),
            JudgedTogether::Second | JudgedTogether::Each => {
                pending.into_iter().filter_map(fact).collect()
            }
        };
        if trigger == Trigger::Timer {
            // A timer is of the unit; a fact needs a member, and every unit has a first one.
            facts.push(Fact { member: 0, kind: FactKind::Timer });
        }
        // A run that starts at this time is not yet there to be stopped.
        let is_live = |member: usize| {
            members.replays[member].phase == Phase::Live && !members.run(member).starts_at(now)
        };
        let moment = Moment { now, facts: &facts, draw, live: Live::new(&is_live), matched: None };
        let ReplayContext { engine, memory, notes, .. } = &mut *self.context;
        if let Some(notes) = notes {
            notes.keep(&self.state);
        }
        engine.evaluate(&mut self.state, memory, &moment, answer);
    }

    /// Applies the verdicts: counts the decisions, and moves the members on.
    fn apply(&mut self, answer: &Evaluation<E::Decision>, summaries: &mut MemberSummaries<'_>) {
        for verdict in &answer.verdicts {
            let (member, summary) = (verdict.member, summaries.of(verdict.member));
            // It only moves the start of a run that was granted and counted before.
            if verdict.effect == Effect::Release {
                self.members.release(member);
                continue;
            }
            self.count(verdict, answer.end.is_some(), summary);
            match verdict.effect {
                Effect::Release => {}
                Effect::Keep => self.members.keep(member),
                Effect::End(end) => {
                    self.members.stop(member);
                    let decision = verdict.decision.as_ref();
                    let reason = decision.map(|it| self.context.engine.end_reason(&self.state, it));
                    let plain = || {
                        end_reason_without_decision(
                            end,
                            self.members.run(member),
                            self.members.replays.len(),
                        )
                    };
                    let reason = reason.unwrap_or_else(plain);
                    // Before `end`, which sets the phase by which an ongoing run is recognised.
                    self.members.cut_off_ongoing(member);
                    self.members.replays[member].end(end.into(), reason);
                }
                Effect::Rerun { not_before, .. } => self.rerun(verdict, not_before, summary),
                Effect::Replace { not_before, by, .. } => {
                    // A run that is replaced while it is live does not come to its recorded end.
                    self.members.stop(member);
                    let to = by.map(|by| (by, self.members.replays[by].run));
                    self.grant(verdict, to, not_before, summary);
                }
            }
        }
    }

    /// Counts a verdict's decision, and the result of its run if that was a retry.
    fn count(&mut self, verdict: &Verdict<E::Decision>, is_last: bool, summary: &mut Summary) {
        let (engine, number) = (self.context.engine, verdict.member);
        let (member, run) = (self.members.members[number], self.members.run(number));
        let replay = &mut self.members.replays[number];
        let run_facts = self.context.run_facts(replay.queue, &member.unit_fields, run);
        if verdict.decision.is_none() {
            summary.runs.survived_memory += u64::from(run_facts.end.survived_memory);
        }
        // A live run is cut off or granted anew, or goes on: its end on record does not come now.
        let has_ended = replay.phase != Phase::Live;
        if let Some(retry) = replay.retry.take_if(|_| has_ended) {
            let node = self.context.node(RunNode::OfRun, run);
            summary.count_retry_run(&retry, &run_facts, node);
        }
        replay.last = None;
        let Some(decision) = &verdict.decision else { return };
        let (state, effect) = (&self.state, verdict.effect);
        let decided = DecidedRun { state, member: number, run, decision, effect };
        let facts = self.context.count_decision(&decided, &run_facts, &mut replay.retries, summary);
        if let Some(group) = run_facts.group.get() {
            let mut later = member.runs[replay.run + 1..].iter();
            if let Some(next) = later.find(|run| is_end_of_run(run)) {
                summary.count_run_after_uncaught(group, engine.ending(next));
            }
        }
        if let Some(decided) = &mut self.decided {
            decided.push((number, replay.run, Decided::of(&facts, effect)));
        }
        if facts.retry {
            replay.outcome.retries += 1;
            self.retries.add(LastDecision::of(&facts).rule());
        }
        replay.last = Some(facts);
        replay.failure = LastFailure::new(&run_facts);
        self.failure = replay.failure;
        if E::REPORTED_PER == ReportedPer::Unit {
            // Reasons are only computed for timelines.
            let reason =
                (is_last && self.has_timeline).then(|| engine.end_reason(&self.state, decision));
            self.last = Some((facts, reason.unwrap_or_default()));
        }
        if self.has_timeline {
            let row = engine.report(&self.state, number, member, run, decision);
            if let Some(notes) = &mut self.context.notes {
                notes.add((number, run.run_index), facts, &row);
            }
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
        self.members.resume(number);
        let is_upcoming = self.members.is_upcoming(number);
        if !is_upcoming {
            self.members.stop(number);
        }
        let next = self.members.replays[number].run + usize::from(!is_upcoming);
        let to = Some((number, next)).filter(|_| next < self.members.runs(number).len());
        if self.grant(verdict, to, not_before, summary) && !is_upcoming {
            self.members.start_next(number);
        }
    }

    /// Ends a member whose granted run is not recorded.
    fn leave_unresolved(&mut self, member: usize, missing: MissingRun, summary: &mut Summary) {
        if E::REPORTED_PER == ReportedPer::Member {
            summary.count_missing_run(missing);
        }
        let replay = &mut self.members.replays[member];
        replay.outcome.missing = Some(missing);
        replay.end(Outcome::Unresolved, UNRESOLVED.to_owned());
        replay.phase = Phase::Missing;
    }

    /// Grants a run, given by its member and its position there: none is recorded if absent. Returns whether one is.
    fn grant(
        &mut self,
        verdict: &Verdict<E::Decision>,
        to: Option<(usize, usize)>,
        not_before: Option<Time>,
        summary: &mut Summary,
    ) -> bool {
        let number = verdict.member;
        // A member without a decision runs again because of the last decision about the unit.
        let of_unit = self.last.as_ref().map(|(facts, _)| *facts);
        let replay = &self.members.replays[number];
        let is_retry = replay.last.is_some_and(|facts| facts.retry);
        let retry = if is_retry { replay.retries.granted() } else { 0 };
        let node = self.context.node(RunNode::OfRun, self.members.run(number));
        let last = replay.last.or(of_unit);
        let after = if replay.last.is_some() { replay.failure } else { self.failure };
        let rule = last.and_then(|facts| LastDecision::of(&facts).rule());
        // A wait whose end is not known lasts for its failure's minute; one whose begin is not known is not counted.
        let failed = self.members.end_of_run(number).map(Minute::of);
        let wait_end = failed.map(|failed| not_before.map_or(failed, Minute::of));
        // A run that has not started, or is not recorded, is not granted a second time. A retry was counted with its
        // decision.
        let replay = &self.members.replays[number];
        let is_upcoming = to == Some((number, replay.run));
        if !is_retry && !is_upcoming && replay.outcome.missing.is_none() {
            self.members.replays[number].outcome.reruns += 1;
            if let Some((failed, wait_end)) = failed.zip(wait_end) {
                summary.storm.add(failed, wait_end);
            }
        }
        let Some((to, next)) = to else {
            self.leave_unresolved(number, MissingRun { rule, number: retry }, summary);
            return false;
        };
        if to != number {
            let retries = self.members.replays[number].retries;
            self.members.replays[number].phase = Phase::Over;
            // The retries of pods that replace one another are counted as those of one member.
            self.members.replays[to].retries = retries;
        }
        let next = &self.members.runs(to)[next];
        let decision = verdict.decision.as_ref();
        let engine = self.context.engine;
        let avoided = decision.and_then(|it| engine.avoided(&self.state, number, it));
        let contradiction = find_contradiction(next, not_before, avoided);
        let replay = &mut self.members.replays[to];
        // A run that is granted anew follows the last grant alone.
        replay.outcome.contradictions.pop_if(|last| last.run_index == next.run_index);
        replay.outcome.contradictions.extend(contradiction);
        if !is_upcoming {
            replay.retry = Some(GrantedRetry { rule, number: retry, node, wait_end, after });
        }
        true
    }
}
