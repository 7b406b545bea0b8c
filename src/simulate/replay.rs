//! The replay of one unit: its recorded ends are brought to the engine, one moment after another.

use super::described::{Described, Reported, Tally};
use super::names::{Names, Nameset};
use super::report::DecisionReport;
use super::summary::{Granted, RunFacts, Summary, Waited};
use crate::engine::{Effect, End, Evaluation, Fact, FactKind, Moment, Recorded, Together};
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What became of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It did its work.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was granted a run that is not on record.
    Unresolved,
    /// Somebody cancelled it.
    Cancelled,
}

impl Outcome {
    /// The name as reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unresolved => "Unresolved",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl From<End> for Outcome {
    fn from(end: End) -> Self {
        match end {
            End::Succeeded => Self::Succeeded,
            End::Failed => Self::Failed,
            End::Cancelled => Self::Cancelled,
        }
    }
}

/// A recorded run that the policies would not have let happen as it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The run.
    pub run_index: u32,
    /// What about it.
    pub what: String,
}

/// What became of a member, and how.
#[derive(Debug)]
pub struct MemberOutcome {
    /// What.
    pub outcome: Outcome,
    /// The system's own word for it.
    pub system_outcome: Option<String>,
    /// Why, as one sentence.
    pub reason: String,
    /// Retries granted.
    pub retries: u64,
    /// Recorded runs that were not reached.
    pub not_reached: u64,
    /// The rule that granted the retry that is not on record, where one did.
    pub unresolved_rule: Option<usize>,
    /// What cannot have happened.
    pub contradictions: Vec<Contradiction>,
    /// The decisions, if they were asked for.
    pub decisions: Vec<DecisionReport>,
}

impl MemberOutcome {
    /// Nothing known yet.
    fn new() -> Self {
        Self {
            outcome: Outcome::Unresolved,
            system_outcome: None,
            reason: String::new(),
            retries: 0,
            not_reached: 0,
            unresolved_rule: None,
            contradictions: Vec::new(),
            decisions: Vec::new(),
        }
    }
}

/// Where a member stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It has a recorded run that has not ended yet.
    Live,
    /// Its run has ended and is not judged yet.
    Pending,
    /// Its run has ended and is judged; another may follow.
    Kept,
    /// It was granted a run that is not on record.
    Missing,
    /// It is over.
    Over,
}

/// Why a unit is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Runs have ended.
    Ends,
    /// A time that the engine asked for has come.
    Timer,
}

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

/// A unit while it is replayed.
struct Course<'m, E: Described> {
    members: &'m [&'m E::Member],
    cursors: Vec<Cursor>,
    now: Option<Time>,
    /// When the engine wants to look again.
    wake: Option<Time>,
    /// Live members by when their runs end, where not all of them are waited for; some are live no
    /// more, or with a later run.
    ends: BinaryHeap<Reverse<(Option<Time>, usize, usize)>>,
    /// The last decision, and why it was made.
    last: Option<(Tally, String)>,
    decisions: Vec<(usize, DecisionReport)>,
}

struct Cursor {
    run: usize,
    standing: Standing,
    /// The number of its queue.
    queue: u32,
    /// The retry that its recorded run is, unless it is the first.
    granted: Option<Granted>,
    /// The last decision about it.
    last: Option<Tally>,
    out: MemberOutcome,
}

/// Replays units through an engine, with working memory of its own.
pub struct Replay<'e, E: Described> {
    engine: &'e E,
    memory: E::Memory,
    answer: Evaluation<E::Decision>,
    /// Whether decisions are written out.
    timelines: bool,
    names: Nameset<'e>,
    /// Takes the counts of members that are not reported on.
    unreported: Summary,
}

impl<'e, E: Described> Replay<'e, E> {
    /// A replay that writes decisions out if `timelines` says so.
    pub fn new(engine: &'e E, names: &'e Names, timelines: bool) -> Self {
        let unreported = Summary::new(engine.rules().len());
        let (memory, answer) = (E::Memory::default(), Evaluation::default());
        Self { engine, memory, answer, timelines, names: Nameset::new(names), unreported }
    }

    /// What the members that were not reported on come to.
    pub(super) fn into_unreported(self) -> Summary {
        self.unreported
    }

    /// Replays the unit that `members` are, counting into `summary`: all of them, or `only` one.
    /// `places` says where each stands in the history.
    pub fn unit(
        &mut self,
        members: &[&E::Member],
        places: &[usize],
        only: Option<usize>,
        summary: &mut Summary,
    ) -> Vec<MemberOutcome> {
        let mut unreported = std::mem::take(&mut self.unreported);
        let mut counts = Counts { only, reported: summary, unreported: &mut unreported };
        let outcomes = self.counted(members, places, &mut counts);
        self.unreported = unreported;
        outcomes
    }

    fn counted(
        &mut self,
        members: &[&E::Member],
        places: &[usize],
        summary: &mut Counts<'_>,
    ) -> Vec<MemberOutcome> {
        let mut state = self.engine.begin(members);
        let names = self.names.names();
        let queue = |member: &&E::Member| names.queue(self.engine.queue(member));
        let cursors = members.iter().map(|member| Cursor::new(queue(member))).collect();
        let mut course = Course {
            members,
            cursors,
            now: None,
            wake: None,
            ends: BinaryHeap::new(),
            last: None,
            decisions: Vec::new(),
        };
        if E::TOGETHER == Together::Second {
            (0..members.len()).for_each(|member| course.live(self.engine, member));
        }
        let mut fate = None;
        while fate.is_none()
            && let Some(turn) = course.turn(self.engine)
        {
            loop {
                let mut answer = std::mem::take(&mut self.answer);
                self.judge(&course, turn, &mut state, &mut answer);
                self.apply(&mut course, &state, &answer, summary);
                (fate, course.wake) = (answer.fate, answer.next);
                let again = answer.again;
                self.answer = answer;
                if fate.is_some() || !again {
                    break;
                }
            }
        }
        match E::REPORTED {
            Reported::Members => self.finish(course, places, summary),
            Reported::Units => {
                let word = self.engine.fate(&state, fate);
                vec![self.finish_unit(course, places, (fate, word), summary)]
            }
        }
    }

    fn judge(
        &mut self,
        course: &Course<'_, E>,
        turn: Turn,
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
        if let ([cursor], Turn::Ends) = (course.cursors.as_slice(), turn) {
            // One member needs no list.
            let one = fact(0, cursor);
            let moment = Moment { now, facts: one.as_slice(), draw: 0 };
            self.engine.evaluate(state, &mut self.memory, &moment, answer);
            return;
        }
        let all = course.cursors.iter().enumerate();
        let mut facts: Vec<_> = all.filter_map(|(number, cursor)| fact(number, cursor)).collect();
        if turn == Turn::Timer {
            facts.push(Fact { member: 0, at: now, kind: FactKind::Timer });
        }
        let moment = Moment { now, facts: &facts, draw: 0 };
        self.engine.evaluate(state, &mut self.memory, &moment, answer);
    }

    fn apply(
        &mut self,
        course: &mut Course<'_, E>,
        state: &E::State,
        answer: &Evaluation<E::Decision>,
        summary: &mut Counts<'_>,
    ) {
        let engine = self.engine;
        for verdict in &answer.verdicts {
            let number = verdict.member;
            let member = course.members[number];
            let summary = summary.of(number);
            let runs = engine.runs(member);
            let cursor = &mut course.cursors[number];
            let record = &runs[cursor.run];
            let mut facts = self.facts(cursor.queue, member, record);
            if let Some(granted) = cursor.granted.take() {
                summary.followed(&granted, &facts);
            }
            cursor.last = None;
            if let Some(decision) = &verdict.decision {
                let tally = engine.tally(record, decision);
                if tally.by_default {
                    facts.group = Some(self.names.group(&engine.labels(record)));
                }
                summary.decided(&facts, &tally, Waited::by(verdict.effect));
                cursor.out.retries += u64::from(tally.retry);
                cursor.last = Some(tally);
                if E::REPORTED == Reported::Units {
                    let reason = if answer.fate.is_some() || self.timelines {
                        engine.last_words(decision)
                    } else {
                        String::new()
                    };
                    course.last = Some((tally, reason));
                }
                if self.timelines {
                    let row = engine.report(state, number, member, record, decision);
                    course.decisions.push((number, row));
                }
            }
            match verdict.effect {
                Effect::Keep if cursor.standing == Standing::Pending && record.goes_on() => {
                    if cursor.run + 1 < runs.len() {
                        course.next_run(engine, number);
                    } else {
                        cursor.standing = Standing::Kept;
                    }
                }
                Effect::Keep => cursor.standing = Standing::Kept,
                Effect::Stop => cursor.standing = Standing::Over,
                Effect::End(end) => {
                    let reason =
                        verdict.decision.as_ref().map(|decision| engine.last_words(decision));
                    let members = course.members.len();
                    cursor
                        .end(end.into(), reason.unwrap_or_else(|| plain_end(end, record, members)));
                }
                Effect::Rerun { not_before, .. } => {
                    let rule = cursor.last.or(course.last.as_ref().map(|(tally, _)| *tally));
                    let rule = rule.and_then(|tally| tally.rule);
                    // What begins no earlier than this is the run that is granted now.
                    let begun = cursor.standing == Standing::Live
                        && record.started_at().zip(course.now).is_some_and(|(at, now)| at >= now);
                    let next = if begun { Some(record) } else { runs.get(cursor.run + 1) };
                    let Some(next) = next else {
                        cursor.out.unresolved_rule = rule;
                        if E::REPORTED == Reported::Members {
                            summary.unresolved(rule);
                        }
                        cursor.end(Outcome::Unresolved, UNRESOLVED.to_owned());
                        cursor.standing = Standing::Missing;
                        continue;
                    };
                    let waited = Waited::by(verdict.effect).until;
                    cursor.granted = Some(Granted { rule, waited });
                    let avoided = verdict.decision.as_ref();
                    let avoided = avoided.map_or(&[][..], |d| engine.avoided(state, number, d));
                    cursor.contradicted(next, not_before, avoided);
                    if !begun {
                        course.next_run(engine, number);
                    }
                }
            }
        }
    }

    fn facts(&mut self, queue: u32, member: &E::Member, record: &E::Record) -> RunFacts {
        RunFacts {
            queue,
            category: self.names.category(self.engine.labels(record).category),
            group: None,
            time: record.time(),
            length: record.length(),
            ending: self.engine.ending(record),
            demand: self.engine.demand(member),
        }
    }

    fn finish(
        &mut self,
        course: Course<'_, E>,
        places: &[usize],
        summary: &mut Counts<'_>,
    ) -> Vec<MemberOutcome> {
        let mut outcomes = Vec::with_capacity(course.cursors.len());
        for (number, (member, mut cursor)) in course.members.iter().zip(course.cursors).enumerate()
        {
            let summary = summary.of(number);
            self.unreached(member, &mut cursor, summary);
            let out = cursor.out;
            summary.ended(cursor.queue, out.outcome, out.retries > 0, cursor.last.as_ref());
            for contradiction in &out.contradictions {
                let id = self.engine.id(member);
                summary.contradicted(places[number] as u64, id, contradiction);
            }
            outcomes.push(out);
        }
        for (number, decision) in course.decisions {
            outcomes[number].decisions.push(decision);
        }
        outcomes
    }

    /// Counts the recorded runs of a member that were not reached.
    fn unreached(&mut self, member: &E::Member, cursor: &mut Cursor, summary: &mut Summary) {
        let unreached = &self.engine.runs(member)[cursor.run + 1..];
        cursor.out.not_reached = unreached.len() as u64;
        for record in unreached {
            summary.passed_over(&self.facts(cursor.queue, member, record));
        }
    }

    /// What a unit came to as a whole.
    fn finish_unit(
        &mut self,
        course: Course<'_, E>,
        places: &[usize],
        (fate, system_outcome): (Option<End>, Option<String>),
        summary: &mut Counts<'_>,
    ) -> MemberOutcome {
        let summary = summary.of(0);
        let missing = course.cursors.iter().find(|cursor| cursor.standing == Standing::Missing);
        let unresolved_rule = missing.and_then(|cursor| cursor.out.unresolved_rule);
        if fate.is_none() && missing.is_some() {
            summary.unresolved(unresolved_rule);
        }
        let (tally, words) = course.last.unzip();
        let reason = match fate {
            Some(End::Failed) => words.unwrap_or_default(),
            Some(End::Succeeded) => "every member on record succeeded".to_owned(),
            Some(End::Cancelled) => "it was cancelled".to_owned(),
            None if missing.is_some() => UNRESOLVED.to_owned(),
            None => "its records end before it does".to_owned(),
        };
        let mut unit = MemberOutcome {
            outcome: fate.map_or(Outcome::Unresolved, Into::into),
            system_outcome,
            reason,
            unresolved_rule,
            ..MemberOutcome::new()
        };
        let mut queue = 0;
        for (member, mut cursor) in course.members.iter().zip(course.cursors) {
            self.unreached(member, &mut cursor, summary);
            unit.retries += cursor.out.retries;
            unit.not_reached += cursor.out.not_reached;
            unit.contradictions.append(&mut cursor.out.contradictions);
            queue = cursor.queue;
        }
        summary.ended(queue, unit.outcome, unit.retries > 0, tally.as_ref());
        for contradiction in &unit.contradictions {
            let id = self.engine.id(course.members[0]);
            summary.contradicted(places[0] as u64, id, contradiction);
        }
        unit.decisions = course.decisions.into_iter().map(|(_, decision)| decision).collect();
        unit
    }
}

impl<E: Described> Course<'_, E> {
    /// Puts a member whose run is on record among those that are live.
    fn live(&mut self, engine: &E, member: usize) {
        let run = self.cursors[member].run;
        self.cursors[member].standing = Standing::Live;
        if E::TOGETHER == Together::Second {
            let end = engine.runs(self.members[member])[run].time();
            self.ends.push(Reverse((end, member, run)));
        }
    }

    /// Lets a member's next run begin.
    fn next_run(&mut self, engine: &E, member: usize) {
        self.cursors[member].run += 1;
        self.live(engine, member);
    }

    /// Moves on to what happens next; `None` if nothing more is on record.
    fn turn(&mut self, engine: &E) -> Option<Turn> {
        match E::TOGETHER {
            Together::Unit => self.end_all(engine),
            Together::Second => self.end_second(),
        }
    }

    /// Lets all live runs end.
    fn end_all(&mut self, engine: &E) -> Option<Turn> {
        let mut turn = None;
        for (member, cursor) in self.members.iter().zip(&mut self.cursors) {
            if cursor.standing == Standing::Live {
                cursor.standing = Standing::Pending;
                self.now = self.now.max(engine.runs(member)[cursor.run].time());
                turn = Some(Turn::Ends);
            }
        }
        turn
    }

    /// Lets the runs end that end next, in the same second; one without a time ends at once.
    fn end_second(&mut self) -> Option<Turn> {
        let (first, at) = loop {
            let Reverse((end, member, run)) = *self.ends.peek()?;
            if self.is_live(member, run) {
                break (member, end);
            }
            self.ends.pop();
        };
        if let Some(wake) = self.wake.filter(|wake| at.is_some_and(|at| *wake <= at)) {
            (self.now, self.wake) = (self.now.max(Some(wake)), None);
            return Some(Turn::Timer);
        }
        let Some(at) = at else {
            self.ends.pop();
            self.cursors[first].standing = Standing::Pending;
            return Some(Turn::Ends);
        };
        while let Some(Reverse((end, member, run))) = self.ends.peek().copied()
            && end.is_some_and(|end| end.epoch_seconds() == at.epoch_seconds())
        {
            self.ends.pop();
            if self.is_live(member, run) {
                self.cursors[member].standing = Standing::Pending;
                self.now = self.now.max(end);
            }
        }
        Some(Turn::Ends)
    }

    fn is_live(&self, member: usize, run: usize) -> bool {
        let cursor = &self.cursors[member];
        cursor.standing == Standing::Live && cursor.run == run
    }
}

const UNRESOLVED: &str = "it was granted a retry that is not on record";

fn plain_end(end: End, record: &impl Recorded, members: usize) -> String {
    match end {
        End::Succeeded => format!("run {} succeeded", record.run_index()),
        End::Cancelled if members > 1 => {
            format!("its gang was cancelled in run {}", record.run_index())
        }
        End::Cancelled => format!("it was cancelled in run {}", record.run_index()),
        End::Failed => format!("run {} ended with its gang", record.run_index()),
    }
}

impl Cursor {
    fn new(queue: u32) -> Self {
        let out = MemberOutcome::new();
        Self { run: 0, standing: Standing::Live, queue, granted: None, last: None, out }
    }

    fn end(&mut self, outcome: Outcome, reason: String) {
        self.standing = Standing::Over;
        self.out.outcome = outcome;
        self.out.reason = reason;
    }

    fn contradicted(&mut self, next: &impl Recorded, not_before: Option<Time>, avoided: &[String]) {
        let what = contradiction(next.node(), next.started_at(), not_before, avoided);
        let run_index = next.run_index();
        self.out.contradictions.extend(what.map(|what| Contradiction { run_index, what }));
    }
}

/// Semantics.md, section 7: a run on an avoided node or before its time is named.
pub(super) fn contradiction(
    node: Option<&str>,
    started_at: Option<Time>,
    not_before: Option<Time>,
    avoided: &[String],
) -> Option<String> {
    let on_avoided = node.filter(|node| avoided.iter().any(|avoided| avoided == node));
    let early = started_at.zip(not_before).filter(|(start, earliest)| start < earliest);
    let node = on_avoided.map(|node| format!("ran on {node}, which it had to avoid"));
    let early = early
        .map(|(start, earliest)| format!("started at {start}, before its retryAfter {earliest}"));
    let what: Vec<String> = node.into_iter().chain(early).collect();
    (!what.is_empty()).then(|| what.join(", and "))
}
