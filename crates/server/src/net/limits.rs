//! Limits per client, for all files of this folder.

use std::time::Duration;

/// Limits per client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a request's body, in bytes.
    pub body: u64,
    /// The maximum time for a request's body, and for a pause of the client in reading the answer. The limit
    /// for the head is a third of it.
    pub time: Duration,
    /// The maximum of concurrent connections that have sent something; further ones wait.
    pub connections: usize,
}

impl Limits {
    /// The maximum time until a request's first byte, for its head, and for an idle connection.
    pub(super) fn head_time(self) -> Duration {
        self.time / 3
    }

    /// The maximum of bytes that are read of a body that is too large. A client may read the answer only
    /// after it has sent the whole body, so the rest is read up to this limit.
    pub(super) fn discarded(self) -> u64 {
        self.body.saturating_mul(4)
    }

    /// The time that shutdown waits for current requests.
    pub(super) fn grace(self) -> Duration {
        self.time.min(Duration::from_secs(10))
    }
}
