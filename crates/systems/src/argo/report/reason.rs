//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks.

use crate::Tried;
use crate::argo::engine::decision::{Decision, Verdict};
use crate::argo::engine::{ArgoEngine, RetryUnit};
use crate::argo::manifest::{Backoff, RetryStrategy};
use crate::argo::record::{AttemptFields, AttemptOutcome};
use replay::history::Run;
use replay::simulate::RuleLabel;

impl ArgoEngine {
    /// Returns the reason of a decision, as one sentence without a final period.
    pub(crate) fn reason(&self, unit: &RetryUnit, decision: &Decision) -> String {
        let Some(strategy) = self.strategy(unit) else {
            return "the template has no retryStrategy".to_owned();
        };
        let why = verdict_text(strategy, decision);
        match (decision.wait, decision.verdict.retries()) {
            (Some(wait), true) => format!("{why}; {wait}: backoff"),
            (Some(wait), false) => format!("{why}; the node ends after the backoff of {wait}"),
            (None, true) if strategy.backoff.is_some() && strategy.limit.is_none() => {
                format!("{why}; at once: without a limit the backoff is not waited for")
            }
            (None, _) => why,
        }
    }

    /// Returns every check of an attempt, in order; `unit` is the state before it.
    pub(crate) fn checks(&self, unit: &RetryUnit, run: &Run<AttemptFields>) -> Vec<Tried> {
        if !matches!(run.own.outcome, AttemptOutcome::Failed | AttemptOutcome::Error) {
            return Vec::new();
        }
        let mut unit = unit.clone();
        let decision = self.decide(&mut unit, run);
        let policy = self.template(&unit).map(|it| it.policy.clone()).unwrap_or_default();
        let label = RuleLabel::new(policy, None);
        let mut tried = Vec::new();
        let mut push = |matched, why| tried.push(Tried { rule: label.clone(), matched, why });
        let Some(strategy) = self.strategy(&unit) else {
            push(true, "the template has no retryStrategy".to_owned());
            return tried;
        };
        for (is_decisive, why) in steps(strategy, &decision) {
            push(is_decisive, why);
            if is_decisive {
                break;
            }
        }
        tried
    }
}

/// Returns the checks in order, each with whether it decides.
fn steps(strategy: &RetryStrategy, decision: &Decision) -> Vec<(bool, String)> {
    let verdict = &decision.verdict;
    let text = || verdict_text(strategy, decision);
    let mut steps = Vec::new();
    if let Some(Backoff { max_duration: Some(most), .. }) = strategy.backoff {
        let is_over = matches!(verdict, Verdict::MaxDuration | Verdict::BackoffTooLong);
        let within = format!("false: maxDuration {most} has passed");
        steps.push((is_over, if is_over { text() } else { within }));
    }
    let is_policy = matches!(verdict, Verdict::Policy(_));
    let (policy, phase) = (strategy.policy().as_str(), decision.outcome.as_str());
    let retried = format!("false: {policy} leaves out the phase {phase}");
    steps.push((is_policy, if is_policy { text() } else { retried }));
    if let Some(limit) = strategy.limit {
        let is_used_up = *verdict == Verdict::Limit;
        let left = format!("false: the limit of {limit} is used up");
        steps.push((is_used_up, if is_used_up { text() } else { left }));
    }
    if strategy.expression.is_some() {
        let is_false = matches!(verdict, Verdict::Expression | Verdict::ExpressionError(_));
        steps.push((
            is_false,
            if is_false { text() } else { "false: the expression is false".to_owned() },
        ));
    }
    if verdict.retries() {
        let wait =
            decision.wait.map_or_else(|| "at once".to_owned(), |wait| format!("after {wait}"));
        steps.push((true, format!("{}, {wait}", text())));
    }
    steps
}

/// Describes whether another attempt follows, and why.
fn verdict_text(strategy: &RetryStrategy, decision: &Decision) -> String {
    let Decision { attempt, retried, .. } = decision;
    let phase = decision.outcome.as_str();
    match &decision.verdict {
        Verdict::Retry => match strategy.limit {
            Some(limit) => format!("limit {limit}: retry {retried}"),
            None => format!("no limit: retry {retried}"),
        },
        Verdict::NoStrategy => "the template has no retryStrategy".to_owned(),
        Verdict::MaxDuration => {
            format!(
                "maxDuration {} had passed when attempt {attempt} ended",
                max_duration(strategy)
            )
        }
        Verdict::BackoffTooLong => {
            let wait = strategy.backoff.map(|backoff| backoff.wait(*attempt)).unwrap_or_default();
            let most = max_duration(strategy);
            format!("the wait of {wait} after attempt {attempt} would end after maxDuration {most}")
        }
        Verdict::Policy(policy) => {
            format!("{} does not retry an attempt in the phase {phase}", policy.as_str())
        }
        Verdict::Limit => {
            let limit = strategy.limit.unwrap_or_default();
            format!("limit {limit}: attempt {attempt} was the last")
        }
        Verdict::Expression => "the expression is false".to_owned(),
        Verdict::ExpressionError(error) => {
            format!("the evaluation of the expression ends with an error: {}", error.0)
        }
    }
}

fn max_duration(strategy: &RetryStrategy) -> String {
    let most = strategy.backoff.and_then(|backoff| backoff.max_duration);
    most.map(|most| most.to_string()).unwrap_or_default()
}
