//! The decision about an attempt that failed (`processNodeRetries`).
//!
//! Invariant: the checks are those of Argo, in its order: `maxDuration`, the wait, the policy, the limit, the expression.

use super::transient::is_transient;
use crate::argo::expression::{EvaluationError, Scope, Variable};
use crate::argo::manifest::{RetryPolicyName, RetryStrategy};
use crate::argo::record::AttemptOutcome;
use document::units::{GoDuration, Time};

/// The facts of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The exit code, if there is one.
    pub exit_code: Option<i32>,
    /// The message, if it is known.
    pub message: Option<&'a str>,
    /// Whether the message is that of a transient error, if the record tells.
    pub transient: Option<bool>,
    /// When it began.
    pub started: Option<Time>,
    /// When it ended.
    pub ended: Option<Time>,
}

/// The attempts of a retry node so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chain {
    /// Their number, with the one that is decided.
    pub attempts: u32,
    /// When the first began.
    pub first_start: Option<Time>,
    /// The number that was followed by another.
    pub retried: u32,
}

/// A decision about an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether another attempt follows, and why.
    pub verdict: Verdict,
    /// The template's number among those with a strategy.
    pub rule: Option<usize>,
    /// How the attempt ended.
    pub outcome: AttemptOutcome,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The number of attempts that were followed by another, this one included.
    pub retried: u32,
    /// The wait of the backoff before the verdict takes effect; `None` if it is not waited for.
    pub wait: Option<GoDuration>,
    /// Whether it depends on a fact that the record lacks.
    pub lacks_facts: bool,
    /// Whether it grants a retry that no limit counts.
    pub is_unlimited: bool,
}

/// Whether another attempt follows, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Another follows.
    Retry,
    /// The template has no strategy.
    NoStrategy,
    /// `maxDuration` had passed when the attempt ended.
    MaxDuration,
    /// The wait would end after `maxDuration`.
    BackoffTooLong,
    /// The policy does not retry the phase.
    Policy(RetryPolicyName),
    /// The limit is used up.
    Limit,
    /// The expression is false.
    Expression,
    /// The evaluation of the expression ended with an error.
    ExpressionError(EvaluationError),
}

impl Verdict {
    /// Returns whether another attempt follows.
    pub fn retries(&self) -> bool {
        *self == Self::Retry
    }
}

impl Decision {
    /// Returns the decision's code, as outputs show it.
    pub fn code(&self) -> &'static str {
        match self.verdict {
            Verdict::Retry => "retry",
            Verdict::NoStrategy => "fail_no_strategy",
            Verdict::MaxDuration => "fail_max_duration",
            Verdict::BackoffTooLong => "fail_backoff",
            Verdict::Policy(_) => "fail_policy",
            Verdict::Limit => "fail_limit",
            Verdict::Expression => "fail_expression",
            Verdict::ExpressionError(_) => "error_expression",
        }
    }

    /// Returns the phase of the retry node after the decision: that of the attempt if none follows.
    pub fn phase(&self) -> &'static str {
        match self.verdict {
            Verdict::Retry => "Running",
            Verdict::ExpressionError(_) => "Error",
            _ => self.outcome.as_str(),
        }
    }

    /// Returns the message of the retry node, as Argo writes it; `None` where it is the attempt's own.
    pub fn message(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::MaxDuration => Some("Max duration limit exceeded"),
            Verdict::BackoffTooLong => Some("Backoff would exceed max duration limit"),
            Verdict::Limit => Some("No more retries left"),
            Verdict::Expression => Some("retryStrategy.expression evaluated to false"),
            _ => None,
        }
    }
}

/// Decides about an attempt that failed. `chain` has it already.
pub fn decide(strategy: Option<&RetryStrategy>, chain: Chain, attempt: &Attempt<'_>) -> Decision {
    let mut decision = Decision {
        verdict: Verdict::NoStrategy,
        rule: None,
        outcome: attempt.outcome,
        attempt: chain.attempts,
        retried: chain.retried,
        wait: None,
        lacks_facts: false,
        is_unlimited: false,
    };
    let Some(strategy) = strategy else { return decision };
    // First, as in Argo: a chain whose time is over does not look at the limit or the expression.
    if let Some(verdict) = check_durations(strategy, chain, attempt, &mut decision) {
        decision.verdict = verdict;
        return decision;
    }
    // `chain` has this attempt already: a limit of N allows N retries, which are N + 1 attempts.
    let is_within = |limit: i32| i64::from(chain.attempts) <= i64::from(limit);
    if let Some(backoff) = &strategy.backoff {
        // Without a limit the controller does not wait.
        let is_waited_for = strategy.limit.is_some_and(is_within);
        let wait = backoff.wait(chain.attempts);
        decision.wait = Some(wait).filter(|wait| is_waited_for && *wait > GoDuration::ZERO);
    }
    decision.verdict = if !is_retried(strategy.policy(), attempt, &mut decision.lacks_facts) {
        Verdict::Policy(strategy.policy())
    } else if strategy.limit.is_some_and(|limit| !is_within(limit)) {
        Verdict::Limit
    } else {
        check_expression(strategy, chain, attempt, &mut decision.lacks_facts)
    };
    decision.is_unlimited = decision.verdict.retries() && strategy.limit.is_none();
    decision.retried += u32::from(decision.verdict.retries());
    decision
}

/// Checks `maxDuration`: it begins with the first attempt.
fn check_durations(
    strategy: &RetryStrategy,
    chain: Chain,
    attempt: &Attempt<'_>,
    decision: &mut Decision,
) -> Option<Verdict> {
    let backoff = strategy.backoff.as_ref()?;
    let most = backoff.max_duration?;
    let Some((start, ended)) = chain.first_start.zip(attempt.ended) else {
        decision.lacks_facts = true;
        return None;
    };
    let deadline = start.plus(most);
    // At the deadline itself the node may still be retried: Argo tests `time.After`.
    if ended > deadline {
        return Some(Verdict::MaxDuration);
    }
    let is_too_long = ended.plus(backoff.wait(chain.attempts)) > deadline;
    is_too_long.then_some(Verdict::BackoffTooLong)
}

/// Returns whether a policy retries the phase of an attempt.
pub(in crate::argo) fn is_retried(
    policy: RetryPolicyName,
    attempt: &Attempt<'_>,
    lacks_facts: &mut bool,
) -> bool {
    match policy {
        RetryPolicyName::Always => true,
        RetryPolicyName::OnFailure => attempt.outcome == AttemptOutcome::Failed,
        RetryPolicyName::OnError => attempt.outcome == AttemptOutcome::Error,
        RetryPolicyName::OnTransientError => {
            *lacks_facts |= attempt.transient.is_none() && attempt.message.is_none();
            attempt.transient.unwrap_or_else(|| is_transient(attempt.message.unwrap_or_default()))
        }
    }
}

/// Evaluates the expression, if there is one.
pub(in crate::argo) fn check_expression(
    strategy: &RetryStrategy,
    chain: Chain,
    attempt: &Attempt<'_>,
    lacks_facts: &mut bool,
) -> Verdict {
    let Some(expression) = &strategy.expression else { return Verdict::Retry };
    let length = attempt.started.zip(attempt.ended).map(|(start, end)| end.since(start));
    *lacks_facts |= attempt.message.is_none() && expression.reads(Variable::Message);
    *lacks_facts |= length.is_none() && expression.reads(Variable::Duration);
    let scope = Scope {
        // Argo's value of `lastRetry.exitCode` for a pod that has none.
        exit_code: attempt.exit_code.unwrap_or(-1),
        status: attempt.outcome.as_str(),
        duration_nanos: length.unwrap_or_default().as_nanos(),
        message: attempt.message.unwrap_or_default(),
        retries: chain.attempts.saturating_sub(1),
    };
    match expression.evaluate(&scope) {
        Ok(true) => Verdict::Retry,
        Ok(false) => Verdict::Expression,
        Err(error) => Verdict::ExpressionError(error),
    }
}
