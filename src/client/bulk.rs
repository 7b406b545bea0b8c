//! Many requests at the same time, but not too many.

use std::future::Future;
use std::ops::ControlFlow;
use tokio::task::{JoinError, JoinSet};

/// Does `work` for every item, at most `limit` at a time, and hands each result to `done` with the
/// item's index, in the order in which they are ready. `Break` from `done` begins nothing new:
/// what is under way is finished and handed over.
pub async fn bounded<I, T, F>(
    limit: usize,
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I) -> F,
    mut done: impl FnMut(usize, T) -> ControlFlow<()>,
) where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    let mut items = items.into_iter().enumerate();
    let mut running = JoinSet::new();
    let mut open = true;
    loop {
        while open && running.len() < limit.max(1) {
            let Some((index, item)) = items.next() else { break };
            let work = work(item);
            running.spawn(async move { (index, work.await) });
        }
        let Some(finished) = running.join_next().await else { return };
        let (index, result) = finished.unwrap_or_else(|error| panicked(error));
        open &= done(index, result).is_continue();
    }
}

/// Nothing here is ever cancelled: a task that gives no result has panicked.
fn panicked(error: JoinError) -> ! {
    std::panic::resume_unwind(error.into_panic())
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
        runtime.block_on(bounded(limit, 0..20, work, |index, result| {
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
}
