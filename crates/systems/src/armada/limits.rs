//! The limits of Armada's policies, which a sweep sets.

use crate::limit::{Limit, LimitPath};
use armada_retry::policy::{Form, RetryPolicy, read, to_value};
use document::diag::{Severity, Source};
use document::{Limits, json_of_any, parse};
use replay::simulate::SweptValue;

/// The limit of retries of all rules, which the scheduler configuration sets.
pub const GLOBAL_LIMIT: &str = "globalMaxRetries";

/// The limit of retries of a rule, and of the rules without one.
pub const RETRY_LIMIT: &str = "retryLimit";

/// The limits of the scheduler and of a policy. A policy is set as a document of its form; the first limit has no place
/// in it.
pub const LIMITS: &[Limit] = &[
    Limit::count(GLOBAL_LIMIT, &[]),
    Limit::count(RETRY_LIMIT, &["spec/retryLimit"]),
    Limit::duration("backoff.initialDelay", &["spec/backoff/initialDelay"]),
    Limit::duration("backoff.maxDelay", &["spec/backoff/maxDelay"]),
    Limit::factor("backoff.multiplier", &["spec/backoff/multiplier"]),
    Limit::count(RETRY_LIMIT, &["spec/rules[]/retryLimit"]).per_rule(),
    Limit::duration("backoff.initialDelay", &["spec/rules[]/backoff/initialDelay"]).per_rule(),
    Limit::duration("backoff.maxDelay", &["spec/rules[]/backoff/maxDelay"]).per_rule(),
    Limit::factor("backoff.multiplier", &["spec/rules[]/backoff/multiplier"]).per_rule(),
    Limit::factor(
        "mutate.resources.memory.factor",
        &["spec/rules[]/mutate/resources/memory/factor"],
    )
    .per_rule(),
];

/// The reason why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitError {
    /// A policy in `v1beta1` has only `retryLimit`, for all rules.
    Form,
    /// The policy has no such rule.
    NoRule,
    /// The policy is invalid with this value.
    Invalid(String),
}

/// Returns whether a policy has a limit, or a rule of it: without the number of a rule, one that sets it.
pub fn has_limit(policy: &RetryPolicy, path: &LimitPath<'_>) -> bool {
    let source = Source::new("policy", to_value(policy).to_string());
    let (mut documents, _) = parse(&source, Limits::POLICY);
    documents.iter_mut().any(|it| path.set(&mut it.root, SweptValue::count(1)) > 0)
}

/// Sets limits of a policy, the one of the scheduler excepted.
///
/// # Errors
///
/// If the policy has no such limit, or is invalid with it.
pub fn set_limits(
    policy: &RetryPolicy,
    limits: &[(LimitPath<'_>, SweptValue)],
) -> Result<RetryPolicy, LimitError> {
    if policy.form == Form::V1beta1 {
        let mut changed = policy.clone();
        for (path, value) in limits {
            if path.limit.name != RETRY_LIMIT || path.limit.list().is_some() {
                return Err(LimitError::Form);
            }
            changed.retry_limit = value.as_count();
        }
        return Ok(changed);
    }
    let source = Source::new("policy", to_value(policy).to_string());
    let (mut documents, _) = parse(&source, Limits::POLICY);
    for (path, value) in limits {
        let set = documents.first_mut().map(|it| path.set(&mut it.root, *value));
        // A limit of a rule that the policy does not have would leave the policy as it is.
        if path.item.is_some() && set.is_none_or(|set| set == 0) {
            return Err(LimitError::NoRule);
        }
    }
    let text = documents.first().map(|it| json_of_any(&it.root)).unwrap_or_default();
    let (mut read, findings) = read(&[Source::new("policy", text)]);
    let mut errors = findings.iter().filter(|it| it.severity == Severity::Error);
    match (errors.next(), read.policies.pop()) {
        (None, Some(found)) => Ok((*found.policy).clone()),
        (error, _) => {
            Err(LimitError::Invalid(error.map(|it| it.message.clone()).unwrap_or_default()))
        }
    }
}
