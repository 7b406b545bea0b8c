//! The backoff of a retry (semantics.md, section 6).
//!
//! Holds semantics.md 6.

use crate::policy::Backoff;
use document::units::GoDuration;

/// A backoff with every field set. Delays are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    initial: i64,
    most: i64,
    multiplier: f64,
    /// The first waits, computed once: most decisions then compute no power.
    first: [GoDuration; FIRST],
}

/// The number of waits computed in advance: few jobs fail more than eight times.
const FIRST: usize = 8;

impl Schedule {
    /// Merges the levels field by field: rule, policy, scheduler, built-in; the first that sets a field wins.
    pub fn resolve(rule: Backoff, policy: Backoff, scheduler: Backoff) -> Self {
        let all = rule.or(policy).or(scheduler).or(Backoff::BUILT_IN);
        let mut schedule = Self {
            initial: all.initial_delay.map_or(0, GoDuration::as_nanos),
            most: all.max_delay.map_or(0, GoDuration::as_nanos),
            multiplier: all.multiplier.unwrap_or(2.0),
            first: [GoDuration::ZERO; FIRST],
        };
        for failures in 1..=FIRST {
            schedule.first[failures - 1] = schedule.compute(failures);
        }
        schedule
    }

    /// The wait before the retry: min(initialDelay × multiplier^(failures−1), maxDelay). `failures` includes
    /// the present one.
    pub fn wait(&self, failures: u32) -> GoDuration {
        let failures = failures.max(1) as usize;
        match self.first.get(failures - 1) {
            Some(wait) => *wait,
            None => self.compute(failures),
        }
    }

    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "saturates")]
    fn compute(&self, failures: usize) -> GoDuration {
        if self.initial == 0 {
            return GoDuration::ZERO;
        }
        let exponent = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
        let grown = self.initial as f64 * self.multiplier.powi(exponent);
        // Compared as floats first: a float beyond 2^63 does not fit into an `i64`.
        let nanos = if grown < self.most as f64 { grown.round() as i64 } else { self.most };
        GoDuration::from_nanos(nanos.min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backoff(initial: &str, most: &str, multiplier: f64) -> Backoff {
        Backoff {
            initial_delay: GoDuration::parse(initial).ok(),
            max_delay: GoDuration::parse(most).ok(),
            multiplier: Some(multiplier),
        }
    }

    #[test]
    fn grows_and_saturates() {
        let none = Backoff::default();
        let schedule = Schedule::resolve(backoff("30s", "5m", 2.0), none, none);
        let waits: Vec<f64> = (1..=6).map(|n| schedule.wait(n).as_secs_f64()).collect();
        assert_eq!(waits, [30.0, 60.0, 120.0, 240.0, 300.0, 300.0]);
        assert_eq!(schedule.wait(u32::MAX), GoDuration::from_secs(300));
    }

    #[test]
    fn levels_merge_field_by_field() {
        let rule = Backoff { multiplier: Some(3.0), ..Backoff::default() };
        let policy = Backoff { initial_delay: Some(GoDuration::from_secs(10)), ..rule };
        let scheduler = backoff("1s", "1m", 9.0);
        let schedule = Schedule::resolve(rule, policy, scheduler);
        let waits: Vec<f64> = (1..=4).map(|n| schedule.wait(n).as_secs_f64()).collect();
        assert_eq!(waits, [10.0, 30.0, 60.0, 60.0]);
        let nothing = Schedule::resolve(Backoff::default(), Backoff::default(), Backoff::default());
        assert_eq!(nothing.wait(7), GoDuration::ZERO);
    }
}
