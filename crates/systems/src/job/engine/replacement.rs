//! The delay before the replacements of failed pods (`pkg/controller/job/backoff_utils.go`).

use document::units::{GoDuration, Time};

/// The parameters of the delays. The controller's values are constants of `job_controller.go`; its
/// documentation has another cap, of six minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobOptions {
    /// The delay after one failure.
    pub backoff_base: GoDuration,
    /// The maximum delay.
    pub backoff_cap: GoDuration,
}

impl Default for JobOptions {
    fn default() -> Self {
        // `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff` (`pkg/controller/job/job_controller.go`).
        Self { backoff_base: GoDuration::from_secs(10), backoff_cap: GoDuration::from_secs(600) }
    }
}

impl JobOptions {
    /// Returns min(base * 2^(failures-1), cap); 0 without a failure.
    pub fn delay(&self, failures: u32) -> GoDuration {
        let Some(doublings) = failures.checked_sub(1) else { return GoDuration::ZERO };
        // A shift that overflows is beyond any cap, and one to the sign bit is negative.
        let factor = 1_i64.checked_shl(doublings).filter(|factor| *factor > 0);
        let grown = factor.and_then(|factor| self.backoff_base.as_nanos().checked_mul(factor));
        grown.map_or(self.backoff_cap, |nanos| GoDuration::from_nanos(nanos).min(self.backoff_cap))
    }
}

/// The failures that the delay depends on if indexes have no limits of their own. They are counted for the
/// whole Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackoffRecord {
    /// The number of failures since the last success, including ignored ones.
    pub failures: u32,
    /// The end of the last of them, if known.
    pub last_failure: Option<Time>,
}

impl BackoffRecord {
    /// Counts the pods that have ended since the last sync; `None` is an end at an unknown time.
    ///
    /// A success removes all failures except those that ended after it. An end at an unknown time is not
    /// assumed to be after a success.
    pub fn observe(
        &mut self,
        succeeded: impl IntoIterator<Item = Option<Time>>,
        failed: impl IntoIterator<Item = Option<Time>>,
    ) {
        let mut succeeded = succeeded.into_iter();
        let Some(first) = succeeded.next() else {
            return self.add(failed.into_iter());
        };
        *self = Self::default();
        let last = succeeded.fold(first, Option::max);
        self.add(failed.into_iter().filter(|at| at.is_some() && *at > last));
    }

    fn add(&mut self, failed: impl Iterator<Item = Option<Time>>) {
        let mut last = None;
        let before = self.failures;
        for at in failed {
            self.failures = self.failures.saturating_add(1);
            last = last.max(at);
        }
        // No failure keeps the time of the last one.
        if self.failures != before {
            self.last_failure = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn doubles_up_to_the_cap() {
        let options = JobOptions::default();
        let waits: Vec<f64> = (0..9).map(|n| options.delay(n).as_secs_f64()).collect();
        assert_eq!(waits, [0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 600.0, 600.0]);
    }

    proptest! {
        /// For every number of failures, the delay is at most the cap, and not shorter than with one failure
        /// less.
        #[test]
        fn grows_and_never_overflows(failures: u32, base in 0..i64::MAX, cap in 0..i64::MAX) {
            let options = JobOptions {
                backoff_base: GoDuration::from_nanos(base),
                backoff_cap: GoDuration::from_nanos(cap),
            };
            let delay = options.delay(failures);
            prop_assert!(delay <= options.backoff_cap);
            prop_assert!(failures == 0 || delay >= options.delay(failures - 1));
        }

        /// Parallel failures count each, in every order. A success at the time of the last one removes all.
        #[test]
        fn a_success_forgets_what_came_before(mut times in proptest::collection::vec(0_i64..50, 1..8)) {
            let at = |seconds: &i64| Some(Time::from_epoch_seconds(*seconds));
            let mut record = BackoffRecord::default();
            record.observe([], times.iter().map(at));
            times.sort_unstable();
            prop_assert_eq!(record.failures as usize, times.len());
            prop_assert_eq!(record.last_failure, times.last().and_then(at));
            record.observe([times.last().and_then(at)], times.iter().map(at));
            prop_assert_eq!(record, BackoffRecord::default());
        }
    }
}
