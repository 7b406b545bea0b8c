//! The outcome of a unit of several members: one for each member, or one for the unit.

use super::members::{MemberReplay, Phase};
use crate::history::{Member, RecordFields};
use crate::simulate::changes::{Decided, MemberLog, Reach};
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::End;
use crate::simulate::figures::DecisionFacts;
use crate::simulate::outcome::{MemberOutcome, Outcome, unit_reason};
use crate::simulate::report::DecisionReport;
use crate::simulate::summary::{Hours, LastDecision, LastFailure, RetryCount, Summary};

/// The summaries that count the members of a unit.
pub(crate) struct MemberSummaries<'s> {
    /// The only member that is reported, if one is.
    pub(crate) only: Option<usize>,
    pub(crate) reported: &'s mut Summary,
    /// Takes the counts of the other members.
    pub(crate) others: &'s mut Summary,
}

impl MemberSummaries<'_> {
    /// The summary that counts a member.
    pub(super) fn of(&mut self, member: usize) -> &mut Summary {
        if self.only.is_none_or(|only| only == member) { self.reported } else { self.others }
    }
}

/// A unit whose recorded runs are replayed to the end.
pub(super) struct FinishedGroup<'g, 'm, E: Engine> {
    pub(super) engine: &'g E,
    pub(super) state: E::State,
    pub(super) members: &'m [&'m Member<E::Fields>],
    pub(super) replays: Vec<MemberReplay>,
    /// The last decision, and its reason.
    pub(super) last: Option<(DecisionFacts, String)>,
    pub(super) failure: LastFailure,
    /// The retries of all members.
    pub(super) retries: RetryCount,
    /// The decisions, each with the number of its member; empty unless timelines are written.
    pub(super) decisions: Vec<(usize, DecisionReport)>,
}

impl<E: Engine> FinishedGroup<'_, '_, E> {
    /// Returns the compared parts of each member, without its outcome. Each decision comes with its member and the position of
    /// its run.
    pub(super) fn logs(&self, decided: Vec<(usize, usize, Decided)>) -> Vec<MemberLog> {
        let mut by_member = vec![(Vec::new(), 0); self.members.len()];
        for (place, (member, run, decided)) in decided.into_iter().enumerate() {
            let (of_member, last_place) = &mut by_member[member];
            of_member.push((run, decided));
            *last_place = place;
        }
        let members = self.members.iter().zip(&self.replays).zip(by_member);
        let each = members.map(|((member, replay), (decided, last_place))| {
            let mut reach = vec![Reach::Reached; member.runs.len()];
            replay.not_reached.iter().for_each(|run| reach[*run] = Reach::NotReached);
            replay.cut_off.iter().for_each(|run| reach[*run] = Reach::CutOff);
            reach[replay.run + 1..].fill(Reach::NotReached);
            let mut log = MemberLog::from_runs(reach, decided);
            (log.reruns, log.last_place) = (replay.outcome.reruns, last_place);
            log
        });
        each.collect()
    }

    /// The outcome of each member.
    pub(super) fn member_outcomes(self, summaries: &mut MemberSummaries<'_>) -> Vec<MemberOutcome> {
        let mut outcomes = Vec::with_capacity(self.replays.len());
        for (number, (member, mut replay)) in self.members.iter().zip(self.replays).enumerate() {
            let summary = summaries.of(number);
            count_runs_not_reached(member, &mut replay, summary);
            let (outcome, last) = (replay.outcome, replay.last.as_ref().map(LastDecision::of));
            let failure = replay.failure;
            summary.count_job(replay.queue, outcome.outcome, replay.retries, last, failure);
            for contradiction in &outcome.contradictions {
                summary.contradictions.add(&member.unit, contradiction);
            }
            outcomes.push(outcome);
        }
        for (number, decision) in self.decisions {
            outcomes[number].decisions.push(decision);
        }
        outcomes
    }

    /// The outcome of the unit as a whole.
    pub(super) fn unit_outcome(self, end: Option<End>, summary: &mut Summary) -> MemberOutcome {
        let engine = self.engine;
        let mut replays = self.replays.iter();
        let missing = replays.find(|replay| replay.phase == Phase::Missing);
        let missing = missing.and_then(|replay| replay.outcome.missing).filter(|_| end.is_none());
        let (last, last_reason) = self.last.unzip();
        if let Some(missing) = missing {
            summary.count_missing_run(missing);
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
            count_runs_not_reached(member, &mut replay, summary);
            unit.retries += replay.outcome.retries;
            unit.not_reached += replay.outcome.not_reached;
            unit.cut_off += replay.outcome.cut_off;
            unit.contradictions.append(&mut replay.outcome.contradictions);
            queue = replay.queue;
        }
        let last = last.as_ref().map(LastDecision::of);
        summary.count_job(queue, unit.outcome, self.retries, last, self.failure);
        for contradiction in &unit.contradictions {
            summary.contradictions.add(&self.members[0].unit, contradiction);
        }
        unit.decisions = self.decisions.into_iter().map(|(_, decision)| decision).collect();
        unit
    }
}

/// Counts the recorded runs of a member that were not reached, and those that were cut off.
fn count_runs_not_reached<F: RecordFields>(
    member: &Member<F>,
    replay: &mut MemberReplay,
    summary: &mut Summary,
) {
    let not_reached = replay.not_reached.iter().map(|run| &member.runs[*run]);
    for run in not_reached.chain(&member.runs[replay.run + 1..]) {
        replay.outcome.not_reached += 1;
        summary.not_reached.merge(Hours::for_run(&*member.unit_fields, run));
    }
    summary.runs.cut_off += replay.outcome.cut_off;
}
