//! Token buckets that limit the rate at which jobs start.
//!
//! Source: Armada, `maximumSchedulingRate` and `maximumSchedulingBurst` in
//! `internal/scheduler/scheduling/scheduling_algo.go`: one bucket for all pools, one for each queue.

use crate::spec::Nanoseconds;

/// A bucket that starts full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    /// `None` without a limit.
    limit: Option<Limit>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    /// Tokens per second; may be infinite.
    rate: f64,
    burst: f64,
    /// The tokens after the last time that jobs took some.
    remaining: f64,
    /// The time of the last take.
    time: Nanoseconds,
}

impl Limit {
    /// Returns the tokens at a time. They are computed from the last change, so that reading them does not
    /// change later values by rounding.
    #[expect(clippy::cast_precision_loss, reason = "seconds")]
    fn tokens(&self, now: Nanoseconds) -> f64 {
        let elapsed = (now - self.time) as f64 / 1e9;
        // Infinity times 0 is NaN, so no elapsed time is handled separately.
        let gained = if elapsed > 0.0 { elapsed * self.rate } else { 0.0 };
        (self.remaining + gained).min(self.burst)
    }
}

impl Bucket {
    /// Creates a bucket of `burst` tokens, which gets `rate` tokens per second. Without a burst it has no
    /// limit; without a rate it is full again at once.
    pub(super) fn new(rate: Option<f64>, burst: Option<u32>) -> Self {
        let rate = rate.unwrap_or(f64::INFINITY);
        let limit =
            burst.map(f64::from).map(|burst| Limit { rate, burst, remaining: burst, time: 0 });
        Self { limit }
    }

    /// Returns the tokens at a time, which must not be before the last take; `None` without a limit.
    pub(super) fn tokens(&self, now: Nanoseconds) -> Option<f64> {
        self.limit.map(|limit| limit.tokens(now))
    }

    /// Takes the tokens of jobs.
    pub(super) fn take(&mut self, jobs: u32, now: Nanoseconds) {
        if let Some(limit) = self.limit.as_mut().filter(|_| jobs > 0) {
            limit.remaining = limit.tokens(now) - f64::from(jobs);
            limit.time = now;
        }
    }

    /// Returns the time at which the bucket has one more whole token; `None` if it is full or is never
    /// filled.
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
    pub(super) fn next_token(&self, now: Nanoseconds) -> Option<Nanoseconds> {
        let limit = self.limit?;
        let remaining = limit.tokens(now);
        if remaining >= limit.burst || limit.rate <= 0.0 {
            return None;
        }
        // Up to the next whole token, as a part of one admits no job.
        let missing = (remaining.floor() + 1.0 - remaining) / limit.rate * 1e9;
        // Rounded up, and later than now: at a time before it the same jobs would be refused again.
        Some(now.saturating_add((missing.ceil() as Nanoseconds).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanoseconds = 1_000_000_000;

    #[test]
    fn a_bucket_fills_at_its_rate_up_to_its_burst() {
        let mut bucket = Bucket::new(Some(0.5), Some(4));
        assert_eq!(bucket.tokens(0), Some(4.0));
        assert_eq!(bucket.next_token(0), None);
        bucket.take(4, 0);
        assert_eq!(bucket.tokens(3 * SECOND), Some(1.5));
        assert_eq!(bucket.next_token(3 * SECOND), Some(4 * SECOND));
        assert_eq!(bucket.tokens(60 * SECOND), Some(4.0));
        assert_eq!(bucket.next_token(60 * SECOND), None);
    }

    #[test]
    fn a_bucket_without_a_burst_has_no_limit() {
        assert_eq!(Bucket::new(Some(1.0), None).tokens(SECOND), None);
        let mut unlimited = Bucket::new(None, Some(2));
        assert_eq!(unlimited.tokens(0), Some(2.0));
        unlimited.take(2, 0);
        assert_eq!(unlimited.tokens(1), Some(2.0));
        let mut empty = Bucket::new(Some(0.0), Some(1));
        empty.take(1, 0);
        assert_eq!(empty.next_token(SECOND), None);
    }
}
