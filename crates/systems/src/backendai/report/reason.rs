//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows the checks and how the retry's delay is computed.

use crate::Tried;
use crate::backendai::engine::decision::{Decision, FailedSession, StopReason, Verdict};
use crate::backendai::engine::jitter::{Draw, hash_input_text};
use crate::backendai::manifest::cause::Cause;
use crate::backendai::manifest::{JitterMode, Profile, RetryPolicy};
use document::units::GoDuration;
use replay::simulate::RuleLabel;

impl Decision {
    /// Returns the reason of the decision, as one sentence without a final period.
    pub fn reason(&self) -> String {
        let (attempt, cause) = (self.attempt, self.cause);
        match self.verdict {
            Verdict::Retry(retry) => {
                format!("{}; attempt {} follows", eligible_text(cause), retry.attempt)
            }
            Verdict::Stop(StopReason::NotBatch) => NOT_BATCH.to_owned(),
            Verdict::Stop(StopReason::Exhausted) if attempt.of == 1 => {
                "max_retries is 0, so nothing is retried".to_owned()
            }
            Verdict::Stop(StopReason::Exhausted) => {
                let retries = attempt.of.saturating_sub(1);
                format!("attempt {attempt} has failed: no retry of max_retries {retries} is left")
            }
            Verdict::Stop(StopReason::Ineligible) => ineligible_text(cause),
            Verdict::Stop(StopReason::ChildExists) => CHILD_EXISTS.to_owned(),
        }
    }
}

/// The text for a session whose type is not retried.
pub(crate) const NOT_BATCH: &str = "it is not a batch session, and no others are retried";
/// The text for a failure that was recorded twice.
pub(crate) const CHILD_EXISTS: &str = "its retry exists already";

/// Describes a cause that is retried.
pub(crate) fn eligible_text(cause: Cause) -> String {
    format!("{} is among eligible_causes", cause.as_str())
}

/// Describes a cause that is not retried.
pub(crate) fn ineligible_text(cause: Cause) -> String {
    let cause_name = cause.as_str();
    if cause.is_never_retried() {
        format!("{cause_name} is never retried, regardless of the policy")
    } else {
        format!("{cause_name} is not among eligible_causes")
    }
}

/// Returns every check of a failed session, including those after the first that stops it, then the retry if
/// none does. The check that matches decided. `has_own_id` is whether the session's id is its own, rather
/// than its root's in place of an absent one.
pub fn trace(profile: &Profile, failed: &FailedSession<'_>, has_own_id: bool) -> Vec<Tried> {
    let mut checks = Vec::new();
    let mut stop_reason = false;
    for (stops, why) in list_checks(&profile.policy, failed) {
        let why = if stop_reason { format!("not checked: {why}") } else { why };
        checks.push((stops && !stop_reason, why));
        stop_reason |= stops;
    }
    let last = if stop_reason { "a check stops the retry" } else { "no check stops the retry" };
    checks.push((!stop_reason, last.to_owned()));
    if !stop_reason {
        checks.push((true, delay_text(profile, failed, has_own_id)));
    }
    let label = || RuleLabel::new(profile.name.clone(), None);
    let tried = |(matched, why)| Tried { rule: label(), matched, why };
    checks.into_iter().map(tried).collect()
}

/// Returns the checks, each with whether it stops the retry.
fn list_checks(policy: &RetryPolicy, failed: &FailedSession<'_>) -> [(bool, String); 4] {
    let RetryPolicy { max_retries, eligible_causes, .. } = *policy;
    let FailedSession { retry_count, cause, batch, child_exists, .. } = *failed;
    let is_exhausted = retry_count >= max_retries;
    let is_eligible = eligible_causes.admit(cause);
    let counted = if is_exhausted { "not below" } else { "below" };
    [
        (!batch, if batch { "it is a batch session" } else { NOT_BATCH }.to_owned()),
        (is_exhausted, format!("retry_count {retry_count} is {counted} max_retries {max_retries}")),
        (!is_eligible, if is_eligible { eligible_text(cause) } else { ineligible_text(cause) }),
        (child_exists, if child_exists { CHILD_EXISTS } else { "it has no retry yet" }.to_owned()),
    ]
}

/// Describes how the delay of a session's retry is computed.
fn delay_text(profile: &Profile, failed: &FailedSession<'_>, has_own_id: bool) -> String {
    let Profile { policy, interpretation, .. } = profile;
    let FailedSession { id, retry_count, .. } = *failed;
    let range = policy.delay_range(interpretation.cap, retry_count);
    let (least, most) = (seconds_text(range.least), seconds_text(range.most));
    if range.least >= range.most {
        let cut = policy.base(retry_count) >= policy.cap(interpretation.cap);
        let why = if cut { "the longest wait" } else { "no jitter is added" };
        return format!("{least}: {why}");
    }
    if policy.jitter == JitterMode::Random {
        return format!("{least} to {most}, drawn at random with --seed");
    }
    let delay = policy.delay(*interpretation, id, retry_count, Draw::LOWEST);
    let hash_input_text = hash_input_text(interpretation.hash, id, retry_count);
    let (hash, reduce) = (interpretation.hash.as_str(), interpretation.reduce.as_str());
    let missing_id =
        if has_own_id { "" } else { "; no sessionId is given; the wait differs with one" };
    format!(
        "{}, of {least} to {most}: SHA-1 of {hash_input_text}, read by hash {hash} and reduce {reduce}{missing_id}",
        seconds_text(delay.seconds)
    )
}

/// Writes seconds, rounded to milliseconds.
fn seconds_text(seconds: f64) -> String {
    const MILLISECOND: i64 = 1_000_000;
    let nanos = crate::backendai::engine::delay::nearest(seconds).as_nanos();
    // Half a unit rounds to the nearest, as all waits are positive.
    let millis = nanos.saturating_add(MILLISECOND / 2) / MILLISECOND;
    let rounded = GoDuration::from_nanos(millis.saturating_mul(MILLISECOND));
    format!("{}s", rounded.as_secs_f64())
}
