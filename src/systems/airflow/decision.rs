//! What is decided about a try that has failed.

use super::delay::Delay;
use super::eligible::Eligibility;

/// A decision about one failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether another try follows, and why.
    pub eligibility: Eligibility,
    /// The number of the try that failed.
    pub try_number: i32,
    /// The limit that the number was held against.
    pub max_tries: i32,
    /// How long the next try waits; none where there is none.
    pub delay: Option<Delay>,
    /// Tries that were followed by another so far, this one included.
    pub retried: u32,
}

impl Decision {
    /// The decision's code, as outputs show it.
    pub fn code(&self) -> &'static str {
        match self.eligibility {
            Eligibility::Restarting => "retry_restarting",
            Eligibility::TriesLeft => "retry",
            Eligibility::ForceFail => "fail_forced",
            Eligibility::NoRetries => "fail_no_retries",
            Eligibility::TriesUsedUp => "fail_tries_used_up",
        }
    }

    /// The system's own word: the state that the task instance gets (`handle_failure`).
    pub fn action(&self) -> &'static str {
        if self.eligibility.retries() { "up_for_retry" } else { "failed" }
    }
}
