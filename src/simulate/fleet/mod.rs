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
use std::sync::{Mutex, PoisonError};

/// Whole lines of a stream.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'b> {
    /// What people call the stream.
    pub name: &'b str,
    /// Whether the stream begins here.
    pub begins: bool,
    /// The lines.
    pub bytes: &'b [u8],
}

/// How a fleet's history is replayed.
#[derive(Debug, Clone)]
pub struct FleetOptions {
    /// How many threads read and judge.
    pub threads: NonZeroUsize,
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
        let worker = |_| Mutex::new(Worker::new(names, &rules));
        let shard = |_| Mutex::new(Shard::new(engines.len()));
        Self {
            engines,
            kinds: Kinds::default(),
            workers: (0..options.threads.get().min(MOST_THREADS)).map(worker).collect(),
            shards: (0..SHARDS).map(shard).collect(),
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

    /// Replays the next pieces of the stream; `false` once so many bad records were found that
    /// reading on helps nobody.
    pub fn batch(&mut self, pieces: &[Piece<'_>]) -> bool {
        let mut parsed = self.read(pieces);
        self.agree_on_times(pieces, &mut parsed);
        self.judge(pieces, &parsed);
        self.events += parsed.iter().map(|piece| piece.runs() as u64).sum::<u64>();
        self.bytes += pieces.iter().map(|piece| piece.bytes.len() as u64).sum::<u64>();
        self.tell(pieces, &parsed);
        !self.reader.is_full()
    }

    /// Phase one: every piece by itself.
    fn read(&self, pieces: &[Piece<'_>]) -> Vec<Parsed<E>> {
        let context = self.context();
        let done: Vec<Mutex<Option<Parsed<E>>>> = pieces.iter().map(|_| Mutex::default()).collect();
        self.on_all_threads(pieces.len(), |worker, number| {
            let parsed = worker.read(&context, pieces[number], Clock::of_lines());
            *done[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(parsed);
        });
        let done = done.into_iter().map(Mutex::into_inner);
        done.filter_map(|parsed| parsed.unwrap_or_else(PoisonError::into_inner)).collect()
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
    fn agree_on_times(&mut self, pieces: &[Piece<'_>], parsed: &mut [Parsed<E>]) {
        for (piece, parsed) in pieces.iter().zip(parsed) {
            if piece.begins {
                self.clock = Clock::of_lines();
            }
            if !self.clock.agrees_with(&parsed.clock) {
                let mut worker = self.workers[0].lock().unwrap_or_else(PoisonError::into_inner);
                *parsed = worker.read(&self.context(), *piece, self.clock);
            }
            parsed.before = self.clock;
            self.clock = self.clock.after(&parsed.clock);
        }
    }

    /// Phase two: every shard takes its events in order.
    fn judge(&self, pieces: &[Piece<'_>], parsed: &[Parsed<E>]) {
        let kinds = self.kinds.all();
        let context = self.context();
        self.on_all_threads(self.shards.len(), |worker, number| {
            let mut shard = self.shards[number].lock().unwrap_or_else(PoisonError::into_inner);
            let mut before = self.bytes;
            for (place, (piece, parsed)) in pieces.iter().zip(parsed).enumerate() {
                let batch = step::Batch {
                    context: &context,
                    kinds: &kinds,
                    bytes: piece.bytes,
                    parsed,
                    piece: place,
                    before,
                };
                batch.shard(&mut shard, worker, number);
                before += piece.bytes.len() as u64;
            }
        });
    }

    /// Says what was wrong, and keeps what has to be kept whole, in the order of the stream.
    fn tell(&mut self, pieces: &[Piece<'_>], parsed: &[Parsed<E>]) {
        let mut troubles = Vec::new();
        for worker in &mut self.workers {
            let worker = worker.get_mut().unwrap_or_else(PoisonError::into_inner);
            troubles.append(&mut worker.troubles);
        }
        troubles.sort_by_key(|trouble| (trouble.piece, trouble.at));
        let mut troubles = troubles.into_iter().peekable();
        for (number, (piece, parsed)) in pieces.iter().zip(parsed).enumerate() {
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
                    trouble.tell(&mut self.reader, *piece, line, parsed.clock_at(trouble.at));
                }
            }
            self.lines += parsed.lines;
        }
    }

    /// Does a number of things, each once, on all threads.
    fn on_all_threads(&self, things: usize, work: impl Fn(&mut Worker<'e, E>, usize) + Sync) {
        let next = AtomicUsize::new(0);
        let run = |worker: &Mutex<Worker<'e, E>>| {
            let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= things {
                    return;
                }
                work(&mut worker, number);
            }
        };
        if let [only] = self.workers.as_slice() {
            return run(only);
        }
        std::thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> =
                self.workers.iter().map(|worker| scope.spawn(move || run(worker))).collect();
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
        self.on_all_threads(self.shards.len(), |worker, number| {
            let shard = self.shards[number].lock().unwrap_or_else(PoisonError::into_inner);
            shard.finish(&context, &kinds, worker);
        });
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
