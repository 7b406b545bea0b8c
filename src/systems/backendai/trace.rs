//! Every check that is made of a failed session, in order, and what its retry's wait comes of: what
//! `explain decision` shows.

use super::decision::FailedSession;
use super::draw::Draw;
use super::hash::hashed;
use super::policy::{JitterMode, RetryPolicy};
use super::read::Profile;
use super::sentence::{CHILD_EXISTS, NOT_BATCH, eligible, ineligible};
use crate::simulate::RuleLabel;
use crate::systems::Tried;
use crate::units::GoDuration;

/// Every check of a failed session, those too that nobody asks for behind the first that stops it,
/// then what follows if none does. The one that matches has decided. `has_own_id` is whether the
/// session's id is its own, and nothing else's in place of one that is not told.
pub fn trace(profile: &Profile, failed: &FailedSession<'_>, has_own_id: bool) -> Vec<Tried> {
    let mut checks = Vec::new();
    let mut stopped = false;
    for (stops, why) in tests(&profile.policy, failed) {
        let why = if stopped { format!("not asked any more: {why}") } else { why };
        checks.push((stops && !stopped, why));
        stopped |= stops;
    }
    let last = if stopped { "a check stops the retry" } else { "no check stops the retry" };
    checks.push((!stopped, last.to_owned()));
    if !stopped {
        checks.push((true, wait(profile, failed, has_own_id)));
    }
    let label = || RuleLabel { policy: profile.name.clone(), index: None };
    let tried = |(matched, why)| Tried { rule: label(), matched, why };
    checks.into_iter().map(tried).collect()
}

/// What is tested, and whether it stops the retry.
fn tests(policy: &RetryPolicy, failed: &FailedSession<'_>) -> [(bool, String); 4] {
    let RetryPolicy { max_retries, eligible_causes, .. } = *policy;
    let FailedSession { retry_count, cause, batch, child_exists, .. } = *failed;
    let is_exhausted = retry_count >= max_retries;
    let is_eligible = eligible_causes.admit(cause);
    let counted = if is_exhausted { "not below" } else { "below" };
    [
        (!batch, if batch { "it is a batch session" } else { NOT_BATCH }.to_owned()),
        (is_exhausted, format!("retry_count {retry_count} is {counted} max_retries {max_retries}")),
        (!is_eligible, if is_eligible { eligible(cause) } else { ineligible(cause) }),
        (child_exists, if child_exists { CHILD_EXISTS } else { "it has no retry yet" }.to_owned()),
    ]
}

/// What the wait of a session's retry comes of.
fn wait(profile: &Profile, failed: &FailedSession<'_>, has_own_id: bool) -> String {
    let Profile { policy, readings, .. } = profile;
    let FailedSession { id, retry_count, .. } = *failed;
    let range = policy.delay_range(readings.cap, retry_count);
    let (least, most) = (seconds(range.least), seconds(range.most));
    if range.least >= range.most {
        let cut = policy.base(retry_count) >= policy.cap(readings.cap);
        let why = if cut { "the longest wait" } else { "no jitter is added" };
        return format!("{least}: {why}");
    }
    if policy.jitter == JitterMode::Random {
        return format!("{least} to {most}, by chance: --seed draws");
    }
    let delay = policy.delay(*readings, id, retry_count, Draw::LOWEST);
    let hashed = hashed(readings.hash, id, retry_count);
    let (hash, reduce) = (readings.hash.as_str(), readings.reduce.as_str());
    let stands =
        if has_own_id { "" } else { "; no sessionId is given, and with it the wait is another" };
    format!(
        "{}, of {least} to {most}: SHA-1 of {hashed}, read by hash {hash} and reduce {reduce}{stands}",
        seconds(delay.seconds)
    )
}

/// Seconds to the millisecond.
fn seconds(seconds: f64) -> String {
    const MILLISECOND: i64 = 1_000_000;
    let nanos = super::delay::nearest(seconds).as_nanos();
    let millis = nanos.saturating_add(MILLISECOND / 2) / MILLISECOND;
    let rounded = GoDuration::from_nanos(millis.saturating_mul(MILLISECOND));
    format!("{}s", rounded.as_secs_f64())
}
