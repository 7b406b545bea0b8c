//! A unit of several members while it is replayed: where they stand, and what happens next.

use super::cursor::{Cursor, Standing, begins_at};
use crate::engine::{Recorded, Together};
use crate::simulate::described::{Described, Tally};
use crate::simulate::report::DecisionReport;
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Why a unit is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Runs have ended.
    Ends,
    /// A time that the engine asked for has come.
    Timer,
}

/// A unit while it is replayed.
pub(super) struct Course<'m, E: Described> {
    pub(super) members: &'m [&'m E::Member],
    pub(super) cursors: Vec<Cursor>,
    pub(super) now: Option<Time>,
    /// How often the unit has been looked at.
    pub(super) turns: u32,
    /// When the engine wants to look again.
    pub(super) wake: Option<Time>,
    /// Live members by when their runs end, where not all of them are waited for; some are live no
    /// more, or with a later run. And all records of the unit as a whole, by their time.
    pub(super) ends: BinaryHeap<Reverse<(Option<Time>, usize, usize)>>,
    /// The last decision, and why it was made.
    pub(super) last: Option<(Tally, String)>,
    pub(super) decisions: Vec<(usize, DecisionReport)>,
}

impl<'m, E: Described> Course<'m, E> {
    /// All members with their first recorded runs.
    pub(super) fn new(engine: &E, members: &'m [&'m E::Member], cursors: Vec<Cursor>) -> Self {
        let mut course = Self {
            members,
            cursors,
            now: None,
            turns: 0,
            wake: None,
            ends: BinaryHeap::new(),
            last: None,
            decisions: Vec::new(),
        };
        for member in 0..members.len() {
            course.live(engine, member);
            course.await_unit(engine, member);
        }
        course
    }

    /// Puts a member's records of the unit as a whole among what happens, whichever run of it is
    /// live by then. One without a time comes at that of the record before.
    fn await_unit(&mut self, engine: &E, member: usize) {
        let mut latest = None;
        for (number, run) in engine.runs(self.members[member]).iter().enumerate() {
            latest = latest.max(run.time());
            if run.is_of_unit() {
                self.ends.push(Reverse((latest, member, number)));
            }
        }
    }

    /// The run at which a member stands.
    pub(super) fn record(&self, engine: &E, member: usize) -> &'m E::Record {
        &engine.runs(self.members[member])[self.cursors[member].run]
    }

    /// Whether the record of a live member is what follows what is granted now: its run begins no
    /// earlier than now, or it is no run that could have been cut off.
    pub(super) fn is_yet_to_come(&self, engine: &E, member: usize) -> bool {
        let record = self.record(engine, member);
        self.cursors[member].standing == Standing::Live
            && (!record.is_attempt() || begins_at(record, self.now))
    }

    /// Whatever is live is stopped now. A run that began before was cut off; of any other record
    /// nothing has happened.
    pub(super) fn stop(&mut self, engine: &E, member: usize) {
        let yet_to_come = self.is_yet_to_come(engine, member);
        let cursor = &mut self.cursors[member];
        match cursor.standing {
            Standing::Live if yet_to_come => cursor.passed_over.push(cursor.run),
            Standing::Live => cursor.out.cut_off += 1,
            _ => {}
        }
    }

    /// Leaves a member as it is, at the record that was judged: more may be decided by it.
    pub(super) fn keep(&mut self, engine: &E, member: usize) {
        let goes_on = self.record(engine, member).goes_on();
        let more = self.cursors[member].run + 1 < engine.runs(self.members[member]).len();
        let cursor = &mut self.cursors[member];
        cursor.standing = match cursor.standing {
            Standing::Pending if goes_on && more => Standing::GoesOn,
            Standing::GoesOn => Standing::GoesOn,
            _ => Standing::Kept,
        };
    }

    /// Takes up the next record of a member whose run goes on. There is nothing left to decide by
    /// the one before.
    pub(super) fn go_on(&mut self, engine: &E, member: usize) {
        if self.cursors[member].standing == Standing::GoesOn {
            self.next_run(engine, member);
        }
    }

    /// Puts a member whose run is on record among those that are live.
    fn live(&mut self, engine: &E, member: usize) {
        let run = self.cursors[member].run;
        self.cursors[member].standing = Standing::Live;
        if E::TOGETHER != Together::Unit {
            let end = engine.runs(self.members[member])[run].time();
            self.ends.push(Reverse((end, member, run)));
        }
    }

    /// Lets a member's next run begin.
    pub(super) fn next_run(&mut self, engine: &E, member: usize) {
        self.cursors[member].run += 1;
        self.live(engine, member);
    }

    /// Moves on to what happens next; `None` if nothing more is on record.
    pub(super) fn turn(&mut self, engine: &E) -> Option<Turn> {
        self.turns = self.turns.saturating_add(1);
        match E::TOGETHER {
            Together::Unit => self.end_all(engine),
            Together::Second | Together::Each => self.end_next(engine),
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

    /// The time that the engine asked for, if it comes before a run ends.
    fn due(&mut self, at: Option<Time>) -> Option<Turn> {
        let wake = self.wake.filter(|wake| at.is_some_and(|at| *wake <= at))?;
        (self.now, self.wake) = (self.now.max(Some(wake)), None);
        Some(Turn::Timer)
    }

    /// Lets the run end that ends next, and those of the same second with it where they are judged
    /// together; one without a time ends at once.
    fn end_next(&mut self, engine: &E) -> Option<Turn> {
        let (first, run, at) = loop {
            let Reverse((end, member, run)) = *self.ends.peek()?;
            if self.is_live(member, run) || engine.runs(self.members[member])[run].is_of_unit() {
                break (member, run, end);
            }
            self.ends.pop();
        };
        if let Some(due) = self.due(at) {
            return Some(due);
        }
        let Some(at) = at.filter(|_| E::TOGETHER == Together::Second) else {
            self.ends.pop();
            self.cursors[first].ended(run);
            self.now = self.now.max(at);
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
