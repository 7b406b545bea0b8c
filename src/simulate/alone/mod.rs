//! The replay of streams of units that have one member each, of any size: runs stream by, and what
//! is held of a unit is what its engine remembers, until it is over.
//!
//! A batch of pieces goes through two phases, both on all threads. First every piece is read by
//! itself ([`read`]); then the units, which lie in shards, take their runs in the order of the
//! stream ([`step`]). So the result is the same for any number of threads, and for any cut.
//!
//! A unit whose first record leaves open what it is judged by is kept whole and replayed at the end
//! as a history in memory is.

mod heard;
mod outcome;
mod read;
mod shard;
mod step;
mod worker;

pub use outcome::{AloneOutcome, Strangers};

use super::Summary;
use super::described::Described;
use super::fleet::Batch;
use super::names::Names;
use super::pool::{Lines, Pool, SHARDS, Slot, filled, locked};
use crate::history::{
    Clock, Member, MemberReader, MemberRun, OnBadRecord, OwnFields, Piece, PieceUnread, Stands,
    Wrong,
};
use outcome::first;
use read::Parsed;
use shard::Shard;
use std::num::NonZeroUsize;
use step::Step;
use worker::Worker;

/// An engine over units whose members' runs hold fields of its own. What members ask for is not on
/// record.
pub trait Units:
    Described<
        Member = Member<Self::Own>,
        Record = MemberRun<Self::Own>,
        Memory: Send,
        State: Send,
        Decision: Send,
    > + Sync
{
    /// What run records hold beyond what all records hold.
    type Own: OwnFields;

    /// Whether every unit has one member.
    fn all_alone(&self) -> bool;

    /// How many members every unit has, if that is known. Records of others are bad.
    fn members(&self) -> Option<u32> {
        None
    }

    /// Whether the first run of a unit says all that it takes to judge the unit.
    fn is_clear(&self, unit: &str, run: &MemberRun<Self::Own>) -> bool;
}

/// How many members every unit has by the engine that knows of the fewest.
pub fn fewest(engines: &[impl Units]) -> Option<u32> {
    engines.iter().filter_map(Units::members).min()
}

/// How a stream is replayed.
pub struct AloneOptions<'o> {
    /// How many threads read and judge.
    pub threads: NonZeroUsize,
    /// How many pieces are read before they are judged; all of them are held.
    pub batch: NonZeroUsize,
    /// What becomes of a bad record.
    pub on_bad: OnBadRecord,
    /// Keeps ids that somebody made up from meeting in one bucket.
    pub key: (u64, u64),
    /// What is left to chance hangs on it.
    pub seed: u64,
    /// Whether a unit is none that the policies of an engine, of this number, name.
    pub is_strange: &'o (dyn Fn(usize, &str) -> bool + Sync),
}

/// The replay of a stream through one or more engines.
pub struct Alone<'e, E: Units> {
    engines: &'e [E],
    options: AloneOptions<'e>,
    pool: Pool<Worker<'e, E>, Shard<E>, Parsed<E::Own>>,
    /// Says what is wrong with bad lines.
    reader: MemberReader<E::Own>,
    clock: Clock,
    /// Lines of the present stream that have been read.
    lines: usize,
    /// Runs so far, and the bytes that held them.
    events: u64,
    bytes: u64,
}

impl<'e, E: Units> Alone<'e, E> {
    /// Nothing read yet.
    pub fn new(engines: &'e [E], names: &'e Names, options: AloneOptions<'e>) -> Self {
        let pool = Pool::new(
            options.threads,
            options.batch,
            || Worker::new(engines, names, options.seed),
            || Shard::new(engines.len()),
            || Parsed::new(SHARDS),
        );
        let (reader, clock) = (MemberReader::new(options.on_bad), Clock::of_lines());
        Self { engines, options, pool, reader, clock, lines: 0, events: 0, bytes: 0 }
    }

    /// Lines of the present stream read so far.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Bytes read so far, of all streams.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Runs read so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Replays the next pieces of the stream. `feed` puts the next one over the one it is given,
    /// or says `false` if there is none; it is asked by all threads in turn.
    pub fn batch(&mut self, feed: impl FnMut(&mut Piece) -> bool + Send) -> Batch {
        let key = self.options.key;
        let (taken, ended) = self.pool.read(feed, |_, piece, parsed| {
            parsed.take_text(piece);
            parsed.read(piece, Clock::of_lines(), key);
        });
        let mut slots = self.pool.take_slots();
        let mut filled = filled(&mut slots, taken);
        self.agree_on_times(&mut filled);
        self.judge(&filled);
        self.events +=
            self.pool.workers().map(|worker| std::mem::take(&mut worker.events)).sum::<u64>();
        for Slot { piece, parsed } in filled.iter_mut().map(|slot| &mut **slot) {
            parsed.give_back(piece);
        }
        self.unread(&filled);
        self.tell(&filled);
        for slot in filled {
            self.bytes += slot.piece.bytes.len() as u64;
        }
        self.pool.put_back(slots);
        match (self.reader.is_full(), ended) {
            (true, _) => Batch::Hopeless,
            (false, true) => Batch::Last,
            (false, false) => Batch::Full,
        }
    }

    /// Dates or offsets: the first time of a stream tells for all of it. A piece that took its
    /// times otherwise is read again.
    fn agree_on_times(&mut self, slots: &mut [&mut Slot<Parsed<E::Own>>]) {
        for Slot { piece, parsed } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                self.clock = Clock::of_lines();
            }
            if !self.clock.agrees_with(&parsed.skim.clock) {
                parsed.read(piece, self.clock, self.options.key);
            }
            parsed.before = self.clock;
            self.clock = self.clock.after(&parsed.skim.clock);
        }
    }

    /// Every shard takes its lines in order.
    fn judge(&self, slots: &[&mut Slot<Parsed<E::Own>>]) {
        self.pool.each_shard(|worker, number, shard| {
            let mut before = self.bytes;
            for (piece, slot) in slots.iter().enumerate() {
                let (parsed, text) = (&slot.parsed, slot.parsed.text());
                let bytes = text.map_or(&*slot.piece.bytes, str::as_bytes);
                let step = Step {
                    engines: self.engines,
                    is_strange: self.options.is_strange,
                    members: fewest(self.engines),
                    key: self.options.key,
                    parsed,
                    bytes,
                    text,
                    piece,
                    before,
                };
                step.shard(shard, worker, &locked(&parsed.shares[number]));
                before += bytes.len() as u64;
            }
        });
    }

    /// Adds the words that nothing reads, in the order of the stream.
    fn unread(&mut self, slots: &[&mut Slot<Parsed<E::Own>>]) {
        let mut found: Vec<PieceUnread> = slots.iter().map(|_| PieceUnread::default()).collect();
        for (piece, words) in self.pool.workers().flat_map(|worker| worker.unread.drain(..)) {
            if let Some(all) = found.get_mut(piece) {
                all.merge(words);
            }
        }
        let mut before = self.lines;
        for (Slot { piece, parsed }, words) in slots.iter().map(|slot| &**slot).zip(found) {
            if piece.begins {
                before = 0;
            }
            self.reader.unread(words, &piece.name, &piece.bytes, before);
            before += parsed.skim.lines;
        }
    }

    /// Says what was wrong, in the order of the stream.
    fn tell(&mut self, slots: &[&mut Slot<Parsed<E::Own>>]) {
        let troubles = self.pool.workers().flat_map(|worker| worker.troubles.drain(..));
        let troubles = troubles.map(|trouble| ((trouble.piece, trouble.at), trouble.wrong));
        let (troubles, reader) = (Lines::new(troubles), &mut self.reader);
        let count = |parsed: &Parsed<E::Own>| parsed.skim.lines;
        troubles.each(slots, &mut self.lines, count, |slot, (at, number), wrong| {
            if reader.is_full() {
                return;
            }
            let wrong = wrong.unwrap_or_else(|| Wrong::Bad(slot.parsed.clock_at(at)));
            let rest = slot.piece.bytes.get(at..).unwrap_or_default();
            reader.tell(&Stands { name: &slot.piece.name, rest, number }, &wrong);
        });
    }

    /// Ends the stream: units that wait for a run wait for ever.
    pub fn finish(self) -> AloneOutcome<E::Own> {
        self.pool.each_shard(|worker, _, shard| shard.finish(&mut worker.summaries));
        let empty = |engine: &E| Summary::new(engine.rules().len());
        let mut summaries: Vec<Summary> = self.engines.iter().map(empty).collect();
        let (workers, shards) = self.pool.into_parts();
        for worker in workers {
            for (summary, part) in summaries.iter_mut().zip(worker.summaries) {
                summary.merge(part);
            }
        }
        let (mut units, mut several, mut all) = (0, None, Vec::new());
        let mut strangers = vec![Strangers::default(); self.engines.len()];
        for shard in shards {
            units += shard.len() as u64;
            for (strangers, more) in strangers.iter_mut().zip(shard.strangers) {
                strangers.merge(more);
            }
            several = first(several, shard.several);
            all.extend(shard.kept);
        }
        all.sort_by_key(|(place, _)| *place);
        let (mut kept, findings) = self.reader.finish();
        kept.members = all.into_iter().map(|(_, member)| member).collect();
        AloneOutcome {
            summaries,
            kept,
            findings,
            units,
            strangers,
            several: several.map(|(_, id)| id),
        }
    }
}
