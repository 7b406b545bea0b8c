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

mod blocks;
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
use super::run::MOST_THREADS;
use crate::diag::Findings;
use crate::history::{Clock, GraceBounds, History, Job, OnBadRecord, Reader};
use event::Parsed;
use kinds::Kinds;
use read::Worker;
use shard::Shard;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whole lines of a stream.
#[derive(Debug, Clone)]
pub struct Piece {
    /// What people call the stream.
    pub name: Arc<str>,
    /// Whether the stream begins here.
    pub begins: bool,
    /// The lines.
    pub bytes: Vec<u8>,
}

impl Default for Piece {
    fn default() -> Self {
        Self { name: "".into(), begins: false, bytes: Vec::new() }
    }
}

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

/// Shards of jobs. A shard is judged by one thread at a time.
const SHARDS: usize = 64;

/// The replay of a stream through one or more engines.
pub struct Fleet<'e, E: Streamed> {
    engines: &'e [E],
    options: FleetOptions,
    kinds: Kinds<E::Course>,
    workers: Vec<Mutex<Worker<'e, E>>>,
    shards: Vec<Mutex<Shard<E>>>,
    /// The pieces of a batch.
    slots: Vec<Mutex<Slot<E>>>,
    /// Reads what has to be kept whole, and says what is wrong with bad lines.
    reader: Reader,
    clock: Clock,
    /// Lines of the present stream that have been read.
    lines: usize,
    /// Runs so far, and the bytes that held them.
    events: u64,
    bytes: u64,
}

/// A piece and what was read of it. Both keep their room from one batch to the next.
struct Slot<E: Streamed> {
    piece: Piece,
    parsed: Parsed<E>,
}

/// Where pieces come from. Whoever has read the last one takes the next.
struct Feed<F> {
    next: F,
    /// Pieces taken.
    taken: usize,
    ended: bool,
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
        let worker = |_| Mutex::new(Worker::new(names, &rules));
        let shard = |_| Mutex::new(Shard::new(engines.len()));
        Self {
            engines,
            kinds: Kinds::default(),
            workers: (0..options.threads.get().min(MOST_THREADS)).map(worker).collect(),
            shards: (0..SHARDS).map(shard).collect(),
            slots: (0..options.batch.get()).map(|_| Mutex::new(Slot::new())).collect(),
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
        let workers = self.workers.iter_mut();
        let workers =
            workers.map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.kinds.jobs(workers.flat_map(|worker| worker.met.drain(..)))
    }

    /// Replays the next pieces of the stream. `feed` puts the next one over the one it is given,
    /// or says `false` if there is none; it is asked by all threads in turn.
    pub fn batch(&mut self, feed: impl FnMut(&mut Piece) -> bool + Send) -> Batch {
        let (taken, ended) = self.read(feed);
        let mut slots = std::mem::take(&mut self.slots);
        let mut filled: Vec<&mut Slot<E>> = slots
            .iter_mut()
            .take(taken)
            .map(|slot| slot.get_mut().unwrap_or_else(PoisonError::into_inner))
            .collect();
        self.agree_on_times(&mut filled);
        self.judge(&filled);
        self.tell(&filled);
        for slot in filled {
            self.events += slot.parsed.runs as u64;
            self.bytes += slot.piece.bytes.len() as u64;
        }
        self.slots = slots;
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
        let feed = Mutex::new(Feed { next: feed, taken: 0, ended: false });
        self.on_all_threads(|worker| {
            loop {
                // A piece is parsed by the thread that has read it, while its bytes are near.
                let taken = self.take(&mut locked(&feed));
                let Some(mut slot) = taken else { return };
                let Slot { piece, parsed } = &mut *slot;
                worker.read(&context, piece, Clock::of_lines(), parsed);
            }
        });
        let feed = feed.into_inner().unwrap_or_else(PoisonError::into_inner);
        (feed.taken, feed.ended)
    }

    /// Takes the next piece, if there is one and room for it.
    fn take<F>(&self, feed: &mut Feed<F>) -> Option<MutexGuard<'_, Slot<E>>>
    where
        F: FnMut(&mut Piece) -> bool,
    {
        if feed.ended {
            return None;
        }
        let mut slot = locked(self.slots.get(feed.taken)?);
        feed.ended = !(feed.next)(&mut slot.piece);
        feed.taken += usize::from(!feed.ended);
        (!feed.ended).then_some(slot)
    }

    fn context(&self) -> read::Context<'_, E> {
        read::Context {
            engines: self.engines,
            kinds: &self.kinds,
            bounds: self.options.bounds,
            only: self.options.only.as_deref(),
            key: self.options.key,
        }
    }

    /// Dates or offsets: the first time of a stream tells for all of it. A piece that took its
    /// times otherwise is read again.
    fn agree_on_times(&mut self, slots: &mut [&mut Slot<E>]) {
        for Slot { piece, parsed } in slots.iter_mut().map(|slot| &mut **slot) {
            if piece.begins {
                self.clock = Clock::of_lines();
            }
            if !self.clock.agrees_with(&parsed.clock) {
                let mut worker = locked(&self.workers[0]);
                worker.read(&self.context(), piece, self.clock, parsed);
            }
            parsed.before = self.clock;
            self.clock = self.clock.after(&parsed.clock);
        }
    }

    /// Phase two: every shard takes its events in order.
    fn judge(&self, slots: &[&mut Slot<E>]) {
        let kinds = self.kinds.all();
        let context = self.context();
        self.each_shard(|worker, number, shard| {
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

    /// Says what was wrong, and keeps what has to be kept whole, in the order of the stream.
    fn tell(&mut self, slots: &[&mut Slot<E>]) {
        let mut troubles = Vec::new();
        for worker in &mut self.workers {
            let worker = worker.get_mut().unwrap_or_else(PoisonError::into_inner);
            troubles.append(&mut worker.troubles);
        }
        troubles.sort_by_key(|trouble| (trouble.piece, trouble.at));
        let mut troubles = troubles.into_iter().peekable();
        for (number, Slot { piece, parsed }) in slots.iter().map(|slot| &**slot).enumerate() {
            if piece.begins {
                self.lines = 0;
            }
            // Lines are counted from one trouble to the next, not from the beginning each time.
            let (mut from, mut line) = (0, self.lines + 1);
            while let Some(trouble) = troubles.next_if(|trouble| trouble.piece == number) {
                let at = trouble.at as usize;
                line += memchr::memchr_iter(b'\n', &piece.bytes[from..at]).count();
                from = at;
                if !self.reader.is_full() {
                    trouble.tell(&mut self.reader, piece, line, parsed.clock_at(trouble.at));
                }
            }
            self.lines += parsed.lines;
        }
    }

    /// Does something with each shard once, on all threads.
    fn each_shard(&self, work: impl Fn(&mut Worker<'e, E>, usize, &mut Shard<E>) + Sync) {
        let next = AtomicUsize::new(0);
        self.on_all_threads(|worker| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(shard) = self.shards.get(number) else { return };
                work(worker, number, &mut locked(shard));
            }
        });
    }

    /// Does something with each worker at once: one on this thread, the others on threads of their
    /// own. A thread that only waited would keep one of the others from a core for milliseconds.
    fn on_all_threads(&self, work: impl Fn(&mut Worker<'e, E>) + Sync) {
        let [here, others @ ..] = self.workers.as_slice() else { return };
        let work = |worker: &Mutex<Worker<'e, E>>| work(&mut locked(worker));
        std::thread::scope(|scope| {
            let work = &work;
            let run = |worker| scope.spawn(move || work(worker));
            let threads: Vec<_> = others.iter().map(run).collect();
            work(here);
            for thread in threads {
                // A panic of a thread is this one's: no job may go missing in silence.
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
    }

    /// Ends the stream: jobs that wait for a retry wait for ever.
    pub fn finish(self) -> FleetOutcome {
        let kinds = self.kinds.all();
        let context = self.context();
        self.each_shard(|worker, _, shard| shard.finish(&context, &kinds, worker));
        let mut summaries: Vec<Summary> =
            self.engines.iter().map(|engine| Summary::new(engine.rules().len())).collect();
        for worker in self.workers {
            let worker = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (summary, part) in summaries.iter_mut().zip(worker.summaries) {
                summary.merge(part);
            }
        }
        let (kept, findings) = self.reader.finish();
        FleetOutcome { summaries, kept, findings }
    }
}

impl<E: Streamed> Slot<E> {
    fn new() -> Self {
        Self { piece: Piece::default(), parsed: Parsed::new(SHARDS) }
    }
}

/// What nobody else has now. A thread that panicked takes the others along, so nobody looks at what
/// it left.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
