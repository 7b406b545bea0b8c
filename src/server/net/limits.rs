//! Limits per client. Every file of this folder uses them.

use std::time::Duration;

/// Limits per client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: u64,
    /// The maximum time for a request's body, and for a pause of the client in reading the answer.
    /// The head may take a third of it.
    pub time: Duration,
    /// Maximum of concurrent connections; further ones wait.
    pub connections: usize,
}

impl Limits {
    /// The maximum time for a request's head, and for an idle connection.
    pub(super) fn head_time(self) -> Duration {
        self.time / 3
    }

    /// Bytes that are read of a body that is too large: a client that cannot send all of it
    /// would not read the answer.
    pub(super) fn discarded(self) -> u64 {
        self.body.saturating_mul(4)
    }

    /// The time that shutdown waits for current requests.
    pub(super) fn grace(self) -> Duration {
        self.time.min(Duration::from_secs(10))
    }
}
