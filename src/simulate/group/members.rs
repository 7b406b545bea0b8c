//! The members of a unit, their positions in their recorded runs, and the time of the replay.
//!
//! Owns which run is live, which has ended and which record is next. Decides nothing: the verdicts that move
//! members on come from the engine, and [`super`] applies them.

use crate::history::{Member, RecordFields, Run};
use crate::simulate::engine::{DecisionCounts, Engine, JudgedTogether};
use crate::simulate::outcome::{MemberOutcome, Outcome};
use crate::simulate::summary::{GrantedRetry, RetryCount};
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The state of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
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
pub(super) struct MemberReplay {
    pub(super) run: usize,
    pub(super) phase: Phase,
    /// Runs before that one that were not reached.
    pub(super) not_reached: Vec<usize>,
    /// Runs that were cut off.
    pub(super) cut_off: Vec<usize>,
    /// The number of its queue.
    pub(super) queue: u32,
    /// The retry that its recorded run is, unless it is the first.
    pub(super) retry: Option<GrantedRetry>,
    /// The retries that it was granted.
    pub(super) retries: RetryCount,
    /// The last decision about it.
    pub(super) last: Option<DecisionCounts>,
    pub(super) outcome: MemberOutcome,
}

impl MemberReplay {
    fn new(queue: u32) -> Self {
        let (phase, not_reached, cut_off) = (Phase::Live, Vec::new(), Vec::new());
        let (retries, outcome) = (RetryCount::default(), MemberOutcome::new());
        let (run, retry, last) = (0, None, None);
        Self { run, phase, not_reached, cut_off, queue, retry, retries, last, outcome }
    }

    /// The record `run` is judged next: the end of the live run, or a later event of the unit.
    fn judge(&mut self, run: usize) {
        if self.run != run {
            let judged = usize::from(self.phase != Phase::Live);
            self.not_reached.extend(self.run + judged..run);
            (self.run, self.retry) = (run, None);
        }
        self.phase = Phase::Pending;
    }

    /// Ends the member.
    pub(super) fn end(&mut self, outcome: Outcome, reason: String) {
        self.phase = Phase::Over;
        self.outcome.outcome = outcome;
        self.outcome.reason = reason;
    }
}

/// Why a unit is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Runs have ended.
    Ends,
    /// A time that the engine requested has come.
    Timer,
}

/// The members of a unit while it is replayed.
pub(super) struct GroupMembers<'m, E: Engine> {
    pub(super) members: &'m [&'m Member<E::Fields>],
    pub(super) replays: Vec<MemberReplay>,
    /// The latest time so far.
    pub(super) now: Option<Time>,
    /// When the engine evaluates next although no run has ended.
    pub(super) wake: Option<Time>,
    /// Ends of live runs by time, with member and run; empty if all live runs are judged together. An entry is
    /// outdated if its member has moved on. Also the events of the unit.
    ends: BinaryHeap<Reverse<(Option<Time>, usize, usize)>>,
}

impl<'m, E: Engine> GroupMembers<'m, E> {
    /// All members at their first run. `queues` are the numbers of their queues.
    pub(super) fn new(
        members: &'m [&'m Member<E::Fields>],
        queues: impl Iterator<Item = u32>,
        wake: Option<Time>,
    ) -> Self {
        let replays = queues.map(MemberReplay::new).collect();
        let mut group = Self { members, replays, now: None, wake, ends: BinaryHeap::new() };
        for member in 0..members.len() {
            group.start(member);
            group.add_unit_events(member);
        }
        group
    }

    /// The recorded runs of a member.
    pub(super) fn runs(&self, member: usize) -> &'m [Run<E::Fields>] {
        &self.members[member].runs
    }

    /// The record at which a member is.
    pub(super) fn run(&self, member: usize) -> &'m Run<E::Fields> {
        &self.runs(member)[self.replays[member].run]
    }

    /// Adds a member's events of the unit to the ends: they are judged whichever run of it is live then. One
    /// without a time takes the time of the record before it.
    fn add_unit_events(&mut self, member: usize) {
        let mut latest = None;
        for (number, run) in self.runs(member).iter().enumerate() {
            latest = latest.max(run.time());
            if run.own.is_unit_event() {
                self.ends.push(Reverse((latest, member, number)));
            }
        }
    }

    /// Whether the record of a live member may be the run that is granted now: its run starts no earlier
    /// than now, or it is an event, which no verdict cuts off.
    pub(super) fn is_upcoming(&self, member: usize) -> bool {
        let run = self.run(member);
        self.replays[member].phase == Phase::Live
            && (!run.own.is_attempt() || run.starts_at(self.now))
    }

    /// Stops a live run now. A run that started before is cut off; any other record did not happen.
    pub(super) fn stop(&mut self, member: usize) {
        let is_upcoming = self.is_upcoming(member);
        let replay = &mut self.replays[member];
        match replay.phase {
            Phase::Live if is_upcoming => replay.not_reached.push(replay.run),
            Phase::Live => {
                replay.outcome.cut_off += 1;
                replay.cut_off.push(replay.run);
            }
            _ => {}
        }
    }

    /// Leaves a member at the record that was judged: a later verdict may still refer to it.
    pub(super) fn keep(&mut self, member: usize) {
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
    pub(super) fn resume(&mut self, member: usize) {
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

    /// Starts the run after the one at which a member is.
    pub(super) fn start_next(&mut self, member: usize) {
        self.replays[member].run += 1;
        self.start(member);
    }

    /// Moves on to the next moment; `None` if nothing more is recorded.
    pub(super) fn advance(&mut self) -> Option<Trigger> {
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
}
