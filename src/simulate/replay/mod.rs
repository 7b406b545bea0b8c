//! The replay of one unit: its recorded ends are brought to the engine, one moment after another.

mod course;
mod cursor;
mod finish;
mod lone;
mod outcome;

pub(in crate::simulate) use lone::Lone;

pub(super) use outcome::contradiction;
pub use outcome::{Contradiction, MemberOutcome, Missing, Outcome};

use super::described::{Described, Reported};
use super::draws::Draws;
use super::names::{Names, Nameset};
use super::summary::{Demand, Granted, RunFacts, Summary, Waited};
use crate::engine::{
    Effect, Evaluation, Fact, FactKind, Live, Moment, Recorded, Together, Verdict,
};
use course::{Course, Turn};
use cursor::{Cursor, Standing, begins_at};
use finish::{UNRESOLVED, plain_end};

/// Where the counts of each member go.
struct Counts<'s> {
    only: Option<usize>,
    reported: &'s mut Summary,
    unreported: &'s mut Summary,
}

impl Counts<'_> {
    fn of(&mut self, member: usize) -> &mut Summary {
        if self.only.is_none_or(|only| only == member) { self.reported } else { self.unreported }
    }
}

/// Replays units through an engine, with working memory of its own.
pub struct Replay<'e, E: Described> {
    engine: &'e E,
    memory: E::Memory,
    answer: Evaluation<E::Decision>,
    /// Whether decisions are written out.
    timelines: bool,
    /// What is left to chance hangs on it.
    seed: u64,
    names: Nameset<'e>,
    /// Takes the counts of members that are not reported on.
    unreported: Summary,
}

impl<'e, E: Described> Replay<'e, E> {
    /// A replay that writes decisions out if `timelines` says so.
    pub fn new(engine: &'e E, names: &'e Names, timelines: bool) -> Self {
        let unreported = Summary::new(engine.rules().len());
        let (memory, answer) = (E::Memory::default(), Evaluation::default());
        let names = Nameset::new(names);
        Self { engine, memory, answer, timelines, seed: 0, names, unreported }
    }

    /// The same with another seed of what is left to chance.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// What the members that were not reported on come to.
    pub(super) fn into_unreported(self) -> Summary {
        self.unreported
    }

    /// Replays the unit that `members` are, counting into `summary`: all of them, or `only` one.
    /// `places` says where each stands in the history. There is an outcome a member, or one for
    /// all, as the engine's reports have it.
    pub fn unit(
        &mut self,
        members: &[&E::Member],
        places: &[usize],
        only: Option<usize>,
        summary: &mut Summary,
    ) -> Vec<MemberOutcome> {
        if let ([member], [place]) = (members, places) {
            return vec![self.lone(member, *place, summary)];
        }
        let mut unreported = std::mem::take(&mut self.unreported);
        let mut counts = Counts { only, reported: summary, unreported: &mut unreported };
        let outcomes = self.counted(members, places, &mut counts);
        self.unreported = unreported;
        outcomes
    }

    /// Replays a unit of one member.
    fn lone(&mut self, member: &E::Member, place: usize, summary: &mut Summary) -> MemberOutcome {
        let mut lone = Lone::new(self, member);
        let timelines = self.timelines.then_some(member);
        for run in self.engine.runs(member) {
            lone.run(self, timelines, run, summary);
        }
        lone.end(self.engine, self.engine.id(member), place as u64, summary)
    }

    fn counted(
        &mut self,
        members: &[&E::Member],
        places: &[usize],
        summary: &mut Counts<'_>,
    ) -> Vec<MemberOutcome> {
        let mut state = self.engine.begin(members);
        let mut queue = |member: &&E::Member| self.names.queue(self.engine.queue(member));
        let cursors = members.iter().map(|member| Cursor::new(queue(member))).collect();
        let mut course = Course::new(self.engine, members, cursors);
        course.wake = self.engine.wake(&state);
        let draws = members.first().and_then(|first| self.draws(first));
        let mut fate = None;
        while fate.is_none()
            && let Some(turn) = course.turn(self.engine)
        {
            loop {
                let mut answer = std::mem::take(&mut self.answer);
                let draw = draws.map_or(0, |draws| draws.at(course.turns));
                self.judge(&course, (turn, draw), &mut state, &mut answer);
                self.apply(&mut course, &state, &answer, summary);
                (fate, course.wake) = (answer.fate, answer.next);
                let again = answer.again;
                self.answer = answer;
                if fate.is_some() || !again {
                    break;
                }
            }
            for member in 0..members.len() {
                course.go_on(self.engine, member);
            }
        }
        for member in 0..members.len() {
            course.stop(self.engine, member);
        }
        match E::REPORTED {
            Reported::Members => self.finish(course, places, summary),
            Reported::Units => {
                vec![self.finish_unit(course, places, (fate, &state), summary.of(0))]
            }
        }
    }

    /// The numbers drawn for a unit that this is a member of, if its engine looks at them.
    fn draws(&self, member: &E::Member) -> Option<Draws> {
        E::DRAWS.then(|| Draws::of(self.seed, self.engine.id(member)))
    }

    /// Brings the engine what is pending.
    fn judge(
        &mut self,
        course: &Course<'_, E>,
        (turn, draw): (Turn, u64),
        state: &mut E::State,
        answer: &mut Evaluation<E::Decision>,
    ) {
        let fact = |number: usize, cursor: &Cursor| {
            let run = &self.engine.runs(course.members[number])[cursor.run];
            let kind = match cursor.standing {
                Standing::Live if E::TOGETHER == Together::Unit => FactKind::Live,
                Standing::Pending if run.goes_on() => FactKind::Restarted(run),
                Standing::Pending => FactKind::Ended(run),
                _ => return None,
            };
            Some(Fact { member: number, at: run.time(), kind })
        };
        let now = course.now;
        let all = course.cursors.iter().enumerate();
        let mut facts: Vec<_> = all.filter_map(|(number, cursor)| fact(number, cursor)).collect();
        if turn == Turn::Timer {
            facts.push(Fact { member: 0, at: now, kind: FactKind::Timer });
        }
        let live = |member: usize| {
            let cursor = &course.cursors[member];
            let run = &self.engine.runs(course.members[member])[cursor.run];
            matches!(cursor.standing, Standing::Live) && !begins_at(run, now)
        };
        let moment = Moment { now, facts: &facts, draw, live: Live::new(&live) };
        self.engine.evaluate(state, &mut self.memory, &moment, answer);
    }

    /// Counts what was decided, and moves the members on.
    fn apply(
        &mut self,
        course: &mut Course<'_, E>,
        state: &E::State,
        answer: &Evaluation<E::Decision>,
        summary: &mut Counts<'_>,
    ) {
        for verdict in &answer.verdicts {
            let summary = summary.of(verdict.member);
            self.decided(course, state, verdict, answer.fate.is_some(), summary);
            match verdict.effect {
                Effect::Keep => course.keep(self.engine, verdict.member),
                Effect::Stop => {
                    course.stop(self.engine, verdict.member);
                    course.cursors[verdict.member].standing = Standing::Over;
                }
                Effect::End(end) => {
                    course.stop(self.engine, verdict.member);
                    let words = verdict.decision.as_ref();
                    let words = words.map(|d| self.engine.last_words(state, d));
                    let record = course.record(self.engine, verdict.member);
                    let members = course.members.len();
                    let words = words.unwrap_or_else(|| plain_end(end, record, members));
                    course.cursors[verdict.member].end(end.into(), words);
                }
                Effect::Rerun { .. } => self.rerun(course, state, verdict, summary),
            }
        }
    }

    /// Counts a verdict's decision, and what its run came to if that was a retry.
    fn decided(
        &mut self,
        course: &mut Course<'_, E>,
        state: &E::State,
        verdict: &Verdict<E::Decision>,
        last: bool,
        summary: &mut Summary,
    ) {
        let engine = self.engine;
        let number = verdict.member;
        let member = course.members[number];
        let record = course.record(engine, number);
        // A run that begins only now is granted anew: what was granted before is not on record.
        let anew =
            matches!(verdict.effect, Effect::Rerun { .. }) && course.is_yet_to_come(engine, number);
        let cursor = &mut course.cursors[number];
        let mut facts = self.facts((cursor.queue, engine.demand(member)), record);
        if let Some(granted) = cursor.granted.take().filter(|_| !anew) {
            summary.followed(&granted, &facts);
        }
        cursor.last = None;
        let Some(decision) = &verdict.decision else { return };
        let tally = engine.tally(record, decision);
        if tally.by_default {
            facts.group = Some(self.names.group(&engine.labels(record)));
        }
        summary.decided(&facts, &tally, Waited::by(verdict.effect));
        summary.guessed += u64::from(tally.retry && engine.guesses(record, decision));
        cursor.out.retries += u64::from(tally.retry);
        cursor.last = Some(tally);
        if E::REPORTED == Reported::Units {
            // Words are only for who reads them.
            let words = (last && self.timelines).then(|| engine.last_words(state, decision));
            course.last = Some((tally, words.unwrap_or_default()));
        }
        if self.timelines {
            let row = engine.report(state, number, member, record, decision);
            course.decisions.push((number, row));
        }
    }

    /// Lets a member run again, if that run is on record.
    fn rerun(
        &self,
        course: &mut Course<'_, E>,
        state: &E::State,
        verdict: &Verdict<E::Decision>,
        summary: &mut Summary,
    ) {
        let number = verdict.member;
        course.go_on(self.engine, number);
        let Waited { until: waited, .. } = Waited::by(verdict.effect);
        // Members that run again with another do so by that one's decision.
        let tally = course.cursors[number].last.or(course.last.as_ref().map(|(tally, _)| *tally));
        let rule = tally.and_then(|tally| tally.rule);
        let stays = course.is_yet_to_come(self.engine, number);
        if !stays {
            course.stop(self.engine, number);
        }
        let cursor = &course.cursors[number];
        let next = self.engine.runs(course.members[number]).get(cursor.run + usize::from(!stays));
        let Some(next) = next else {
            if E::REPORTED == Reported::Members {
                summary.unresolved(rule);
            }
            let cursor = &mut course.cursors[number];
            cursor.out.missing = Some(Missing { rule });
            cursor.end(super::Outcome::Unresolved, UNRESOLVED.to_owned());
            cursor.standing = Standing::Missing;
            return;
        };
        let avoided = verdict.decision.as_ref();
        let avoided = avoided.map_or(&[][..], |d| self.engine.avoided(state, number, d));
        let cursor = &mut course.cursors[number];
        // A run that is granted anew follows the last grant alone.
        cursor.out.contradictions.pop_if(|last| last.run_index == next.run_index());
        cursor.granted = Some(Granted { rule, waited });
        if let Effect::Rerun { not_before, .. } = verdict.effect {
            cursor.contradicted(next, not_before, avoided);
        }
        if !stays {
            course.next_run(self.engine, number);
        }
    }

    /// What a summary is told of a run of a queue, of a job that asked for so much.
    fn facts(&mut self, (queue, demand): (u32, Demand), record: &E::Record) -> RunFacts {
        RunFacts {
            queue,
            category: self.names.category(self.engine.labels(record).category),
            group: None,
            time: record.time(),
            length: record.length(),
            ending: self.engine.ending(record),
            demand,
        }
    }
}
