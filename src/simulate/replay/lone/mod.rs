//! A unit of one member while it is replayed, run by run.
//!
//! No run is asked for before it is there, so that runs may come from a stream as well as from
//! memory. What a decision leaves open, the next run settles.

mod end;
mod grant;
mod look;

use super::Replay;
use super::course::Turn;
use super::cursor::begins_at;
use super::outcome::{Contradiction, Outcome, contradiction};
use crate::engine::{End, Recorded};
use crate::simulate::described::{Described, Tally};
use crate::simulate::draws::Draws;
use crate::simulate::report::DecisionReport;
use crate::simulate::summary::{Demand, Granted, Summary};
use crate::units::Time;
use grant::Grant;
use look::{Look, Standing};

/// A unit of one member, after so many of its runs.
pub struct Lone<E: Described> {
    state: E::State,
    now: Option<Time>,
    /// When the engine wants to look again.
    wake: Option<Time>,
    expects: Expects,
    /// The numbers drawn for it, if its engine looks at them.
    draws: Option<Draws>,
    queue: u32,
    fate: Option<End>,
    /// The last decision.
    last: Option<Tally>,
    /// Whether the last verdict made it.
    decided: bool,
    outcome: Outcome,
    retries: u32,
    not_reached: u32,
    cut_off: u32,
    /// What few units have, so that those that wait take no room for it.
    aside: Option<Box<Aside>>,
}

/// What more there may be to a unit.
#[derive(Debug, Default)]
struct Aside {
    /// What it asks for, if that is on record.
    demand: Demand,
    contradictions: Vec<Contradiction>,
    /// What is written out.
    words: Words,
}

/// What people read of a unit.
#[derive(Debug, Default)]
struct Words {
    /// Why its member is over.
    reason: String,
    /// Why the last decision was made.
    last: String,
    decisions: Vec<DecisionReport>,
}

/// What the next run on record is taken for.
#[derive(Debug)]
enum Expects {
    /// It is judged: it is the first, or tells more of a run that goes on.
    Run,
    /// It is the one that was granted.
    Granted(Grant),
    /// It tells more of a run that the unit's end stopped.
    Stopped,
    /// It is not reached.
    Nothing,
}

impl<E: Described> Lone<E> {
    /// A unit before its first run.
    pub fn new(replay: &mut Replay<'_, E>, member: &E::Member) -> Self {
        let state = replay.engine.begin(&[member]);
        let demand = replay.engine.demand(member);
        let aside = (demand != Demand::default()).then(|| Aside { demand, ..Aside::default() });
        Self {
            now: None,
            wake: replay.engine.wake(&state),
            state,
            expects: Expects::Run,
            draws: replay.draws(member),
            queue: replay.names.queue(replay.engine.queue(member)),
            fate: None,
            last: None,
            decided: false,
            outcome: Outcome::Unresolved,
            retries: 0,
            not_reached: 0,
            cut_off: 0,
            aside: aside.map(Box::new),
        }
    }

    /// Whether nothing that may follow is judged.
    pub fn is_over(&self) -> bool {
        matches!(self.expects, Expects::Nothing) && self.fate.is_some()
    }

    fn demand(&self) -> Demand {
        self.aside.as_ref().map(|aside| aside.demand).unwrap_or_default()
    }

    /// Takes out what cannot have happened of its runs so far.
    pub fn contradictions(&mut self) -> impl Iterator<Item = Contradiction> {
        self.aside.iter_mut().flat_map(|aside| aside.contradictions.drain(..))
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
            // What is of the unit is judged as long as the unit is not over.
            Expects::Nothing if record.is_of_unit() && self.fate.is_none() => None,
            Expects::Nothing => return self.pass_over(record, summary),
            Expects::Stopped => return self.stop(record, summary),
            Expects::Run => None,
            Expects::Granted(mut grant) if grant.is_not_yet(record) => {
                grant.ended();
                self.expects = Expects::Granted(grant);
                return self.stop(record, summary);
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
        } else {
            self.stop(record, look.summary);
        }
        self.expects = match look.standing {
            Standing::GoesOn if self.fate.is_some() => Expects::Stopped,
            _ if self.fate.is_some() => Expects::Nothing,
            Standing::GoesOn => Expects::Run,
            Standing::Granted(grant) => Expects::Granted(grant),
            Standing::Live | Standing::Pending | Standing::Done => Expects::Nothing,
        };
    }

    /// Counts a run that is not reached.
    fn pass_over(&mut self, record: &E::Record, summary: &mut Summary) {
        self.not_reached = self.not_reached.saturating_add(1);
        summary.passed_over(record.length(), self.demand());
    }

    /// A run is stopped now: it is cut off, unless it would begin only now.
    fn stop(&mut self, record: &E::Record, summary: &mut Summary) {
        if begins_at(record, self.now) {
            return self.pass_over(record, summary);
        }
        self.cut_off = self.cut_off.saturating_add(1);
        summary.cut_off += 1;
    }

    /// Names what of a granted run cannot have happened.
    fn grant(&mut self, grant: &Grant, record: &E::Record) -> Granted {
        let (node, started) = (record.node(), record.started_at());
        let what = contradiction(node, started, grant.not_before, grant.avoided());
        if let Some(what) = what {
            let aside = self.aside.get_or_insert_default();
            aside.contradictions.push(Contradiction { run_index: record.run_index(), what });
        }
        Granted { rule: grant.rule, waited: grant.waited }
    }
}
