//! Concurrent requests, up to a limit, and requests to stop them.

use super::change::{Timing, Wait};
use super::transport;
use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinError, JoinSet};

/// Does `work` for every item, at most `limit` at a time, and hands each result to `done` with the
/// item's index, in the order in which they are ready. After `Break` from `done` no item begins:
/// current ones are finished and handed over.
pub async fn run_bounded<I, T, F>(
    limit: usize,
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I) -> F,
    done: impl FnMut(usize, T) -> ControlFlow<()>,
) where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let hold = |item, slot: Slot| {
        let work = work(item);
        async move {
            let result = work.await;
            drop(slot);
            result
        }
    };
    run_stoppable(limit, &Stop::default(), items, hold, done).await;
}

/// The same, where the work of each item holds a [`Slot`] of the `limit` that there are. While it
/// waits, its slot goes to another item. After a `stop` no item begins either, and waits end.
pub async fn run_stoppable<I, T, F>(
    limit: usize,
    stop: &Stop,
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I, Slot) -> F,
    mut done: impl FnMut(usize, T) -> ControlFlow<()>,
) where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let slots = Arc::new(Semaphore::new(limit.max(1)));
    let mut items = items.into_iter().enumerate().peekable();
    let mut running = JoinSet::new();
    let mut open = true;
    loop {
        let more = open && !stop.is_requested() && items.peek().is_some();
        tokio::select! {
            // A result is handed over before anything begins: it may be the last one wanted.
            biased;
            Some(finished) = running.join_next() => {
                let (index, result) = finished.unwrap_or_else(|error| resume_panic(error));
                open &= done(index, result).is_continue();
            }
            () = stop.requested(), if more => {}
            Ok(permit) = Arc::clone(&slots).acquire_owned(), if more => {
                let Some((index, item)) = items.next() else { continue };
                let slot = Slot::new(permit, &slots, stop);
                let work = work(item, slot);
                running.spawn(async move { (index, work.await) });
            }
            else => return,
        }
    }
}

/// Tasks are never cancelled, so one without a result has panicked.
fn resume_panic(error: JoinError) -> ! {
    std::panic::resume_unwind(error.into_panic())
}

/// A request to stop, shared by its clones: current work ends in order, and none begins. Any thread
/// may make it.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    /// One that has not been requested.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Requests it, and returns whether it had been requested before.
    pub fn request(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Whether it has been requested.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is requested.
    pub async fn requested(&self) {
        // The sender lives in `self`, so that the wait ends with the request only.
        let _ = self.0.subscribe().wait_for(|requested| *requested).await;
    }
}

/// The right of one item to send requests, given back when it is dropped.
#[derive(Debug)]
pub struct Slot {
    permit: Option<OwnedSemaphorePermit>,
    slots: Arc<Semaphore>,
    stop: Stop,
    begin: Instant,
}

impl Slot {
    fn new(permit: OwnedSemaphorePermit, slots: &Arc<Semaphore>, stop: &Stop) -> Self {
        let (slots, stop) = (Arc::clone(slots), stop.clone());
        Self { permit: Some(permit), slots, stop, begin: Instant::now() }
    }
}

impl Timing for Slot {
    fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    fn draw(&mut self) -> f64 {
        transport::draw()
    }

    async fn wait(&mut self, time: Duration) -> Wait {
        self.permit = None;
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.stop.requested() => {}
        }
        // The semaphore is never closed.
        self.permit = Arc::clone(&self.slots).acquire_owned().await.ok();
        if self.stop.is_requested() { Wait::Interrupted } else { Wait::Complete }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    fn run(limit: usize, stop_after: usize) -> (Vec<usize>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut seen = Vec::new();
        let work = |item: usize| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                item * 2
            }
        };
        runtime.block_on(run_bounded(limit, 0..20, work, |index, result| {
            assert_eq!(result, index * 2);
            seen.push(index);
            if seen.len() >= stop_after {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }));
        seen.sort_unstable();
        (seen, most.load(Ordering::SeqCst))
    }

    #[test]
    fn everything_is_done_and_never_too_much_at_once() {
        assert_eq!(run(4, 99), ((0..20).collect(), 4));
        assert_eq!(run(0, 99), ((0..20).collect(), 1));
    }

    #[test]
    fn what_is_under_way_is_finished() {
        let (seen, _) = run(4, 1);
        assert!((4..=5).contains(&seen.len()), "{seen:?}");
    }

    /// Twenty items wait at the same time in two slots; a stop ends the waits and begins no other.
    #[test]
    fn who_waits_leaves_the_slot_to_others() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let stop = Stop::default();
        let waiting = Arc::new(AtomicUsize::new(0));
        let work = |_: usize, mut slot: Slot| {
            let (waiting, stop) = (Arc::clone(&waiting), stop.clone());
            async move {
                // Only if every item has begun does the last one get here.
                if waiting.fetch_add(1, Ordering::SeqCst) == 19 {
                    stop.request();
                }
                slot.wait(Duration::from_hours(1)).await
            }
        };
        let mut waits = Vec::new();
        runtime.block_on(run_stoppable(2, &stop, 0..40, work, |_, wait| {
            waits.push(wait);
            ControlFlow::Continue(())
        }));
        assert_eq!(waits, [Wait::Interrupted; 20]);
    }
}
