//! A retry strategy, and the definition that has it.

use super::pattern::Glob;
use document::names;

names! {
    /// The action of an entry of `evaluateOnExit`. Its case has no meaning in a definition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RetryAction {
        /// Another attempt follows, if one is left.
        Retry = "RETRY",
        /// The job fails.
        Exit = "EXIT",
    }
}

impl RetryAction {
    /// Returns the action that is written so, in any case.
    pub(in crate::awsbatch) fn in_any_case(text: &str) -> Option<Self> {
        Self::from_name(&text.to_ascii_uppercase())
    }
}

/// An entry of `evaluateOnExit`: conditions, all of which have to be met, and an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluateOnExit {
    /// The pattern for the status reason of the attempt.
    pub on_status_reason: Option<Glob>,
    /// The pattern for the reason of the container.
    pub on_reason: Option<Glob>,
    /// The pattern for the exit code in decimal.
    pub on_exit_code: Option<Glob>,
    /// The action.
    pub action: RetryAction,
}

impl EvaluateOnExit {
    /// Returns the patterns with their fields: on the status reason, the reason and the exit code.
    pub fn patterns(&self) -> [(&'static str, Option<&Glob>); 3] {
        [
            ("onStatusReason", self.on_status_reason.as_ref()),
            ("onReason", self.on_reason.as_ref()),
            ("onExitCode", self.on_exit_code.as_ref()),
        ]
    }

    /// Returns whether all conditions are met by these texts, in the order of [`patterns`](Self::patterns).
    pub fn matches(&self, texts: [&str; 3]) -> bool {
        self.patterns()
            .iter()
            .zip(texts)
            .all(|((_, pattern), text)| pattern.is_none_or(|pattern| pattern.matches(text)))
    }

    /// Returns whether it matches every attempt.
    pub fn matches_all(&self) -> bool {
        self.patterns().iter().all(|(_, pattern)| pattern.is_none_or(Glob::matches_all))
    }
}

/// A retry strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryStrategy {
    /// The attempts in all, the first included; 1 without a strategy.
    pub attempts: u32,
    /// The entries of `evaluateOnExit`, in order.
    pub evaluate_on_exit: Vec<EvaluateOnExit>,
}

impl Default for RetryStrategy {
    fn default() -> Self {
        Self { attempts: 1, evaluate_on_exit: Vec::new() }
    }
}

impl RetryStrategy {
    /// Returns the index of the first entry whose conditions are all met by these texts.
    pub fn first_match(&self, texts: [&str; 3]) -> Option<usize> {
        self.evaluate_on_exit.iter().position(|entry| entry.matches(texts))
    }

    /// Returns whether it retries any failure: there is more than one attempt, and some retry is not behind an `EXIT` that
    /// matches everything.
    pub fn can_retry(&self) -> bool {
        let entries = &self.evaluate_on_exit;
        let exits = |it: &EvaluateOnExit| it.action == RetryAction::Exit && it.matches_all();
        let end = entries.iter().position(exits);
        let before = &entries[..end.unwrap_or(entries.len())];
        let retries = before.iter().any(|entry| entry.action == RetryAction::Retry);
        self.attempts > 1 && (end.is_none() || retries)
    }

    /// Returns the action for these texts: that of the first match, else a retry.
    pub fn action(&self, texts: [&str; 3]) -> RetryAction {
        let entry = self.first_match(texts).and_then(|at| self.evaluate_on_exit.get(at));
        entry.map_or(RetryAction::Retry, |entry| entry.action)
    }
}

/// A job definition, or the submission of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobDefinition {
    /// `jobDefinitionName`, or else `jobName`.
    pub name: String,
    /// The retry strategy.
    pub strategy: RetryStrategy,
    /// `timeout.attemptDurationSeconds`.
    pub timeout_seconds: Option<u32>,
}
