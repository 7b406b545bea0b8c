//! The delay between the end of a failed try and the next one (`TaskInstance.next_retry_datetime`).
//!
//! Owns the hash that spreads retries. It is deterministic: the same try has the same hash.

use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::python_time::{LogicalDate, TimeDelta};
use sha1::{Digest, Sha1};
use std::fmt::{self, Write};
use std::num::NonZeroU64;

/// A delay, counted from the end of the try that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// The duration. The task is ready once more than this has passed, not exactly at its end.
    pub wait: TimeDelta,
    /// The rule that set it.
    pub rule: DelayRule,
}

/// The rule that set a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DelayRule {
    /// A retry policy's delay for this failure: neither cap nor ceiling applies.
    Override,
    /// `retry_delay`, which does not grow: neither cap nor ceiling applies.
    Constant,
    /// The sum of base and jitter.
    Grown {
        /// `retry_delay`, multiplied once per earlier try, in whole seconds.
        base: NonZeroU64,
        /// The seconds that the hash adds: less than the base.
        jitter: u64,
    },
    /// `core.max_task_retry_delay`, if it is less than that sum.
    Ceiling,
    /// `max_retry_delay`, if it is less than the sum and the ceiling.
    Cap,
}

/// Returns the delay of the try after a failed one; `None` where the release raises `OverflowError`. `try_number` is
/// the column's value for the failed try; the first try is 1.
pub fn delay(
    policy: &AirflowPolicy,
    task: TaskInstance<'_>,
    try_number: i32,
    retry_delay_override: Option<TimeDelta>,
) -> Option<Delay> {
    let profile = policy.profile;
    if let Some(wait) = retry_delay_override.filter(|_| profile.has_retry_policies()) {
        return Some(Delay { wait, rule: DelayRule::Override });
    }
    let Some(multiplier) = profile.multiplier(policy.backoff) else {
        return Some(Delay { wait: policy.retry_delay, rule: DelayRule::Constant });
    };
    let read = profile.read_try_number(try_number);
    let grown = match base(policy.retry_delay, multiplier, profile.growths(read)) {
        Some(base) => growing_delay(base, &Hashed { task, try_number: read }, policy.ceiling()),
        None if profile.guards_overflow() => ceiling_delay(policy.ceiling()),
        None => return None,
    };
    // The cap applies after the jitter, so that tries at the cap wait equally long.
    Some(match policy.max_retry_delay.filter(|cap| !cap.is_zero() && *cap < grown.wait) {
        Some(wait) => Delay { wait, rule: DelayRule::Cap },
        None => grown,
    })
}

/// Returns the shortest and the longest delay after a failed try, over all hashes; `None` where the release raises
/// `OverflowError`.
pub(crate) fn delay_range(
    policy: &AirflowPolicy,
    try_number: i32,
) -> Option<(TimeDelta, TimeDelta)> {
    let profile = policy.profile;
    let Some(multiplier) = profile.multiplier(policy.backoff) else {
        return Some((policy.retry_delay, policy.retry_delay));
    };
    let growths = profile.growths(profile.read_try_number(try_number));
    let (least, most) = match base(policy.retry_delay, multiplier, growths) {
        // The hash adds less than the base.
        Some(base) => (base.get(), base.get().saturating_mul(2).saturating_sub(1)),
        None if profile.guards_overflow() => (u64::MAX, u64::MAX),
        None => return None,
    };
    let bounded = |seconds: u64| {
        let grown = TimeDelta::from_whole_seconds(seconds.min(policy.max_task_retry_delay));
        let cap = policy.max_retry_delay.filter(|cap| !cap.is_zero());
        cap.map_or(grown, |cap| grown.min(cap))
    };
    Some((bounded(least), bounded(most)))
}

/// Returns the first try after whose failure the release raises `OverflowError`, if the task has so many.
pub(crate) fn first_overflow(policy: &AirflowPolicy) -> Option<i32> {
    let multiplier = policy.profile.multiplier(policy.backoff)?;
    if policy.profile.guards_overflow() || multiplier <= 1.0 {
        return None;
    }
    let tries = i32::try_from(policy.retries).unwrap_or(i32::MAX);
    let overflows = |number: i32| base(policy.retry_delay, multiplier, number - 1).is_none();
    // The power alone is not finite after 1,024 doublings.
    (1..=tries.min(1025)).find(|number| overflows(*number))
}

/// Returns the base: the delay after this number of growths, rounded up to whole seconds and at least one.
/// `None` where Python raises `OverflowError`, for a power or a product that is not finite.
///
/// Python multiplies floats here. Doubling is exact in floats, so its whole powers of 2 are converted without
/// a loss.
pub(crate) fn base(delay: TimeDelta, multiplier: f64, growths: i32) -> Option<NonZeroU64> {
    let power = multiplier.powf(f64::from(growths));
    let grown = delay.total_seconds() * power;
    (power.is_finite() && grown.is_finite()).then(|| whole_seconds(grown))
}

/// Rounds up, to at least 1; saturates at the range of `u64`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what is meant"
)]
fn whole_seconds(seconds: f64) -> NonZeroU64 {
    // Rounded up, and at least 1: it is the modulus of the hash, and a modulus of 0 is an error.
    NonZeroU64::new(seconds.ceil() as u64).unwrap_or(NonZeroU64::MIN)
}

/// Adds the jitter to the base, up to the ceiling. A base at or above the ceiling needs no hash.
fn growing_delay(base: NonZeroU64, hashed: &Hashed<'_>, longest: u64) -> Delay {
    if base.get() >= longest {
        return ceiling_delay(longest);
    }
    let jitter = hashed.modulo(base);
    match base.get().checked_add(jitter).filter(|sum| *sum <= longest) {
        Some(sum) => Delay {
            wait: TimeDelta::from_whole_seconds(sum),
            rule: DelayRule::Grown { base, jitter },
        },
        None => ceiling_delay(longest),
    }
}

fn ceiling_delay(longest: u64) -> Delay {
    Delay { wait: TimeDelta::from_whole_seconds(longest), rule: DelayRule::Ceiling }
}

/// The hashed fields of a task instance. Neither the run's id nor the index of a mapped instance is hashed.
/// Therefore all instances of a mapped task have the same delay, and so do all runs without a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskInstance<'t> {
    /// `dag_id`.
    pub dag_id: &'t str,
    /// `task_id`.
    pub task_id: &'t str,
    /// `logical_date`, up to 2.x `execution_date`.
    pub logical_date: LogicalDate,
}

/// The text that is hashed: `dag_id#task_id#logical_date#try_number`. A `#` within an id is not escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashed<'t> {
    /// The task instance.
    pub task: TaskInstance<'t>,
    /// `try_number`, as the release reads it
    /// ([`read_try_number`](crate::airflow::Profile::read_try_number)).
    pub try_number: i32,
}

impl fmt::Display for Hashed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TaskInstance { dag_id, task_id, logical_date } = &self.task;
        write!(f, "{dag_id}#{task_id}#{logical_date}#{}", self.try_number)
    }
}

impl Hashed<'_> {
    /// Returns the SHA-1 of the text in UTF-8, as a 160-bit number with its highest byte first, modulo
    /// `modulus`.
    pub fn modulo(&self, modulus: NonZeroU64) -> u64 {
        let mut hasher = Hasher(Sha1::new());
        // Writing to a hasher does not fail.
        let _ = write!(hasher, "{self}");
        remainder(&hasher.0.finalize(), modulus)
    }
}

/// Adapts SHA-1 to [`fmt::Write`].
struct Hasher(Sha1);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// Returns a big-endian number modulo another. It is reduced byte by byte, so that every intermediate number
/// fits into 128 bits.
fn remainder(bytes: &[u8], modulus: NonZeroU64) -> u64 {
    let modulus = u128::from(modulus.get());
    let rest = bytes.iter().fold(0, |rest: u128, byte| ((rest << 8) | u128::from(*byte)) % modulus);
    // The remainder is below the modulus, so it fits into a `u64`.
    u64::try_from(rest).unwrap_or_default()
}

/// Returns whether a growing delay depends on the hash: its base is below both the ceiling and the cap, and large enough
/// for jitter.
pub(super) fn depends_on_hash(policy: &AirflowPolicy, try_number: i32) -> bool {
    let profile = policy.profile;
    let growths = profile.growths(profile.read_try_number(try_number));
    let multiplier = profile.multiplier(policy.backoff);
    let base = multiplier.and_then(|multiplier| base(policy.retry_delay, multiplier, growths));
    let ceiling = TimeDelta::from_whole_seconds(policy.ceiling());
    let cap = policy.max_retry_delay.filter(|cap| !cap.is_zero());
    let longest = cap.map_or(ceiling, |cap| cap.min(ceiling));
    base.is_some_and(|base| base.get() > 1 && TimeDelta::from_whole_seconds(base.get()) < longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_text_is_joined_as_it_is() {
        let hashed = |dag_id, task_id| {
            let logical_date = LogicalDate::Absent;
            Hashed { task: TaskInstance { dag_id, task_id, logical_date }, try_number: 3 }
        };
        assert_eq!(hashed("train", "fine#tune").to_string(), "train#fine#tune#None#3");
        assert_eq!(hashed("a#b", "c").to_string(), hashed("a", "b#c").to_string());
    }

    /// FIPS 180's example, the digest of `abc`: modulo 2^32 it is its last 4 bytes, modulo 2^64 - 1 the sum
    /// of its 8-byte digits.
    #[test]
    fn the_digest_is_read_highest_byte_first() {
        let digest = Sha1::digest("abc");
        let modulus = NonZeroU64::new(1 << 32).unwrap();
        assert_eq!(remainder(&digest, modulus), 0x9cd0_d89d);
        let modulus = NonZeroU64::MAX;
        let sum = 0xa999_3e36_u128 + 0x4706_816a_ba3e_2571 + 0x7850_c26c_9cd0_d89d;
        assert_eq!(u128::from(remainder(&digest, modulus)), sum % u128::from(u64::MAX));
    }

    proptest! {
        /// Compares with the sum of the digits in base 2^32, each times the remainder of its place value.
        #[test]
        fn agrees_with_a_sum_of_parts(bytes: [u8; 20], modulus in 1_u64..1 << 40) {
            let (mut weight, mut sum) = (1_u128, 0_u128);
            for part in bytes.rchunks(4) {
                let digit = part.iter().fold(0, |digit, byte| digit * 256 + u128::from(*byte));
                sum += digit * weight;
                weight = (weight << 32) % u128::from(modulus);
            }
            let rest = remainder(&bytes, NonZeroU64::new(modulus).unwrap());
            prop_assert_eq!(u128::from(rest), sum % u128::from(modulus));
        }
    }
}
