//! The draft's `RetryPolicy` (seed, "`RetryPolicy` schema").

use super::cause::Causes;

/// A retry policy with every default filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryPolicy {
    /// Retries of a session; attempts are one more. The draft keeps it in a 32-bit column.
    pub max_retries: u32,
    /// What a retry waits at the least, or the first one does; in seconds, above 0.
    pub retry_delay: f64,
    /// How waits grow.
    pub backoff: BackoffStrategy,
    /// What every wait is multiplied by to get the next, above 0: below 1 waits shrink.
    pub backoff_multiplier: f64,
    /// The longest wait, in seconds, above 0; absent: 24 hours.
    pub max_retry_delay: Option<f64>,
    /// What is added to a wait.
    pub jitter: JitterMode,
    /// How much is added, at the most, as a part of the wait: from 0 to 1.
    pub jitter_ratio: f64,
    /// The causes that are retried.
    pub eligible_causes: Causes,
    /// Whether events are emitted.
    pub emit_retry_events: bool,
}

impl RetryPolicy {
    /// Whether it grants a retry of any cause.
    pub fn can_retry(&self) -> bool {
        self.max_retries > 0 && self.eligible_causes.iter().any(|one| !one.is_never_retried())
    }
}

impl Default for RetryPolicy {
    /// The draft's own defaults: nothing is retried.
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

/// How waits grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackoffStrategy {
    /// They do not.
    Fixed,
    /// By a factor with every retry.
    Exponential,
}

impl BackoffStrategy {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Exponential];

    /// The strategy as policies write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Exponential => "exponential",
        }
    }

    /// The strategy of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.as_str() == name)
    }
}

/// What is added to a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JitterMode {
    /// Nothing.
    None,
    /// What the hash of the session's id and its retry count says.
    Deterministic,
    /// What chance says.
    Random,
}

impl JitterMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Deterministic, Self::Random];

    /// The mode as policies write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Deterministic => "deterministic",
            Self::Random => "random",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}
