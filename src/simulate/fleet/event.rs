//! A run of a stream without its texts.

use super::Streamed;
use crate::history::Clock;
use crate::simulate::summary::Ending;
use crate::units::{GoDuration, Time};

/// The keyed hash of a job's id.
pub(super) type Key = [u32; 4];

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

/// A piece, read.
pub(super) struct Parsed<E: Streamed> {
    pub(super) events: Vec<Event<E::Glance>>,
    /// What each engine found in each event, event by event.
    pub(super) found: Vec<E::Found>,
    /// Where each shard's events begin.
    pub(super) starts: Vec<u32>,
    /// Lines, blank ones too.
    pub(super) lines: usize,
    /// How the times before the piece are written.
    pub(super) before: Clock,
    /// How the piece's times are written.
    pub(super) clock: Clock,
    /// Where the line begins that has the piece's first time.
    pub(super) timed: Option<u32>,
}

impl<E: Streamed> Parsed<E> {
    /// The numbers of a shard's events, in order.
    pub(super) fn of_shard(&self, shard: usize) -> std::ops::Range<usize> {
        self.starts[shard] as usize..self.starts[shard + 1] as usize
    }

    /// How times are written, as far as the lines before a place tell.
    pub(super) fn clock_at(&self, at: u32) -> Clock {
        let told = self.timed.is_some_and(|first| first < at);
        if told { self.before.after(&self.clock) } else { self.before }
    }

    /// How many lines are runs.
    pub(super) fn runs(&self) -> usize {
        self.events.iter().filter(|event| event.what != What::Bad).count()
    }

    /// The same with events shard by shard, in each in the order of the lines. Moved while they are
    /// warm: a shard that picked them from all over the piece would wait for memory (10 %).
    pub(super) fn sorted(self, shards: usize, engines: usize) -> Self {
        let mut starts = vec![0u32; shards + 1];
        for event in &self.events {
            starts[shard_of(event.key, shards) + 1] += 1;
        }
        for shard in 0..shards {
            starts[shard + 1] += starts[shard];
        }
        let mut next = starts.clone();
        let mut events = self.events.clone();
        let mut found = self.found.clone();
        for (number, event) in self.events.iter().enumerate() {
            let place = &mut next[shard_of(event.key, shards)];
            let to = *place as usize;
            *place += 1;
            events[to] = *event;
            found[to * engines..][..engines]
                .copy_from_slice(&self.found[number * engines..][..engines]);
        }
        Self { events, found, starts, ..self }
    }
}

/// The shard of a job.
pub(super) fn shard_of(key: Key, shards: usize) -> usize {
    key[3] as usize % shards
}

/// The low and the high half of a number.
pub(super) fn halves(number: u64) -> [u32; 2] {
    let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
    [low(number), low(number >> 32)]
}
