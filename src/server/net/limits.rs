//! What a client may take.

use std::time::Duration;

/// What a client may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: u64,
    /// How long a request's body, or a pause in taking its answer, may last. Its head may take a
    /// third of that.
    pub time: Duration,
    /// Connections at a time; further ones wait.
    pub connections: usize,
}

impl Limits {
    /// How long a request's head may take, and a connection may be idle.
    pub(super) fn head_time(self) -> Duration {
        self.time / 3
    }

    /// Bytes of a body that are read though it is too large: a client that has not sent all of it
    /// would not see the answer.
    pub(super) fn discarded(self) -> u64 {
        self.body.saturating_mul(4)
    }

    /// How long the end waits for requests on their way.
    pub(super) fn grace(self) -> Duration {
        self.time.min(Duration::from_secs(10))
    }
}
