//! The failures that represent all failures for a comparison of two profiles, and how a profile treats one.

use super::manifest::cause::Cause;
use super::manifest::interpretation::Interpretation;
use super::manifest::{BackoffStrategy, JitterMode, Profile};
use super::record::{SessionFields, SessionType};
use crate::compare::Treatment;
use serde_json::{Value, json};

/// Returns a failure of a batch session for each cause, and one of another session. An event that is delivered twice is
/// left out.
pub(super) fn representatives() -> Vec<Value> {
    let failures = Cause::ALL.map(|cause| json!({"outcome": "Failed", "cause": cause.as_str()}));
    let interactive = SessionType::Interactive.as_str();
    let other = json!({"outcome": "Failed", "sessionType": interactive});
    failures.into_iter().chain([other]).collect()
}

/// Returns how a profile treats a failure: whether it is eligible.
pub(super) fn treatment(profile: Option<&Profile>, failure: &SessionFields) -> Treatment {
    let is_eligible = profile.is_some_and(|profile| {
        failure.session_type == SessionType::Batch
            && profile.policy.eligible_causes.admit(failure.cause)
    });
    let action = if is_eligible { "eligible" } else { "not eligible" };
    Treatment { rule: None, action: action.to_owned(), is_counted: is_eligible }
}

/// Returns the limit, and all that waits depend on. Events are no part of decisions.
pub(super) fn parameters(profile: Option<&Profile>) -> Value {
    let Some(Profile { policy, interpretation, .. }) =
        profile.filter(|profile| profile.policy.can_retry())
    else {
        return json!({"max_retries": 0});
    };
    // A multiplier has no effect without growth, and a ratio none without jitter.
    let grows = policy.backoff == BackoffStrategy::Exponential;
    let Interpretation { hash, reduce, cap } = interpretation;
    json!({
        "max_retries": policy.max_retries,
        "retry_delay": policy.retry_delay,
        "growth": grows.then(|| json!([policy.backoff_multiplier, policy.max_retry_delay])),
        "cap": policy.cap(*cap),
        "jitter": has_jitter(profile).then(|| json!([policy.jitter.as_str(), policy.jitter_ratio])),
        "hash": [hash.as_str(), reduce.as_str()],
    })
}

fn has_jitter(profile: Option<&Profile>) -> bool {
    profile.is_some_and(|Profile { policy, .. }| {
        policy.can_retry() && policy.jitter != JitterMode::None && policy.jitter_ratio > 0.0
    })
}

/// Returns why sessions may wait otherwise although the waits of those that were compared are equal.
pub(super) fn undecided(versions: [Option<&Profile>; 2]) -> Option<String> {
    let reason = "waits of other sessions, whose jitter is drawn or made of another id";
    versions.into_iter().any(has_jitter).then(|| reason.to_owned())
}
