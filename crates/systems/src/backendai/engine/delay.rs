//! The delay of a retry (seed, "Backoff formula"). Seconds are floats, as in the draft.

use super::jitter::{Draw, digest};
use super::session_id::SessionId;
use crate::backendai::manifest::interpretation::{Ceiling, Interpretation};
use crate::backendai::manifest::{BackoffStrategy, JitterMode, RetryPolicy};
use document::units::GoDuration;

/// The draft's `MAX_RETRY_DELAY`, in seconds: 24 hours.
pub const MAX_RETRY_DELAY: f64 = 86_400.0;

/// The delay of a retry, and the values that it is computed from; all in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    /// The delay before jitter is added.
    pub base: f64,
    /// The maximum delay.
    pub cap: f64,
    pub seconds: f64,
}

impl Delay {
    /// Returns the delay, rounded to the nearest nanosecond.
    pub fn wait(&self) -> GoDuration {
        nearest(self.seconds)
    }

    /// Returns the delay before jitter is added, rounded to the nearest nanosecond.
    pub fn base_wait(&self) -> GoDuration {
        nearest(self.base)
    }
}

/// Converts seconds, rounded to the nearest nanosecond.
#[expect(clippy::cast_possible_truncation, reason = "saturates at 292 years")]
pub(crate) fn nearest(seconds: f64) -> GoDuration {
    GoDuration::from_nanos((seconds * 1e9).round() as i64)
}

/// The range of a delay over all values of its jitter, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayRange {
    /// The minimum.
    pub least: f64,
    /// The maximum.
    pub most: f64,
    /// Whether the maximum is exclusive: there is jitter, and the maximum is not the cap. A base that is too
    /// small for a float is 0, and so is every delay: the maximum is inclusive then.
    pub open: bool,
}

impl RetryPolicy {
    /// Returns the maximum delay, in seconds.
    pub fn cap(&self, ceiling: Ceiling) -> f64 {
        match ceiling {
            Ceiling::Literal => self.limit(),
            Ceiling::Hard => self.limit().min(MAX_RETRY_DELAY),
        }
    }

    /// Returns `max_retry_delay or MAX_RETRY_DELAY`.
    fn limit(&self) -> f64 {
        self.max_retry_delay.unwrap_or(MAX_RETRY_DELAY)
    }

    /// Returns the delay before jitter is added, in seconds, after the failure of a session with this
    /// `retry_count`; the first session has 0. The formula limits exponential delays, whichever ceiling
    /// applies; fixed delays have no limit here.
    pub fn base(&self, retry_count: u32) -> f64 {
        match self.backoff {
            BackoffStrategy::Fixed => self.retry_delay,
            BackoffStrategy::Exponential => {
                let factor = self.backoff_multiplier.powf(f64::from(retry_count));
                (self.retry_delay * factor).min(self.limit())
            }
        }
    }

    /// Returns the delay of a session's retry. `session` and `retry_count` are those of the failed session.
    /// Only random jitter uses the draw.
    pub fn delay(
        &self,
        interpretation: Interpretation,
        session: &SessionId,
        retry_count: u32,
        draw: Draw,
    ) -> Delay {
        let (base, cap) = (self.base(retry_count), self.cap(interpretation.cap));
        let span = base * self.jitter_ratio;
        let jittered = match self.jitter {
            JitterMode::None => base,
            JitterMode::Deterministic => {
                let digest = digest(interpretation.hash, session, retry_count);
                base + interpretation.reduce.jitter(&digest, span)
            }
            JitterMode::Random => draw.between(base, base + span),
        };
        // The ceiling applies after the jitter: no wait is longer, whichever was drawn.
        Delay { base, cap, seconds: jittered.min(cap) }
    }

    /// Returns the range of the delay over all hashes and draws.
    pub fn delay_range(&self, ceiling: Ceiling, retry_count: u32) -> DelayRange {
        let (base, cap) = (self.base(retry_count), self.cap(ceiling));
        let most = match self.jitter {
            JitterMode::None => base,
            JitterMode::Deterministic | JitterMode::Random => base + base * self.jitter_ratio,
        };
        // The upper end is open where jitter reaches it: a hash or a draw is below its span.
        DelayRange { least: base.min(cap), most: most.min(cap), open: most > base && most <= cap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backendai::manifest::interpretation::{HashText, Reduction};
    use proptest::prelude::*;
    use proptest::sample::select;

    fn policies() -> impl Strategy<Value = RetryPolicy> {
        let backoff = select(BackoffStrategy::ALL.to_vec());
        let jitter = select(JitterMode::ALL.to_vec());
        let limit = prop_oneof![Just(None), (0.001..2e5_f64).prop_map(Some)];
        (0.001..1e5_f64, backoff, 0.01..9.0_f64, limit, jitter, 0.0..=1.0_f64).prop_map(
            |(retry_delay, backoff, backoff_multiplier, max_retry_delay, jitter, jitter_ratio)| {
                RetryPolicy {
                    retry_delay,
                    backoff,
                    backoff_multiplier,
                    max_retry_delay,
                    jitter,
                    jitter_ratio,
                    ..RetryPolicy::default()
                }
            },
        )
    }

    fn interpretation() -> impl Strategy<Value = Interpretation> {
        let all = (HashText::ALL.to_vec(), Reduction::ALL.to_vec(), Ceiling::ALL.to_vec());
        (select(all.0), select(all.1), select(all.2))
            .prop_map(|(hash, reduce, cap)| Interpretation { hash, reduce, cap })
    }

    proptest! {
        /// Every delay is within its range, and at most 24 hours if that ceiling is hard.
        #[test]
        fn waits_are_in_range(
            policy in policies(),
            interpretation in interpretation(),
            (id, count, bits) in any::<(u128, u32, u64)>(),
            small in 0..40_u32,
        ) {
            for retry_count in [small, count] {
                let id = SessionId::Uuid(id);
                let delay = policy.delay(interpretation, &id, retry_count, Draw::from_bits(bits));
                let range = policy.delay_range(interpretation.cap, retry_count);
                prop_assert!(range.least <= delay.seconds && delay.seconds <= range.most);
                prop_assert!(delay.seconds <= delay.cap);
                prop_assert!(interpretation.cap == Ceiling::Literal || delay.seconds <= 86_400.0);
                // Only random jitter depends on the draw.
                let other = policy.delay(interpretation, &id, retry_count, Draw::LOWEST);
                prop_assert!(policy.jitter == JitterMode::Random || other == delay);
            }
        }

        /// Without jitter, delays grow with the count, shrink with it, or stay equal. Below 24 hours both
        /// ceilings give the same delay.
        #[test]
        fn waits_are_monotone(policy in policies(), count in 0..5000_u32) {
            let policy = RetryPolicy { jitter: JitterMode::None, ..policy };
            let of = |count, ceiling| policy.delay_range(ceiling, count).least;
            let (now, next) = (of(count, Ceiling::Hard), of(count + 1, Ceiling::Hard));
            let fixed = policy.backoff == BackoffStrategy::Fixed;
            prop_assert!(!fixed || next.total_cmp(&now).is_eq());
            prop_assert!(policy.backoff_multiplier < 1.0 || next >= now);
            prop_assert!(policy.backoff_multiplier > 1.0 || next <= now);
            let literal = of(count, Ceiling::Literal);
            prop_assert!(now.total_cmp(&literal.min(86_400.0)).is_eq());
        }

        /// Compares with repeated multiplication.
        #[test]
        fn the_base_is_multiplied_once_a_retry(policy in policies(), count in 0..30_u32) {
            let policy = RetryPolicy { backoff: BackoffStrategy::Exponential, ..policy };
            let grown = (0..count).fold(policy.retry_delay, |wait, _| wait * policy.backoff_multiplier);
            let expected = grown.min(policy.max_retry_delay.unwrap_or(86_400.0));
            prop_assert!((policy.base(count) - expected).abs() <= 1e-9 * expected);
        }
    }

    #[test]
    fn what_no_float_holds_is_the_cap() {
        let policy = RetryPolicy {
            backoff: BackoffStrategy::Exponential,
            max_retry_delay: Some(1e300),
            ..RetryPolicy::default()
        };
        let waits = |ceiling| {
            let interpretation = Interpretation { cap: ceiling, ..Interpretation::default() };
            policy.delay(interpretation, &SessionId::Uuid(7), u32::MAX, Draw::LOWEST).wait()
        };
        assert_eq!(waits(Ceiling::Hard), GoDuration::from_secs(86_400));
        assert_eq!(waits(Ceiling::Literal), GoDuration::from_nanos(i64::MAX));
    }
}
