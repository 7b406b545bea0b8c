//! A pool of threads: any thread reads the next piece; a shard belongs to one thread at a time.
//!
//! Owns the scheduling of the work. The work itself is passed in.

use crate::history::Piece;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Limit of threads. More threads than cores do not help, and an operating system refuses threads from some number
/// on.
pub(in crate::simulate) const MAX_THREADS: usize = 256;

/// Number of shards: enough that no thread is idle for long while others finish their last shard, and few enough
/// that a piece of 1 MiB has lines for each.
pub(super) const SHARDS: usize = 64;

/// The workers of the threads, the shards, and the pieces of a batch.
pub(super) struct Pool<W, S, P> {
    workers: Vec<Mutex<W>>,
    shards: Vec<Mutex<S>>,
    slots: Vec<Mutex<PieceSlot<P>>>,
}

/// A piece and the distribution of its lines. The buffers of both are reused by the next batch.
pub(super) struct PieceSlot<P> {
    pub(super) piece: Piece,
    pub(super) distribution: P,
}

/// The slots of a pool.
pub(super) type Slots<P> = Vec<Mutex<PieceSlot<P>>>;

/// The source of pieces. Threads take pieces from it in turn.
struct Feed<F> {
    next: F,
    /// Number of pieces so far.
    count: usize,
    is_finished: bool,
}

impl<W: Send, S: Send, P: Send> Pool<W, S, P> {
    /// A pool of `threads` threads, with `batch` pieces a batch.
    pub(super) fn new(
        threads: NonZeroUsize,
        batch: NonZeroUsize,
        worker: impl Fn() -> W,
        shard: impl Fn() -> S,
        distribution: impl Fn() -> P,
    ) -> Self {
        let slot =
            |_| Mutex::new(PieceSlot { piece: Piece::default(), distribution: distribution() });
        Self {
            workers: (0..threads.get().min(MAX_THREADS)).map(|_| Mutex::new(worker())).collect(),
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
            slots: (0..batch.get()).map(slot).collect(),
        }
    }

    /// Reads the pieces of a batch. `feed` replaces its argument by the next piece, or returns `false` if there
    /// is none; all threads call it in turn. Returns the number of pieces, and whether they were the last.
    pub(super) fn read(
        &self,
        feed: impl FnMut(&mut Piece) -> bool + Send,
        read: impl Fn(&mut W, &mut Piece, &mut P) + Sync,
    ) -> (usize, bool) {
        let feed = Mutex::new(Feed { next: feed, count: 0, is_finished: false });
        self.on_all_threads(|worker| {
            loop {
                // The thread that has read a piece distributes its lines, while the bytes are in its cache.
                let slot = self.take(&mut lock(&feed));
                let Some(mut slot) = slot else { return };
                let PieceSlot { piece, distribution } = &mut *slot;
                read(worker, piece, distribution);
            }
        });
        let feed = feed.into_inner().unwrap_or_else(PoisonError::into_inner);
        (feed.count, feed.is_finished)
    }

    /// Takes the next piece, if there is one and a slot for it.
    fn take<F>(&self, feed: &mut Feed<F>) -> Option<MutexGuard<'_, PieceSlot<P>>>
    where
        F: FnMut(&mut Piece) -> bool,
    {
        if feed.is_finished {
            return None;
        }
        // The source is locked meanwhile, so that pieces get their slots in the order of the stream.
        let mut slot = lock(self.slots.get(feed.count)?);
        feed.is_finished = !(feed.next)(&mut slot.piece);
        feed.count += usize::from(!feed.is_finished);
        (!feed.is_finished).then_some(slot)
    }

    /// Takes the slots out, so that their pieces can be read while the pool works.
    pub(super) fn take_slots(&mut self) -> Slots<P> {
        std::mem::take(&mut self.slots)
    }

    pub(super) fn put_back(&mut self, slots: Slots<P>) {
        self.slots = slots;
    }

    /// Calls `work` once for each shard, on all threads.
    pub(super) fn each_shard(&self, work: impl Fn(&mut W, usize, &mut S) + Sync) {
        let next = AtomicUsize::new(0);
        self.on_all_threads(|worker| {
            loop {
                // Relaxed suffices: the number alone is shared, and the lock of the shard orders its data.
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(shard) = self.shards.get(number) else { return };
                work(worker, number, &mut lock(shard));
            }
        });
    }

    /// Calls `work` for all workers at the same time: the first on this thread, each other on a thread of its own.
    /// If this thread only waited, there would be one more thread than cores, and one of them would wait for
    /// milliseconds.
    fn on_all_threads(&self, work: impl Fn(&mut W) + Sync) {
        let [first, others @ ..] = self.workers.as_slice() else { return };
        let work = |worker: &Mutex<W>| work(&mut lock(worker));
        std::thread::scope(|scope| {
            let work = &work;
            let run = |worker| scope.spawn(move || work(worker));
            let threads: Vec<_> = others.iter().map(run).collect();
            work(first);
            for thread in threads {
                // A panic of a thread is passed on: no job may be lost silently.
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
    }

    /// The first worker and a shard, while no thread runs.
    pub(super) fn worker_and_shard(&mut self, shard: usize) -> Option<(&mut W, &mut S)> {
        let worker = self.workers.first_mut()?;
        let shard = self.shards.get_mut(shard)?;
        Some((
            worker.get_mut().unwrap_or_else(PoisonError::into_inner),
            shard.get_mut().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// The workers, while no thread runs.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut W> {
        let workers = self.workers.iter_mut();
        workers.map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// The shards, while no thread runs.
    pub(super) fn shards(&mut self) -> impl Iterator<Item = &mut S> {
        let shards = self.shards.iter_mut();
        shards.map(|shard| shard.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The first `count` slots: those with pieces of the batch.
pub(super) fn filled_slots<P>(slots: &mut Slots<P>, count: usize) -> Vec<&mut PieceSlot<P>> {
    let slots = slots.iter_mut().take(count);
    slots.map(|slot| slot.get_mut().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Reports about lines of a batch.
pub(super) struct LineReports<T> {
    /// Each with the number of its piece in the batch and the byte at which it begins there.
    reports: Vec<((usize, usize), T)>,
}

impl<T> LineReports<T> {
    /// Reports in any order, each with the number of its piece and its byte there.
    pub(super) fn new(reports: impl IntoIterator<Item = ((usize, usize), T)>) -> Self {
        let mut reports: Vec<_> = reports.into_iter().collect();
        // In the order of the stream, as threads end in any order.
        reports.sort_by_key(|(position, _)| *position);
        Self { reports }
    }

    /// Passes them to `report` in the order of the stream, each with its piece, its byte there and its line
    /// number in the stream. The stream has `lines` before the batch; `count` is the lines of a piece.
    pub(super) fn each<P>(
        self,
        slots: &[&mut PieceSlot<P>],
        lines: &mut usize,
        count: impl Fn(&P) -> usize,
        mut report: impl FnMut(&PieceSlot<P>, (usize, usize), T),
    ) {
        let mut reports = self.reports.into_iter().peekable();
        for (number, slot) in slots.iter().map(|slot| &**slot).enumerate() {
            if slot.piece.begins {
                *lines = 0;
            }
            // Line breaks are counted from one report to the next: counting from the start of the piece for each
            // report would take quadratic time.
            let (mut from, mut line) = (0, *lines + 1);
            while let Some(((_, at), item)) = reports.next_if(|((piece, _), _)| *piece == number) {
                let between = slot.piece.bytes.get(from..at).unwrap_or_default();
                line += memchr::memchr_iter(b'\n', between).count();
                from = at;
                report(slot, (at, line), item);
            }
            *lines += count(&slot.distribution);
        }
    }
}

/// Locks a mutex. A poisoned one is locked too: the panic that poisoned it ends the replay anyway.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
