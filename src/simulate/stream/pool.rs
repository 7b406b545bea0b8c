//! Threads over pieces and shards: any thread reads the next piece; a shard belongs to one thread at a
//! time.
//!
//! Owns the scheduling of the work, not the work.

use crate::history::Piece;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More threads do not help, and the system refuses them at some point.
pub(in crate::simulate) const MAX_THREADS: usize = 256;

/// Number of shards: enough that the last ones to finish leave no thread idle for long, and few enough that a
/// piece of 1 MiB has lines for each.
pub(super) const SHARDS: usize = 64;

/// Threads' workers, the shards, and the pieces of a batch.
pub(super) struct Pool<W, S, P> {
    workers: Vec<Mutex<W>>,
    shards: Vec<Mutex<S>>,
    slots: Vec<Mutex<Slot<P>>>,
}

/// A piece and what was read of it. Both keep their room from one batch to the next.
pub(super) struct Slot<P> {
    pub(super) piece: Piece,
    pub(super) parsed: P,
}

/// The slots of a pool.
pub(super) type Slots<P> = Vec<Mutex<Slot<P>>>;

/// Where pieces come from. Whoever has read the last one takes the next.
struct Feed<F> {
    next: F,
    /// Pieces taken.
    taken: usize,
    ended: bool,
}

impl<W: Send, S: Send, P: Send> Pool<W, S, P> {
    /// A pool for so many threads and so many pieces a batch.
    pub(super) fn new(
        threads: NonZeroUsize,
        batch: NonZeroUsize,
        worker: impl Fn() -> W,
        shard: impl Fn() -> S,
        parsed: impl Fn() -> P,
    ) -> Self {
        let slot = |_| Mutex::new(Slot { piece: Piece::default(), parsed: parsed() });
        Self {
            workers: (0..threads.get().min(MAX_THREADS)).map(|_| Mutex::new(worker())).collect(),
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
            slots: (0..batch.get()).map(slot).collect(),
        }
    }

    /// Reads the pieces of a batch. `feed` puts the next piece over the one it is given, or says
    /// `false` if there is none; it is asked by all threads in turn. Gives the number of pieces,
    /// and whether they were the last.
    pub(super) fn read(
        &self,
        feed: impl FnMut(&mut Piece) -> bool + Send,
        read: impl Fn(&mut W, &mut Piece, &mut P) + Sync,
    ) -> (usize, bool) {
        let feed = Mutex::new(Feed { next: feed, taken: 0, ended: false });
        self.on_all_threads(|worker| {
            loop {
                // A piece is parsed by the thread that has read it, while its bytes are near.
                let taken = self.take(&mut locked(&feed));
                let Some(mut slot) = taken else { return };
                let Slot { piece, parsed } = &mut *slot;
                read(worker, piece, parsed);
            }
        });
        let feed = feed.into_inner().unwrap_or_else(PoisonError::into_inner);
        (feed.taken, feed.ended)
    }

    /// Takes the next piece, if there is one and room for it.
    fn take<F>(&self, feed: &mut Feed<F>) -> Option<MutexGuard<'_, Slot<P>>>
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

    /// Takes the slots out, so that the pool can work on what they hold.
    pub(super) fn take_slots(&mut self) -> Slots<P> {
        std::mem::take(&mut self.slots)
    }

    /// Puts them back.
    pub(super) fn put_back(&mut self, slots: Slots<P>) {
        self.slots = slots;
    }

    /// Does something with each shard once, on all threads.
    pub(super) fn each_shard(&self, work: impl Fn(&mut W, usize, &mut S) + Sync) {
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
    fn on_all_threads(&self, work: impl Fn(&mut W) + Sync) {
        let [here, others @ ..] = self.workers.as_slice() else { return };
        let work = |worker: &Mutex<W>| work(&mut locked(worker));
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

    /// The first worker and a shard, while no thread has one.
    pub(super) fn one(&mut self, shard: usize) -> Option<(&mut W, &mut S)> {
        let worker = self.workers.first_mut()?;
        let shard = self.shards.get_mut(shard)?;
        let inner = |poison| PoisonError::into_inner(poison);
        Some((
            worker.get_mut().unwrap_or_else(inner),
            shard.get_mut().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// The workers, while no thread has one.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut W> {
        let workers = self.workers.iter_mut();
        workers.map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// The workers and the shards, when all is done.
    pub(super) fn into_parts(self) -> (impl Iterator<Item = W>, impl Iterator<Item = S>) {
        (self.workers.into_iter().map(inner), self.shards.into_iter().map(inner))
    }
}

/// The slots that were filled.
pub(super) fn filled<P>(slots: &mut Slots<P>, taken: usize) -> Vec<&mut Slot<P>> {
    let slots = slots.iter_mut().take(taken);
    slots.map(|slot| slot.get_mut().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Lines of a batch that are reported.
pub(super) struct ReportedLines<T> {
    /// Each with the number of its piece in the batch and the byte at which it begins there.
    found: Vec<((usize, usize), T)>,
}

impl<T> ReportedLines<T> {
    /// Lines in any order, each with its piece's number and its byte there.
    pub(super) fn new(found: impl IntoIterator<Item = ((usize, usize), T)>) -> Self {
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|(place, _)| *place);
        Self { found }
    }

    /// Passes them to `report` in the order of the stream, each with its piece, its byte there and its line
    /// number in the stream. The stream has `lines` before the batch; `count` is the lines of a piece.
    pub(super) fn each<P>(
        self,
        slots: &[&mut Slot<P>],
        lines: &mut usize,
        count: impl Fn(&P) -> usize,
        mut report: impl FnMut(&Slot<P>, (usize, usize), T),
    ) {
        let mut found = self.found.into_iter().peekable();
        for (number, slot) in slots.iter().map(|slot| &**slot).enumerate() {
            if slot.piece.begins {
                *lines = 0;
            }
            // Lines are counted from one to the next, not from the beginning each time.
            let (mut from, mut line) = (0, *lines + 1);
            while let Some(((_, at), thing)) = found.next_if(|((piece, _), _)| *piece == number) {
                let between = slot.piece.bytes.get(from..at).unwrap_or_default();
                line += memchr::memchr_iter(b'\n', between).count();
                from = at;
                report(slot, (at, line), thing);
            }
            *lines += count(&slot.parsed);
        }
    }
}

fn inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What nobody else has now. A thread that panicked takes the others along, so nobody looks at what
/// it left.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
