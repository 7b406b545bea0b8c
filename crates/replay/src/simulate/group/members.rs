//! The members of a unit, their positions in their recorded runs, and the time of the replay.
//!
//! Owns which run is live, which has ended and which record is next. Decides nothing: the verdicts that move
//! members on come from the engine, and [`super`] applies them.

use crate::history::{Member, RecordFields, Run};
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::JudgedTogether;
use crate::simulate::figures::DecisionFacts;
use crate::simulate::outcome::{MemberOutcome, Outcome};
use crate::simulate::summary::{GrantedRetry, LastFailure, Minute, RetryCount};
use document::units::Time;
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
    /// Whether it is one pod, which runs if the unit still needs pods.
    is_separate: bool,
    /// The last decision about it.
    pub(super) last: Option<DecisionFacts>,
    pub(super) failure: LastFailure,
    pub(super) outcome: MemberOutcome,
}

impl MemberReplay {
    fn new(queue: u32, is_separate: bool) -> Self {
        let (phase, not_reached, cut_off) = (Phase::Live, Vec::new(), Vec::new());
        let (retries, outcome) = (RetryCount::default(), MemberOutcome::new());
        let (run, retry, last, failure) = (0, None, None, LastFailure::default());
        Self {
            run,
            phase,
            not_reached,
            cut_off,
            queue,
            retry,
            retries,
            is_separate,
            last,
            failure,
            outcome,
        }
    }

    /// The record `run` is judged next: the end of the live run, or a later event of the unit.
    fn judge(&mut self, run: usize) {
        if self.run != run {
            let judged = usize::from(self.phase != Phase::Live);
            // An event of the unit was judged ahead of runs of the member: no verdict can reach them any more.
            self.not_reached.extend(self.run + judged..run);
            (self.run, self.retry) = (run, None);
        }
        self.phase = Phase::Pending;
    }

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
    /// Members whose runs have ended and may not be judged.
    pending: Vec<usize>,
    /// Members whose runs are ongoing and judged so far, since the last moment.
    ongoing: Vec<usize>,
}

impl<'m, E: Engine> GroupMembers<'m, E> {
    /// All members at their first run. For each member the iterator has the number of its queue, and whether it is
    /// one pod.
    pub(super) fn new(
        members: &'m [&'m Member<E::Fields>],
        each: impl Iterator<Item = (u32, bool)>,
        wake: Option<Time>,
    ) -> Self {
        let replays = each.map(|(queue, is_pod)| MemberReplay::new(queue, is_pod)).collect();
        let (now, ends, pending, ongoing) = (None, BinaryHeap::new(), Vec::new(), Vec::new());
        let mut group = Self { members, replays, now, wake, ends, pending, ongoing };
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
    /// than now, or it is an event, which no verdict cuts off. A pod without a recorded start is taken to start when
    /// the unit needs it, and no record shows that it did before its end.
    pub(super) fn is_upcoming(&self, member: usize) -> bool {
        let (run, replay) = (self.run(member), &self.replays[member]);
        let may_start = run.starts_at(self.now) || replay.is_separate && run.started_at.is_none();
        replay.phase == Phase::Live && (!run.own.is_attempt() || may_start)
    }

    /// Stops a live run now. A run that started before is cut off; any other record did not happen.
    pub(super) fn stop(&mut self, member: usize) {
        let is_upcoming = self.is_upcoming(member);
        let replay = &mut self.replays[member];
        if replay.phase != Phase::Live {
            return;
        }
        // Its end on record does not come, so that it is not counted as a retry.
        replay.retry = None;
        if is_upcoming {
            replay.not_reached.push(replay.run);
        } else {
            replay.outcome.cut_off += 1;
            replay.cut_off.push(replay.run);
        }
    }

    /// The end of a member's run: now, if it was cut off.
    pub(super) fn end_of_run(&self, member: usize) -> Option<Time> {
        let replay = &self.replays[member];
        let is_cut_off = replay.cut_off.last() == Some(&replay.run);
        if is_cut_off { self.now } else { self.run(member).time() }
    }

    /// Cuts off a run that is ongoing by the record that ends its member: the next record is of the same run.
    pub(super) fn cut_off_ongoing(&mut self, member: usize) {
        let is_ongoing = self.run(member).own.is_ongoing();
        let has_more = self.replays[member].run + 1 < self.runs(member).len();
        let replay = &mut self.replays[member];
        if replay.phase == Phase::Pending && is_ongoing && has_more {
            replay.run += 1;
            replay.outcome.cut_off += 1;
            replay.cut_off.push(replay.run);
        }
    }

    /// Leaves a member at the record that was judged: a later verdict may still refer to it.
    pub(super) fn keep(&mut self, member: usize) {
        let is_ongoing = self.run(member).own.is_ongoing();
        let has_more = self.replays[member].run + 1 < self.runs(member).len();
        let replay = &mut self.replays[member];
        replay.phase = match replay.phase {
            Phase::Pending if is_ongoing && has_more => {
                self.ongoing.push(member);
                Phase::Ongoing
            }
            Phase::Ongoing => Phase::Ongoing,
            // A verdict at a timer is about the unit, and a live member is named for it.
            Phase::Live => Phase::Live,
            _ => Phase::Kept,
        };
    }

    /// Moves a member with an ongoing run to its next record.
    pub(super) fn resume(&mut self, member: usize) {
        if self.replays[member].phase == Phase::Ongoing {
            self.start_next(member);
        }
    }

    /// Ends the wait of a member's run, which was granted before and has not started.
    pub(super) fn release(&mut self, member: usize) {
        let (run_index, wait_end) = (self.run(member).run_index, self.now.map(Minute::of));
        let replay = &mut self.replays[member];
        replay.outcome.contradictions.retain(|found| found.run_index != run_index);
        if let Some(retry) = &mut replay.retry {
            retry.wait_end = wait_end;
        }
    }

    /// Moves all members with an ongoing run to their next records.
    pub(super) fn resume_all(&mut self) {
        for member in std::mem::take(&mut self.ongoing) {
            self.resume(member);
        }
    }

    /// The members whose runs have ended and are not judged, in their order.
    pub(super) fn take_pending(&mut self) -> Vec<usize> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|member| self.replays[*member].phase == Phase::Pending);
        // In the order of members, whichever ended first: a moment has one time.
        pending.sort_unstable();
        // One that was judged at the last moment may have ended again.
        pending.dedup();
        // They stay pending until the engine decides about them, which it may do at a later moment.
        self.pending.clone_from(&pending);
        pending
    }

    /// Starts the run at which a member is.
    fn start(&mut self, member: usize) {
        let run = self.replays[member].run;
        self.replays[member].phase = Phase::Live;
        // If all live runs are judged together, the order of their ends does not matter, and the heap stays empty.
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

    fn end_all(&mut self) -> Option<Trigger> {
        let mut trigger = None;
        for (number, (member, replay)) in self.members.iter().zip(&mut self.replays).enumerate() {
            if replay.phase == Phase::Live {
                replay.phase = Phase::Pending;
                self.pending.push(number);
                // Time does not go back: runs of different members are not in order of time.
                self.now = self.now.max(member.runs[replay.run].time());
                trigger = Some(Trigger::Ends);
            }
        }
        trigger
    }

    /// The time that the engine requested, if it comes before a run ends. With an end at that time it judges both.
    fn take_wake(&mut self, end: Option<Time>) -> Option<Trigger> {
        let wake = self.wake.filter(|wake| end.is_some_and(|end| *wake < end))?;
        (self.now, self.wake) = (self.now.max(Some(wake)), None);
        Some(Trigger::Timer)
    }

    /// Ends the run that ends next, and those of the same second if they are judged together; one without a
    /// time ends at once.
    fn end_next(&mut self) -> Option<Trigger> {
        let (first, run, at) = loop {
            // Peeked, not popped: a timer before this end leaves it for the next moment.
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
        // A run without a time belongs to no second, so that it is judged alone.
        let Some(at) = at.filter(|_| is_together) else {
            self.ends.pop();
            self.replays[first].judge(run);
            self.pending.push(first);
            self.now = self.now.max(at);
            return Some(Trigger::Ends);
        };
        while let Some(Reverse((end, member, run))) = self.ends.peek().copied()
            && end.is_some_and(|end| end.epoch_seconds() == at.epoch_seconds())
        {
            self.ends.pop();
            if self.is_live(member, run) {
                self.replays[member].phase = Phase::Pending;
                self.pending.push(member);
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
