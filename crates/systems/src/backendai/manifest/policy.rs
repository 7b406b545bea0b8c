//! A retry policy with the draft's defaults.

use super::cause::Causes;
use document::choices;

/// A retry policy with every default filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// The number of retries of a session; attempts are one more. The draft keeps it in a 32-bit column.
    pub max_retries: u32,
    /// The delay of a fixed retry, or of the first exponential one; in seconds, above 0.
    pub retry_delay: f64,
    /// How delays grow.
    pub backoff: BackoffStrategy,
    /// The factor from each delay to the next, above 0; delays shrink if it is below 1.
    pub backoff_multiplier: f64,
    /// The maximum delay, in seconds, above 0; if absent, 24 hours.
    pub max_retry_delay: Option<f64>,
    /// The jitter that is added to a delay.
    pub jitter: JitterMode,
    /// The maximum jitter, as a fraction of the delay: from 0 to 1.
    pub jitter_ratio: f64,
    /// The causes that are retried.
    pub eligible_causes: Causes,
    /// Whether events are emitted.
    pub emit_retry_events: bool,
}

impl RetryPolicy {
    /// Returns whether the policy retries any cause.
    pub fn can_retry(&self) -> bool {
        self.max_retries > 0 && self.eligible_causes.iter().any(|one| !one.is_never_retried())
    }
}

impl Default for RetryPolicy {
    /// Returns the draft's defaults, which retry nothing.
    fn default() -> Self {
        Self {
            max_retries: 0,
            retry_delay: 60.0,
            backoff: BackoffStrategy::Fixed,
            backoff_multiplier: 2.0,
            max_retry_delay: Some(3600.0),
            jitter: JitterMode::Deterministic,
            jitter_ratio: 0.25,
            eligible_causes: Causes::eligible(),
            emit_retry_events: true,
        }
    }
}

choices! {
    /// How delays grow.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum BackoffStrategy = "backoff" {
        /// Every wait is retry_delay.
        Fixed = "fixed",
        /// retry_delay times backoff_multiplier to the power of the failed session's retry count,
        /// which is 0 for the first.
        Exponential = "exponential",
    }
}

choices! {
    /// The jitter that is added to a delay.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JitterMode = "jitter" {
        /// Nothing.
        None = "none",
        /// Computed from the SHA-1 of the failed session's id and retry count, as options define it.
        Deterministic = "deterministic",
        /// Drawn at random, evenly.
        Random = "random",
    }
}
