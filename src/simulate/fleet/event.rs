//! A run of a stream without its texts.

use super::Streamed;
use crate::history::{Clock, PieceUnread};
use crate::simulate::key::{Key, shard_of};
use crate::simulate::summary::Ending;
use crate::units::{GoDuration, Time};

/// A run, or a line that is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event<G> {
    pub(super) key: Key,
    /// Where its line begins in the piece.
    pub(super) at: u32,
    /// What its line says of the job.
    pub(super) kind: u32,
    /// The number of its category.
    pub(super) category: u32,
    /// The number of the kind of failure it is, where a default may decide about it.
    pub(super) group: Option<u32>,
    /// Its number, if the line says one.
    pub(super) index: Option<u32>,
    /// When it ended, else when it began.
    pub(super) time: Option<Time>,
    pub(super) started: Option<Time>,
    pub(super) length: Option<GoDuration>,
    pub(super) ending: Ending,
    pub(super) what: What,
    pub(super) glance: G,
}

/// What is to be done with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// It is judged.
    Judge,
    /// Its job is kept whole, whatever it is.
    Keep,
    /// It breaks a rule by itself, or does unless its job is kept whole.
    Suspect,
    /// The line is no run; only its job's id is known.
    Bad,
}

/// What a piece says to the jobs of one shard.
pub(super) struct Share<E: Streamed> {
    /// The runs, in the order of their lines.
    pub(super) events: Vec<Event<E::Glance>>,
    /// What each engine found in each event, event by event.
    pub(super) found: Vec<E::Found>,
}

/// A piece, read.
pub(super) struct Parsed<E: Streamed> {
    /// Shard by shard.
    pub(super) shares: Vec<Share<E>>,
    /// How many lines are runs.
    pub(super) runs: usize,
    /// Lines, blank ones too.
    pub(super) lines: usize,
    /// How the times before the piece are written.
    pub(super) before: Clock,
    /// How the piece's times are written.
    pub(super) clock: Clock,
    /// Where the line begins that has the piece's first time.
    pub(super) timed: Option<u32>,
    /// Words of its records that nothing reads.
    pub(super) unread: PieceUnread,
}

impl<E: Streamed> Parsed<E> {
    /// Nothing read yet, for so many shards.
    pub(super) fn new(shards: usize) -> Self {
        let nothing = |_| Share { events: Vec::new(), found: Vec::new() };
        let clock = Clock::of_lines();
        Self {
            shares: (0..shards).map(nothing).collect(),
            runs: 0,
            lines: 0,
            before: clock,
            clock,
            timed: None,
            unread: PieceUnread::default(),
        }
    }

    /// Forgets what was read, but not the room for it. Times are written as `clock` has it, or as
    /// the first one will be.
    pub(super) fn begin(&mut self, clock: Clock) {
        for share in &mut self.shares {
            share.events.clear();
            share.found.clear();
        }
        (self.runs, self.lines) = (0, 0);
        self.unread = PieceUnread::default();
        (self.before, self.clock, self.timed) = (clock, clock, None);
    }

    /// What the piece says to the job of this key and to others of its shard.
    pub(super) fn share(&mut self, key: Key) -> &mut Share<E> {
        let shard = shard_of(key, self.shares.len());
        &mut self.shares[shard]
    }

    /// How times are written, as far as the lines before a place tell.
    pub(super) fn clock_at(&self, at: u32) -> Clock {
        let told = self.timed.is_some_and(|first| first < at);
        if told { self.before.after(&self.clock) } else { self.before }
    }
}
