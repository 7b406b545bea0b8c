//! A unit of one member while it is replayed, run by run.
//!
//! No run is asked for before it is there, so that runs may come from a stream as well as from
//! memory. What a decision leaves open, the next run settles.

use super::Replay;
use super::course::Turn;
use super::finish::{UNRESOLVED, ended, plain_end};
use super::outcome::{Contradiction, MemberOutcome, Outcome, contradiction};
use crate::engine::{Effect, End, Evaluation, Fact, FactKind, Moment, Recorded, Verdict};
use crate::simulate::described::{Described, Reported, Tally};
use crate::simulate::summary::{Demand, Granted, Minute, RunFacts, Summary, Waited};
use crate::units::Time;

/// A unit of one member, after so many of its runs.
pub struct Lone<E: Described> {
    state: E::State,
    now: Option<Time>,
    /// When the engine wants to look again.
    wake: Option<Time>,
    expects: Expects,
    queue: u32,
    demand: Demand,
    fate: Option<End>,
    /// What the last verdict decided, if anything.
    tally: Option<Tally>,
    /// The last decision, and why it was made if that is asked for.
    last: Option<(Tally, String)>,
    out: MemberOutcome,
}

/// What the next run on record is taken for.
#[derive(Debug)]
enum Expects {
    /// It is judged: it is the first, or tells more of a run that goes on.
    Run,
    /// It is the one that was granted.
    Granted(Grant),
    /// It is not reached.
    Nothing,
}

/// A run that was granted and is not met yet.
#[derive(Debug)]
struct Grant {
    rule: Option<usize>,
    waited: Option<Minute>,
    not_before: Option<Time>,
    /// Nodes that it has to avoid.
    avoided: Vec<String>,
    /// Where the run before it goes on: when it was stopped. A record of an earlier beginning tells
    /// of that run.
    stopped: Option<Option<Time>>,
}

/// Where the member stands while a run of it is looked at.
#[derive(Debug)]
enum Standing {
    /// The run has not ended yet.
    Live,
    /// It has ended, and is not judged yet.
    Pending,
    /// It is judged, and goes on.
    GoesOn,
    /// It is judged; the next one was granted.
    Granted(Grant),
    /// Nothing follows: the run is judged, or the member is over.
    Done,
}

impl<E: Described> Lone<E> {
    /// A unit before its first run.
    pub fn new(replay: &mut Replay<'_, E>, member: &E::Member) -> Self {
        let state = replay.engine.begin(&[member]);
        Self {
            now: None,
            wake: replay.engine.wake(&state),
            state,
            expects: Expects::Run,
            queue: replay.names.queue(replay.engine.queue(member)),
            demand: replay.engine.demand(member),
            fate: None,
            tally: None,
            last: None,
            out: MemberOutcome::new(),
        }
    }

    /// Whether no run that may follow is reached.
    pub fn is_over(&self) -> bool {
        matches!(self.expects, Expects::Nothing)
    }

    /// Takes out what cannot have happened of its runs so far.
    pub fn contradictions(&mut self) -> impl Iterator<Item = Contradiction> {
        self.out.contradictions.drain(..)
    }

    /// Takes the next run on record. Decisions are written out if the member is given that they are
    /// about.
    pub fn run(
        &mut self,
        replay: &mut Replay<'_, E>,
        member: Option<&E::Member>,
        record: &E::Record,
        summary: &mut Summary,
    ) {
        let granted = match std::mem::replace(&mut self.expects, Expects::Nothing) {
            Expects::Nothing => {
                self.out.not_reached += 1;
                summary.passed_over(record.length(), self.demand);
                return;
            }
            Expects::Run => None,
            Expects::Granted(grant)
                if grant.stopped.is_some_and(|stopped| !begins_at(record, stopped)) =>
            {
                self.expects = Expects::Granted(Grant { stopped: None, ..grant });
                return;
            }
            Expects::Granted(grant) => Some(self.grant(&grant, record)),
        };
        let standing = Standing::Live;
        let mut look = Look { replay, member, record, summary, standing, granted, facts: None };
        let end = record.time();
        while let Some(wake) = self.wake.take_if(|wake| end.is_some_and(|end| *wake <= end)) {
            self.now = self.now.max(Some(wake));
            self.look(&mut look, Turn::Timer);
            if self.fate.is_some() || !matches!(look.standing, Standing::Live) {
                break;
            }
        }
        if self.fate.is_none() && matches!(look.standing, Standing::Live) {
            self.now = self.now.max(end);
            look.standing = Standing::Pending;
            self.look(&mut look, Turn::Ends);
        }
        self.expects = match look.standing {
            _ if self.fate.is_some() => Expects::Nothing,
            Standing::GoesOn => Expects::Run,
            Standing::Granted(grant) => Expects::Granted(grant),
            Standing::Live | Standing::Pending | Standing::Done => Expects::Nothing,
        };
    }

    /// Names what of a granted run cannot have happened.
    fn grant(&mut self, grant: &Grant, record: &E::Record) -> Granted {
        let (node, started) = (record.node(), record.started_at());
        let what = contradiction(node, started, grant.not_before, &grant.avoided);
        let run_index = record.run_index();
        self.out.contradictions.extend(what.map(|what| Contradiction { run_index, what }));
        Granted { rule: grant.rule, waited: grant.waited }
    }

    /// Lets the engine look until it has said all.
    fn look(&mut self, look: &mut Look<'_, '_, '_, E>, turn: Turn) {
        loop {
            let mut answer = std::mem::take(&mut look.replay.answer);
            self.judge(look, turn, &mut answer);
            for verdict in &answer.verdicts {
                self.follow(look, verdict, answer.fate.is_some());
            }
            (self.fate, self.wake) = (answer.fate, answer.next);
            let again = answer.again;
            look.replay.answer = answer;
            if self.fate.is_some() || !again {
                return;
            }
        }
    }

    fn judge(
        &mut self,
        look: &mut Look<'_, '_, '_, E>,
        turn: Turn,
        answer: &mut Evaluation<E::Decision>,
    ) {
        let record = look.record;
        let kind = match (turn, &look.standing) {
            (Turn::Timer, _) => Some((self.now, FactKind::Timer)),
            (Turn::Ends, Standing::Pending) if record.goes_on() => {
                Some((record.time(), FactKind::Restarted(record)))
            }
            (Turn::Ends, Standing::Pending) => Some((record.time(), FactKind::Ended(record))),
            (Turn::Ends, _) => None,
        };
        let fact = kind.map(|(at, kind)| Fact { member: 0, at, kind });
        let moment = Moment { now: self.now, facts: fact.as_slice(), draw: 0 };
        let Replay { engine, memory, .. } = &mut *look.replay;
        engine.evaluate(&mut self.state, memory, &moment, answer);
    }

    /// Counts what a verdict decided, and lets it come true.
    fn follow(
        &mut self,
        look: &mut Look<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        last: bool,
    ) {
        self.decided(look, verdict, last);
        let goes_on = look.record.goes_on();
        match verdict.effect {
            Effect::Keep => match look.standing {
                Standing::Pending if goes_on => look.standing = Standing::GoesOn,
                Standing::GoesOn => {}
                _ => look.standing = Standing::Done,
            },
            Effect::Stop => look.standing = Standing::Done,
            Effect::End(end) => {
                look.standing = Standing::Done;
                self.out.outcome = end.into();
                if look.member.is_some() {
                    let words = verdict.decision.as_ref();
                    let words = words.map(|d| look.replay.engine.last_words(&self.state, d));
                    self.out.reason = words.unwrap_or_else(|| plain_end(end, look.record, 1));
                }
            }
            Effect::Rerun { not_before, .. } => self.rerun(look, verdict, not_before),
        }
    }

    fn decided(
        &mut self,
        look: &mut Look<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        last: bool,
    ) {
        let Look { replay, member, record, summary, .. } = look;
        self.tally = None;
        if look.granted.is_none() && verdict.decision.is_none() {
            return;
        }
        let whose = (self.queue, self.demand);
        let mut facts = *look.facts.get_or_insert_with(|| replay.facts(whose, record));
        if let Some(granted) = look.granted.take() {
            summary.followed(&granted, &facts);
        }
        let Some(decision) = &verdict.decision else { return };
        let engine = replay.engine;
        let tally = engine.tally(record, decision);
        if tally.by_default {
            facts.group = Some(replay.names.group(&engine.labels(record)));
        }
        summary.decided(&facts, &tally, Waited::by(verdict.effect));
        self.out.retries += u64::from(tally.retry);
        self.tally = Some(tally);
        if E::REPORTED == Reported::Units {
            // Words are only for who reads them.
            let words =
                (last && member.is_some()).then(|| engine.last_words(&self.state, decision));
            self.last = Some((tally, words.unwrap_or_default()));
        }
        if let Some(member) = member {
            self.out.decisions.push(engine.report(&self.state, 0, member, record, decision));
        }
    }

    fn rerun(
        &mut self,
        look: &mut Look<'_, '_, '_, E>,
        verdict: &Verdict<E::Decision>,
        not_before: Option<Time>,
    ) {
        let engine = look.replay.engine;
        let avoided = verdict.decision.as_ref();
        let avoided = avoided.map_or(&[][..], |d| engine.avoided(&self.state, 0, d)).to_vec();
        let tally = self.tally.or(self.last.as_ref().map(|(tally, _)| *tally));
        let rule = tally.and_then(|tally| tally.rule);
        let Waited { until: waited, .. } = Waited::by(verdict.effect);
        let grant = Grant { rule, waited, not_before, avoided, stopped: None };
        match look.standing {
            // The recorded run begins no earlier than now: it is the one that is granted now.
            Standing::Live if begins_at(look.record, self.now) => {
                look.granted = Some(self.grant(&grant, look.record));
            }
            Standing::GoesOn => {
                look.standing = Standing::Granted(Grant { stopped: Some(self.now), ..grant });
            }
            _ => look.standing = Standing::Granted(grant),
        }
    }

    /// Ends the unit, which is counted and no more: a run that was granted and never met is not on
    /// record.
    pub fn count(mut self, summary: &mut Summary) {
        self.settle(summary);
    }

    /// Ends the unit. Gives what became of it; `place` says where it stands in the history.
    pub fn end(mut self, engine: &E, id: &str, place: u64, summary: &mut Summary) -> MemberOutcome {
        let missing = self.settle(summary);
        for contradiction in &self.out.contradictions {
            summary.contradicted(place, id, contradiction);
        }
        match E::REPORTED {
            Reported::Members if missing => self.out.reason = UNRESOLVED.to_owned(),
            Reported::Members => {}
            Reported::Units => {
                let words = self.last.map(|(_, words)| words);
                self.out.reason = ended(self.fate, missing, words);
                self.out.system_outcome = engine.fate(&self.state, self.fate);
            }
        }
        self.out
    }

    /// Counts how it ended; says whether it waits for a run that is not on record.
    fn settle(&mut self, summary: &mut Summary) -> bool {
        let missing = match &self.expects {
            Expects::Granted(grant) => {
                self.out.unresolved_rule = grant.rule;
                true
            }
            Expects::Run | Expects::Nothing => false,
        };
        if missing {
            summary.unresolved(self.out.unresolved_rule);
            self.out.outcome = Outcome::Unresolved;
        }
        let tally = match E::REPORTED {
            Reported::Members => self.tally,
            Reported::Units => {
                self.out.outcome = self.fate.map_or(Outcome::Unresolved, Into::into);
                self.last.as_ref().map(|(tally, _)| *tally)
            }
        };
        summary.ended(self.queue, self.out.outcome, self.out.retries > 0, tally.as_ref());
        missing
    }
}

/// One run while it is looked at.
struct Look<'l, 'e, 'm, E: Described> {
    replay: &'l mut Replay<'e, E>,
    /// The member, where decisions about it are written out.
    member: Option<&'m E::Member>,
    record: &'m E::Record,
    summary: &'l mut Summary,
    standing: Standing,
    /// The retry that it is, until it is judged.
    granted: Option<Granted>,
    /// What summaries are told of it, once that is asked for.
    facts: Option<RunFacts>,
}

/// Whether a run begins at a time or later.
fn begins_at(record: &impl Recorded, now: Option<Time>) -> bool {
    record.started_at().zip(now).is_some_and(|(begun, now)| begun >= now)
}
