//! A request to stop: work that is under way ends in order, and nothing new begins.

use std::sync::Arc;
use tokio::sync::watch;

/// A request to stop, shared by its clones. Any thread may make it.
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
