//! Concurrent requests, up to a limit, and requests to stop them.

use super::change::{Timing, Wait};
use super::http;
use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinError, JoinSet};

/// Runs `work` for every item, at most `limit` at a time. Each result goes to `done`, with the item's index,
/// in the order of completion. After `done` returns `Break`, no further item starts; the running ones finish,
/// and their results go to `done` too.
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

/// Like [`run_bounded`], but the work of each item has one of `limit` [`Slot`]s. While the work waits, its
/// slot goes to another item. After a `stop`, no further item starts, and waits end.
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
    // A semaphore without permits would let nothing start, forever.
    let slots = Arc::new(Semaphore::new(limit.max(1)));
    let mut items = items.into_iter().enumerate().peekable();
    let mut running = JoinSet::new();
    let mut open = true;
    loop {
        let more = open && !stop.is_requested() && items.peek().is_some();
        tokio::select! {
            // Results come first: the next one may make `done` return `Break`.
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

/// Resumes a task's panic. Tasks are never cancelled, so a task without a result has panicked.
fn resume_panic(error: JoinError) -> ! {
    std::panic::resume_unwind(error.into_panic())
}

/// A request to stop, shared by its clones: running work finishes, and no further work starts. Any thread may
/// make it.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    /// A stop that has not been requested.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Requests the stop. Returns whether it had been requested before.
    pub fn request(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Whether the stop has been requested.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the stop is requested.
    pub async fn requested(&self) {
        // `self` owns the sender, so the wait ends only with the request.
        let _ = self.0.subscribe().wait_for(|requested| *requested).await;
    }
}

/// The right of one item to send requests. Dropping it returns it.
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
        http::draw()
    }

    async fn wait(&mut self, time: Duration) -> Wait {
        self.permit = None;
        self.hold(time).await;
        // The semaphore is never closed.
        self.permit = Arc::clone(&self.slots).acquire_owned().await.ok();
        if self.stop.is_requested() { Wait::Interrupted } else { Wait::Complete }
    }

    async fn hold(&mut self, time: Duration) -> Wait {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.stop.requested() => {}
        }
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

    /// Twenty items wait at the same time with two slots. A stop ends the waits and starts no further item.
    #[test]
    fn who_waits_leaves_the_slot_to_others() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let stop = Stop::default();
        let waiting = Arc::new(AtomicUsize::new(0));
        let work = |_: usize, mut slot: Slot| {
            let (waiting, stop) = (Arc::clone(&waiting), stop.clone());
            async move {
                // Only the last item reaches this, after every item has started.
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
