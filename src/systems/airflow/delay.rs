//! How long after its end a failed try is followed by the next
//! (`TaskInstance.next_retry_datetime`).

use super::decide::FailedTry;
use super::jitter::{Hashed, TaskInstance};
use super::model::AirflowPolicy;
use super::timedelta::TimeDelta;
use std::num::NonZeroU64;

/// A delay, counted from the end of the try that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// How long. The task is ready once more than that has passed: not at that very moment.
    pub wait: TimeDelta,
    /// What made it so long.
    pub rule: DelayRule,
}

/// What made a delay as long as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DelayRule {
    /// A retry policy said it for this failure: neither cap nor ceiling holds.
    Override,
    /// `retry_delay`, which does not grow: neither cap nor ceiling holds.
    Constant,
    /// The base and the jitter.
    Grown {
        /// `retry_delay` as often multiplied as there were tries before, in whole seconds.
        base: NonZeroU64,
        /// What the hash adds, in seconds: less than the base.
        jitter: u64,
    },
    /// `core.max_task_retry_delay`, which is less than that would be.
    Ceiling,
    /// `max_retry_delay`, which is less than that or the ceiling would be.
    Cap,
}

/// How long the try after a failed one waits. `try_number` is the column's: that of the try that
/// failed, the first being 1.
pub fn delay(
    policy: &AirflowPolicy,
    task: TaskInstance<'_>,
    try_number: i32,
    retry_delay_override: Option<TimeDelta>,
) -> Delay {
    let profile = policy.profile;
    if let Some(wait) = retry_delay_override.filter(|_| profile.has_override()) {
        return Delay { wait, rule: DelayRule::Override };
    }
    let Some(multiplier) = profile.multiplier(policy.backoff) else {
        return Delay { wait: policy.retry_delay, rule: DelayRule::Constant };
    };
    let read = profile.read_try_number(try_number);
    let grown = match base(policy.retry_delay, multiplier, profile.growths(read)) {
        Some(base) => grown(base, &Hashed { task, try_number: read }, policy.max_task_retry_delay),
        None => ceiling(policy.max_task_retry_delay),
    };
    match policy.max_retry_delay.filter(|cap| !cap.is_zero() && *cap < grown.wait) {
        Some(wait) => Delay { wait, rule: DelayRule::Cap },
        None => grown,
    }
}

/// Whether the delay after a try of this number may be another with another hash: it grows, it is in
/// reach neither of the ceiling nor of the cap before anything is added, and there are seconds to add.
pub(super) fn hangs_on_hash(policy: &AirflowPolicy, try_number: i32, failed: &FailedTry) -> bool {
    let profile = policy.profile;
    if failed.retry_delay_override.is_some() && profile.has_override() {
        return false;
    }
    let growths = profile.growths(profile.read_try_number(try_number));
    let multiplier = profile.multiplier(policy.backoff);
    let base = multiplier.and_then(|multiplier| base(policy.retry_delay, multiplier, growths));
    let ceiling = TimeDelta::from_whole_seconds(policy.max_task_retry_delay);
    let cap = policy.max_retry_delay.filter(|cap| !cap.is_zero());
    let longest = cap.map_or(ceiling, |cap| cap.min(ceiling));
    base.is_some_and(|base| base.get() > 1 && TimeDelta::from_whole_seconds(base.get()) < longest)
}

/// The base: the delay after so many growths, rounded up to whole seconds and at least one.
/// Nothing where Python raises `OverflowError`, for a power or a product that is no finite number.
///
/// Python multiplies floats here, and doubling is exact in floats: its whole powers of 2 are
/// converted without a loss.
pub(super) fn base(delay: TimeDelta, multiplier: f64, growths: i32) -> Option<NonZeroU64> {
    let power = multiplier.powf(f64::from(growths));
    let grown = delay.total_seconds() * power;
    (power.is_finite() && grown.is_finite()).then(|| whole_seconds(grown))
}

/// Rounded up, and at least 1; what no `u64` is, is the nearest that one is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what is meant"
)]
fn whole_seconds(seconds: f64) -> NonZeroU64 {
    NonZeroU64::new(seconds.ceil() as u64).unwrap_or(NonZeroU64::MIN)
}

/// Base and jitter, up to the ceiling. Where the base is no less than that, so is the sum, and
/// nothing is hashed.
fn grown(base: NonZeroU64, hashed: &Hashed<'_>, longest: u64) -> Delay {
    if base.get() >= longest {
        return ceiling(longest);
    }
    let jitter = hashed.modulo(base);
    match base.get().checked_add(jitter).filter(|sum| *sum <= longest) {
        Some(sum) => Delay {
            wait: TimeDelta::from_whole_seconds(sum),
            rule: DelayRule::Grown { base, jitter },
        },
        None => ceiling(longest),
    }
}

fn ceiling(longest: u64) -> Delay {
    Delay { wait: TimeDelta::from_whole_seconds(longest), rule: DelayRule::Ceiling }
}
