//! Distributions of waits.

use super::Figure;
use super::fold::{Combine, Fold, combined};
use crate::spec::Nanoseconds;
use schemars::JsonSchema;
use serde::Serialize;

combined! {
    /// Waits, in seconds. Percentiles are by nearest rank, so that each is a wait that occurred.
    #[derive(Copy, Default)]
    pub struct Waits {
        /// The mean.
        pub mean: Figure,
        /// The 10th percentile.
        pub p10: Figure,
        /// The 25th percentile.
        pub p25: Figure,
        /// The median.
        pub p50: Figure,
        /// The 75th percentile.
        pub p75: Figure,
        /// The 90th percentile.
        pub p90: Figure,
        /// The 95th percentile.
        pub p95: Figure,
        /// The longest.
        pub max: Figure,
    }
}

impl Waits {
    /// Returns the distribution of waits; `None` without any.
    pub(super) fn of<'w>(all: impl IntoIterator<Item = &'w [Nanoseconds]>) -> Option<Self> {
        let mut sorted = all.into_iter().collect::<Vec<_>>().concat();
        sorted.sort_unstable();
        let longest = *sorted.last()?;
        // In 128 bits: the sum of all waits may exceed 64.
        let sum: i128 = sorted.iter().map(|wait| i128::from(*wait)).sum();
        let percentile = |percent: usize| {
            // The nearest rank, which is one of the waits.
            let rank = (sorted.len() * percent).div_ceil(100);
            Figure(seconds(sorted[rank.saturating_sub(1)].into()))
        };
        let count = Figure::from(sorted.len() as u64);
        Some(Self {
            mean: Figure(seconds(sum) / count.0),
            p10: percentile(10),
            p25: percentile(25),
            p50: percentile(50),
            p75: percentile(75),
            p90: percentile(90),
            p95: percentile(95),
            max: Figure(seconds(longest.into())),
        })
    }
}

/// Converts nanoseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
pub(super) fn seconds(time: i128) -> f64 {
    time as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_waits_that_occurred() {
        let waits: Vec<Nanoseconds> = (1..=40).rev().map(|wait| wait * 1_000_000_000).collect();
        let (some, others) = waits.split_at(7);
        let figure = |value| Figure(value);
        let expected = Waits {
            mean: figure(20.5),
            p10: figure(4.0),
            p25: figure(10.0),
            p50: figure(20.0),
            p75: figure(30.0),
            p90: figure(36.0),
            p95: figure(38.0),
            max: figure(40.0),
        };
        assert_eq!(Waits::of([some, others]), Some(expected));
        assert_eq!(Waits::of([&[][..]]), None);
    }
}
