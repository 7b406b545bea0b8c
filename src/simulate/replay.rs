//! The replay of one unit: its recorded ends are brought to the engine, one moment after another.

use super::described::{Described, Tally};
use super::names::{Names, Nameset};
use super::report::DecisionReport;
use super::summary::{Granted, RunFacts, Summary, Waited};
use crate::engine::{Effect, End, Evaluation, Fact, FactKind, Moment, Recorded};
use crate::units::Time;

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

/// Where a member stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It has a recorded run that has not ended yet.
    Live,
    /// Its run has ended and is not judged yet.
    Pending,
    /// It is over.
    Over,
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
        let mut cursors: Vec<Cursor> =
            members.iter().map(|member| Cursor::new(queue(member))).collect();
        let mut now: Option<Time> = None;
        while self.end_runs(members, &mut cursors, &mut now) {
            loop {
                let mut answer = std::mem::take(&mut self.answer);
                self.judge(members, &cursors, now, &mut state, &mut answer);
                self.apply(members, &state, &answer, &mut cursors, summary);
                let (over, again) = (answer.over, answer.again);
                self.answer = answer;
                if over {
                    return self.finish(members, places, cursors, summary);
                }
                if !again {
                    break;
                }
            }
        }
        self.finish(members, places, cursors, summary)
    }

    /// Lets the run end that ends next, or all live ones where the engine waits for all; `false`
    /// if none is live.
    fn end_runs(
        &self,
        members: &[&E::Member],
        cursors: &mut [Cursor],
        now: &mut Option<Time>,
    ) -> bool {
        let mut end = |number: usize, cursor: &mut Cursor| {
            cursor.standing = Standing::Pending;
            *now = (*now).max(self.engine.runs(members[number])[cursor.run].time());
        };
        if !E::WAITS_FOR_ALL {
            let next = self.next(members, cursors);
            return next.map(|number| end(number, &mut cursors[number])).is_some();
        }
        let live = cursors.iter_mut().enumerate().filter(|(_, c)| c.standing == Standing::Live);
        live.map(|(number, cursor)| end(number, cursor)).count() > 0
    }

    /// The live member whose run ends next; a run without a time ends at once.
    fn next(&self, members: &[&E::Member], cursors: &[Cursor]) -> Option<usize> {
        let live =
            cursors.iter().enumerate().filter(|(_, cursor)| cursor.standing == Standing::Live);
        let end = |(number, cursor): &(usize, &Cursor)| {
            self.engine.runs(members[*number])[cursor.run].time()
        };
        live.min_by_key(end).map(|(number, _)| number)
    }

    fn judge(
        &mut self,
        members: &[&E::Member],
        cursors: &[Cursor],
        now: Option<Time>,
        state: &mut E::State,
        answer: &mut Evaluation<E::Decision>,
    ) {
        let fact = |number: usize, cursor: &Cursor| {
            let run = &self.engine.runs(members[number])[cursor.run];
            let kind = match cursor.standing {
                Standing::Live => FactKind::Live,
                Standing::Pending => FactKind::Ended(run),
                Standing::Over => return None,
            };
            Some(Fact { member: number, at: run.time(), kind })
        };
        if let [cursor] = cursors {
            // One member needs no list.
            let one = fact(0, cursor);
            let moment = Moment { now, facts: one.as_slice(), draw: 0 };
            self.engine.evaluate(state, &mut self.memory, &moment, answer);
            return;
        }
        let facts: Vec<_> =
            cursors.iter().enumerate().filter_map(|(n, cursor)| fact(n, cursor)).collect();
        let moment = Moment { now, facts: &facts, draw: 0 };
        self.engine.evaluate(state, &mut self.memory, &moment, answer);
    }

    fn apply(
        &mut self,
        members: &[&E::Member],
        state: &E::State,
        answer: &Evaluation<E::Decision>,
        cursors: &mut [Cursor],
        summary: &mut Counts<'_>,
    ) {
        let engine = self.engine;
        for verdict in &answer.verdicts {
            let member = members[verdict.member];
            let summary = summary.of(verdict.member);
            let runs = engine.runs(member);
            let cursor = &mut cursors[verdict.member];
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
                if self.timelines {
                    let row = engine.report(state, verdict.member, member, record, decision);
                    cursor.out.decisions.push(row);
                }
            }
            match verdict.effect {
                Effect::Keep | Effect::Stop => cursor.standing = Standing::Over,
                Effect::End(end) => {
                    let reason =
                        verdict.decision.as_ref().map(|decision| engine.last_words(decision));
                    cursor.end(
                        end.into(),
                        reason.unwrap_or_else(|| plain_end(end, record, members.len())),
                    );
                }
                Effect::Rerun { not_before, .. } => {
                    let rule = cursor.last.and_then(|tally| tally.rule);
                    let Some(next) = runs.get(cursor.run + 1) else {
                        cursor.out.unresolved_rule = rule;
                        summary.unresolved(rule);
                        cursor.end(Outcome::Unresolved, UNRESOLVED.to_owned());
                        continue;
                    };
                    let waited = Waited::by(verdict.effect).until;
                    cursor.granted = Some(Granted { rule, waited });
                    let avoided = verdict.decision.as_ref();
                    let avoided =
                        avoided.map_or(&[][..], |d| engine.avoided(state, verdict.member, d));
                    cursor.contradicted(next, not_before, avoided);
                    cursor.run += 1;
                    cursor.standing = Standing::Live;
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
        members: &[&E::Member],
        places: &[usize],
        cursors: Vec<Cursor>,
        summary: &mut Counts<'_>,
    ) -> Vec<MemberOutcome> {
        let mut outcomes = Vec::with_capacity(cursors.len());
        for (number, (member, mut cursor)) in members.iter().zip(cursors).enumerate() {
            let summary = summary.of(number);
            let unreached = &self.engine.runs(member)[cursor.run + 1..];
            cursor.out.not_reached = unreached.len() as u64;
            for record in unreached {
                summary.passed_over(&self.facts(cursor.queue, member, record));
            }
            let out = cursor.out;
            summary.ended(cursor.queue, out.outcome, out.retries > 0, cursor.last.as_ref());
            for contradiction in &out.contradictions {
                let id = self.engine.id(member);
                summary.contradicted(places[number] as u64, id, contradiction);
            }
            outcomes.push(out);
        }
        outcomes
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
        let out = MemberOutcome {
            outcome: Outcome::Unresolved,
            reason: String::new(),
            retries: 0,
            not_reached: 0,
            unresolved_rule: None,
            contradictions: Vec::new(),
            decisions: Vec::new(),
        };
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
