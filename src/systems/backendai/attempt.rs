//! "Attempt N of M", which the draft shows of a session and does not define.

use std::fmt;

/// Which attempt a session is, of how many: 1 for the first run, of one more than there are
/// retries (ours; the draft defines only the total). A session may be beyond its policy's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// N.
    pub number: u64,
    /// M.
    pub of: u64,
}

impl Attempt {
    /// The attempt of a session with this `retry_count`.
    pub fn new(retry_count: u32, max_retries: u32) -> Self {
        Self { number: u64::from(retry_count) + 1, of: u64::from(max_retries) + 1 }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.of)
    }
}
