//! The replay of histories of any size: runs stream by, and a job costs a few dozen bytes.
//!
//! A stream comes in pieces of whole lines, some pieces a batch. Each batch goes through two
//! phases, both on all threads. First every piece is read by itself ([`read`]): lines become
//! [`event`]s, and what policies find in a run's texts is found. Then the jobs, which lie in
//! shards, take their events in the order of the stream ([`step`]). So the result is the same for
//! any number of threads, and for any cut into pieces and batches.
//!
//! Jobs that cannot be judged run by run, those of gangs, are kept whole and replayed at the end
//! as a history in memory is.

mod event;
mod kinds;
mod read;
mod shard;
mod standing;
mod step;
mod streamed;
mod trouble;

pub use streamed::Streamed;

use super::Summary;
use super::names::Names;
use super::pool::{Lines, Pool, SHARDS, Slot, filled};
use crate::diag::Findings;
use crate::history::{Clock, GraceBounds, History, Job, OnBadRecord, Piece, Reader};
use event::Parsed;
use kinds::Kinds;
use read::Worker;
use shard::Shard;
use std::num::NonZeroUsize;

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// There may be more pieces.
    Full,
    /// There are no more pieces.
    Last,
    /// So many bad records were found that reading on helps nobody.
    Hopeless,
}

/// How a fleet's history is replayed.
#[derive(Debug, Clone)]
pub struct FleetOptions {
    /// How many threads read and judge.
    pub threads: NonZeroUsize,
    /// How many pieces are read before they are judged; all of them are held.
    pub batch: NonZeroUsize,
    /// The grace periods that are taken.
    pub bounds: GraceBounds,
    /// What becomes of a bad record.
    pub on_bad: OnBadRecord,
    /// The only job that is reported on; it is kept whole.
    pub only: Option<String>,
    /// Keeps ids that somebody made up from meeting in one bucket.
    pub key: (u64, u64),
}

/// The replay of a stream through one or more engines.
pub struct Fleet<'e, E: Streamed> {
    engines: &'e [E],
    options: FleetOptions,
    kinds: Kinds<E::Course>,
    pool: Pool<Worker<'e, E>, Shard<E>, Parsed<E>>,
    /// Reads what has to be kept whole, and says what is wrong with bad lines.
    reader: Reader,
    clock: Clock,
    /// Lines of the present stream that have been read.
    lines: usize,
    /// Runs so far, and the bytes that held them.
    events: u64,
    bytes: u64,
}

/// What a stream came to.
pub struct FleetOutcome {
    /// A summary an engine, of the jobs that were judged run by run.
    pub summaries: Vec<Summary>,
    /// The jobs that were kept whole.
    pub kept: History,
    /// What was found in the stream.
    pub findings: Findings,
}

impl<'e, E: Streamed> Fleet<'e, E> {
    /// Nothing read yet.
    pub fn new(engines: &'e [E], names: &'e Names, options: FleetOptions) -> Self {
        let rules: Vec<usize> = engines.iter().map(|engine| engine.rules().len()).collect();
        let pool = Pool::new(
            options.threads,
            options.batch,
            || Worker::new(names, &rules),
            || Shard::new(engines.len()),
            || Parsed::new(SHARDS),
        );
        Self {
            engines,
            kinds: Kinds::default(),
            pool,
            reader: Reader::new(options.bounds, options.on_bad),
            clock: Clock::of_lines(),
            lines: 0,
            events: 0,
            bytes: 0,
            options,
        }
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

    /// The kinds of jobs first met since this was asked last, each as a job without runs.
    pub fn new_kinds(&mut self) -> Vec<Job> {
        self.kinds.jobs(self.pool.workers().flat_map(|worker| worker.met.drain(..)))
    }

    /// Replays the next pieces of the stream. `feed` puts the next one over the one it is given,
    /// or says `false` if there is none; it is asked by all threads in turn.
    pub fn batch(&mut self, feed: impl FnMut(&mut Piece) -> bool + Send) -> Batch {
        let (taken, ended) = self.read(feed);
        let mut slots = self.pool.take_slots();
        let mut filled = filled(&mut slots, taken);
        self.agree_on_times(&mut filled);
        self.judge(&filled);
        self.unread(&mut filled);
        self.tell(&filled);
        for slot in filled {
            self.events += slot.parsed.runs as u64;
            self.bytes += slot.piece.bytes.len() as u64;
        }
        self.pool.put_back(slots);
        match (self.reader.is_full(), ended) {
            (true, _) => Batch::Hopeless,
            (false, true) => Batch::Last,
            (false, false) => Batch::Full,
        }
    }

    /// Phase one: every piece by itself. Gives the number of pieces, and whether they were the
    /// last.
    fn read(&self, feed: impl FnMut(&mut Piece) -> bool + Send) -> (usize, bool) {
        let context = self.context();
        self.pool.read(feed, |worker, piece, parsed| {
            worker.read(&context, piece, Clock::of_lines(), parsed);
        })
    }

    fn context(&self) -> read::Context<'_, E> {
        context(self.engines, &self.kinds, &self.options)
    }

    /// Dates or offsets: the first time of a stream tells for all of it. A piece that took its
    /// times otherwise is read again.
    fn agree_on_times(&mut self, slots: &mut [&mut Slot<Parsed<E>>]) {
        for Slot { piece, parsed } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                self.clock = Clock::of_lines();
            }
            if !self.clock.agrees_with(&parsed.clock) {
                let (engines, kinds, options) = (self.engines, &self.kinds, &self.options);
                let context = context(engines, kinds, options);
                let clock = self.clock;
                if let Some(worker) = self.pool.workers().next() {
                    worker.read(&context, piece, clock, parsed);
                }
            }
            parsed.before = self.clock;
            self.clock = self.clock.after(&parsed.clock);
        }
    }

    /// Phase two: every shard takes its events in order.
    fn judge(&self, slots: &[&mut Slot<Parsed<E>>]) {
        let kinds = self.kinds.all();
        let context = self.context();
        self.pool.each_shard(|worker, number, shard| {
            let mut before = self.bytes;
            for (place, Slot { piece, parsed }) in slots.iter().map(|slot| &**slot).enumerate() {
                let batch = step::Batch {
                    context: &context,
                    kinds: &kinds,
                    bytes: &piece.bytes,
                    share: &parsed.shares[number],
                    piece: place,
                    before,
                };
                batch.shard(shard, worker);
                before += piece.bytes.len() as u64;
            }
        });
    }

    /// Adds the words that nothing reads, in the order of the stream.
    fn unread(&mut self, slots: &mut [&mut Slot<Parsed<E>>]) {
        let mut before = self.lines;
        for Slot { piece, parsed } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                before = 0;
            }
            if !parsed.unread.is_empty() {
                self.reader.unread(parsed.unread.take(), &piece.name, &piece.bytes, before);
            }
            before += parsed.lines;
        }
    }

    /// Says what was wrong, and keeps what has to be kept whole, in the order of the stream.
    fn tell(&mut self, slots: &[&mut Slot<Parsed<E>>]) {
        let troubles = self.pool.workers().flat_map(|worker| worker.troubles.drain(..));
        let troubles = troubles.map(|one| ((one.piece, one.at as usize), one));
        let (troubles, reader) = (Lines::new(troubles), &mut self.reader);
        let count = |parsed: &Parsed<E>| parsed.lines;
        troubles.each(slots, &mut self.lines, count, |slot, (_, line), trouble| {
            if !reader.is_full() {
                let Slot { piece, parsed } = slot;
                trouble.tell(reader, piece, line, parsed.clock_at(trouble.at));
            }
        });
    }

    /// Ends the stream: jobs that wait for a retry wait for ever.
    pub fn finish(self) -> FleetOutcome {
        let kinds = self.kinds.all();
        let context = self.context();
        self.pool.each_shard(|worker, _, shard| shard.finish(&context, &kinds, worker));
        let mut summaries: Vec<Summary> =
            self.engines.iter().map(|engine| Summary::new(engine.rules().len())).collect();
        for worker in self.pool.into_parts().0 {
            for (summary, part) in summaries.iter_mut().zip(worker.summaries) {
                summary.merge(part);
            }
        }
        let (kept, findings) = self.reader.finish();
        FleetOutcome { summaries, kept, findings }
    }
}

fn context<'c, E: Streamed>(
    engines: &'c [E],
    kinds: &'c Kinds<E::Course>,
    options: &'c FleetOptions,
) -> read::Context<'c, E> {
    let FleetOptions { bounds, only, key, .. } = options;
    read::Context { engines, kinds, bounds: *bounds, only: only.as_deref(), key: *key }
}
