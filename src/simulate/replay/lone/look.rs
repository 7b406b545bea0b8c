//! One run of a unit's only member while it is looked at.

use super::Lone;
use super::grant::{Before, Grant};
use crate::engine::{Effect, Evaluation, Fact, FactKind, Live, Moment, Recorded, Verdict};
use crate::simulate::described::{Described, Reported};
use crate::simulate::replay::Replay;
use crate::simulate::replay::course::Turn;
use crate::simulate::replay::cursor::begins_at;
use crate::simulate::replay::finish::plain_end;
use crate::simulate::summary::{Granted, RunFacts, Summary, Waited};
use crate::units::Time;

/// One run while it is looked at.
pub(super) struct Look<'l, 'e, 'm, E: Described> {
    pub(super) replay: &'l mut Replay<'e, E>,
    /// The member, where decisions about it are written out.
    pub(super) member: Option<&'m E::Member>,
    pub(super) record: &'m E::Record,
    pub(super) summary: &'l mut Summary,
    pub(super) standing: Standing,
    /// The retry that it is, until it is judged.
    pub(super) granted: Option<Granted>,
    /// What summaries are told of it, once that is asked for.
    pub(super) facts: Option<RunFacts>,
}

/// Where the member stands while a run of it is looked at.
#[derive(Debug)]
pub(super) enum Standing {
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
    /// Lets the engine look until it has said all.
    pub(super) fn look(&mut self, look: &mut Look<'_, '_, '_, E>, turn: Turn) {
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
        let draw = self.draws.map_or(0, |draws| draws.at(record.run_index()));
        let (now, standing) = (self.now, &look.standing);
        let live = |_| matches!(standing, Standing::Live) && !begins_at(record, now);
        let moment = Moment { now, facts: fact.as_slice(), draw, live: Live::new(&live) };
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
                self.outcome = end.into();
                if look.member.is_some() {
                    let words = verdict.decision.as_ref();
                    let words = words.map(|d| look.replay.engine.last_words(&self.state, d));
                    let words = words.unwrap_or_else(|| plain_end(end, look.record, 1));
                    self.aside.get_or_insert_default().words.reason = words;
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
        self.decided = false;
        if look.granted.is_none() && verdict.decision.is_none() {
            return;
        }
        let whose = (self.queue, self.demand());
        let facts = look.facts.get_or_insert_with(|| replay.facts(whose, record));
        // A run that begins only now is granted anew: what was granted before is not on record.
        let anew = matches!(verdict.effect, Effect::Rerun { .. })
            && matches!(look.standing, Standing::Live)
            && begins_at(*record, self.now);
        if let Some(granted) = look.granted.take().filter(|_| !anew) {
            summary.followed(&granted, facts);
        }
        let Some(decision) = &verdict.decision else { return };
        let engine = replay.engine;
        let tally = engine.tally(record, decision);
        if tally.by_default && facts.group.is_none() {
            facts.group = Some(replay.names.group(&engine.labels(record)));
        }
        summary.decided(facts, &tally, Waited::by(verdict.effect));
        summary.guessed += u64::from(tally.retry && engine.guesses(record, decision));
        self.retries = self.retries.saturating_add(u32::from(tally.retry));
        (self.last, self.decided) = (Some(tally), true);
        if let Some(member) = member {
            let words = &mut self.aside.get_or_insert_default().words;
            words.decisions.push(engine.report(&self.state, 0, member, record, decision));
            if last && E::REPORTED == Reported::Units {
                words.last = engine.last_words(&self.state, decision);
            }
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
        let avoided = avoided.map_or(&[][..], |d| engine.avoided(&self.state, 0, d));
        let rule = self.last.and_then(|tally| tally.rule);
        let Waited { until: waited, .. } = Waited::by(verdict.effect);
        let plain = Grant { rule, waited, not_before, more: None };
        let grant = |before| plain.with(avoided, before);
        match look.standing {
            // The recorded run begins no earlier than now: it is the one that is granted now.
            Standing::Live if begins_at(look.record, self.now) => {
                let grant = grant(Before::Ended);
                look.granted = Some(self.grant(&grant, look.record));
            }
            Standing::GoesOn => {
                look.standing = Standing::Granted(grant(Before::Stopped(self.now)));
            }
            _ => look.standing = Standing::Granted(grant(Before::Ended)),
        }
    }
}
