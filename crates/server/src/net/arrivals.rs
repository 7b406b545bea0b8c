//! Connections from their arrival to the first byte of a request. Only then do they need one of the places of
//! `--max-connections`, so that clients that send nothing keep nobody waiting.

use super::Limits;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// The open connections beyond those that are served.
// With the default limit the sum stays below the 1,024 file descriptors that a process usually has.
const MAX_WAITING: usize = 512;

/// The open connections, and those of them that have sent nothing, the oldest first.
pub(super) struct Arrivals {
    open: Arc<Semaphore>,
    silent: VecDeque<AbortHandle>,
}

impl Arrivals {
    pub(super) fn new(limits: Limits) -> Self {
        let open = Arc::new(Semaphore::new(limits.connections + MAX_WAITING));
        Self { open, silent: VecDeque::new() }
    }

    /// Admits a connection that was accepted: at the limit the oldest silent one is closed for it; if none is
    /// silent, it waits until one ends.
    pub(super) async fn admit(&mut self) -> Option<OwnedSemaphorePermit> {
        // Finished tasks are dropped at each arrival, so that the list stays as short as the connections that are open.
        self.silent.retain(|task| !task.is_finished());
        if self.open.available_permits() == 0 {
            self.close_oldest();
        }
        // It fails only if the semaphore is closed, which it never is.
        Arc::clone(&self.open).acquire_owned().await.ok()
    }

    /// Adds the task of a silent connection; the task ends with the silence.
    pub(super) fn add(&mut self, task: AbortHandle) {
        self.silent.push_back(task);
    }

    /// Closes the connection that has been silent for the longest time.
    pub(super) fn close_oldest(&mut self) {
        if let Some(task) = self.silent.pop_front() {
            task.abort();
        }
    }
}

/// Waits for the first byte of a request; `false` if the client closes or its time is over.
pub(super) async fn speaks(stream: &TcpStream, limits: Limits) -> bool {
    // Peeked, not read: the byte belongs to the request.
    let first: io::Result<usize> = match timeout(limits.head_time(), stream.peek(&mut [0])).await {
        Ok(first) => first,
        Err(_) => return false,
    };
    first.is_ok_and(|bytes| bytes > 0)
}
