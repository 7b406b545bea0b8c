//! Token buckets that limit how many jobs start in a time.
//!
//! Source: Armada, `maximumSchedulingRate` and `maximumSchedulingBurst` in
//! `internal/scheduler/scheduling/scheduling_algo.go`: one bucket for all pools, one for each queue.

use crate::cluster::spec::Nanoseconds;

/// A bucket that starts full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    /// `None` without a limit.
    limit: Option<Limit>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    /// Tokens a second; may be infinite.
    rate: f64,
    burst: f64,
    left: f64,
    /// When `left` was right.
    time: Nanoseconds,
}

impl Bucket {
    /// A bucket of `burst` tokens, which gets `rate` tokens a second. Without a burst it has no
    /// limit; without a rate it is full again at once.
    pub(super) fn new(rate: Option<f64>, burst: Option<u32>) -> Self {
        let rate = rate.unwrap_or(f64::INFINITY);
        let limit = burst.map(f64::from).map(|burst| Limit { rate, burst, left: burst, time: 0 });
        Self { limit }
    }

    /// The tokens at a time, not before that of the last call; `None` without a limit.
    #[expect(clippy::cast_precision_loss, reason = "seconds")]
    pub(super) fn tokens(&mut self, now: Nanoseconds) -> Option<f64> {
        let limit = self.limit.as_mut()?;
        let elapsed = (now - limit.time) as f64 / 1e9;
        // Infinity times 0 is no number.
        let gained = if elapsed > 0.0 { elapsed * limit.rate } else { 0.0 };
        limit.left = (limit.left + gained).min(limit.burst);
        limit.time = now;
        Some(limit.left)
    }

    /// Takes the tokens of jobs.
    pub(super) fn take(&mut self, jobs: u32) {
        if let Some(limit) = &mut self.limit {
            limit.left -= f64::from(jobs);
        }
    }

    /// Whether it has more tokens later.
    pub(super) fn is_filling(&self) -> bool {
        self.limit.is_some_and(|limit| limit.left < limit.burst && limit.rate > 0.0)
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
        bucket.take(4);
        assert!(bucket.is_filling());
        assert_eq!(bucket.tokens(3 * SECOND), Some(1.5));
        assert_eq!(bucket.tokens(60 * SECOND), Some(4.0));
        assert!(!bucket.is_filling());
    }

    #[test]
    fn a_bucket_without_a_burst_has_no_limit() {
        assert_eq!(Bucket::new(Some(1.0), None).tokens(SECOND), None);
        let mut unlimited = Bucket::new(None, Some(2));
        assert_eq!(unlimited.tokens(0), Some(2.0));
        unlimited.take(2);
        assert_eq!(unlimited.tokens(1), Some(2.0));
    }
}
