//! A retry strategy, and the definition that has it.

use super::pattern::Glob;
use document::diag::Code;
use document::{Constraint, FieldValue, Kind, Node, document, names};

/// The maximum number of attempts (API Reference, `RetryStrategy`).
pub(in crate::awsbatch) const MAX_ATTEMPTS: u32 = 10;
/// The maximum number of entries of `evaluateOnExit` (API Reference, `RetryStrategy`).
pub(in crate::awsbatch) const MAX_ENTRIES: usize = 5;
names! {
    /// The action of an entry of `evaluateOnExit`. Its case has no meaning in a definition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum RetryAction {
        /// Another attempt follows, if one is left.
        #[default]
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

impl FieldValue for RetryAction {
    const KIND: Kind = Kind::SomeText;

    fn from_node(node: &Node) -> Option<Self> {
        node.text().and_then(Self::in_any_case)
    }
}

document! {
    /// Up to three conditions, all of which have to be met, and an action.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EvaluateOnExit = "rule of evaluateOnExit" (elsewhere: &[(
        "onExitCodes",
        "write one entry with `onExitCode` for each code, or a pattern such as `4*`",
    )]) {
        /// A pattern for the status reason of the attempt, such as `Host EC2*`.
        /// Letters, digits, periods, colons and white space, and `*` at the end: up to 512 characters.
        pub on_status_reason as "onStatusReason": Option<Glob>,
        /// A pattern for the reason of the container, such as `CannotPullContainerError:*`; as onStatusReason.
        pub on_reason as "onReason": Option<Glob>,
        /// A pattern for the exit code in decimal, as text: digits, and `*` at the end, such as "137".
        pub on_exit_code as "onExitCode": Option<Glob>,
        /// The action if all conditions are met: RETRY or EXIT, in any case.
        pub action: RetryAction,
    }
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

document! {
    /// How often a failed job is attempted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RetryStrategy = "retryStrategy" (constraints: &[Constraint::Needs {
        field: "evaluateOnExit",
        needs: "attempts",
        code: Code::MissingField,
        message: "`evaluateOnExit` requires `attempts`",
        help: "add `attempts`: 1 to 10, the first attempt included",
    }], elsewhere: &[
        ("maxAttempts", "write `attempts`: the first attempt counts"),
        ("retries", "write `attempts`: one more than the retries"),
        ("backoff", "AWS Batch has no delay between attempts"),
    ]) {
        /// Attempts in all, the first included: 1 to 10; absent means 1.
        pub attempts: u32 = 1 => Kind::Whole { min: 1, max: MAX_ATTEMPTS as i128, code: Code::OutOfRange },
        /// Up to five entries, in order: the first of which all conditions are met decides.
        /// If none is, the job is retried.
        pub evaluate_on_exit as "evaluateOnExit": Vec<EvaluateOnExit> = Vec::new(),
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
        // Without a match AWS retries (API Reference, `EvaluateOnExit`).
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
