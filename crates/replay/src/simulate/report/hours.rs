//! The cost of runs, and the share of them that succeeded.

use crate::simulate::summary::Hours;
use schemars::JsonSchema;
use serde::Serialize;

/// The standard normal quantile of a two-sided 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;

/// What some runs cost.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoursReport {
    /// Runs.
    pub runs: u64,
    /// Runs of which a start or an end is not on record; their hours are not known.
    pub untimed: u64,
    /// Hours of running, of the others.
    pub hours: f64,
    /// Core-hours; null where no job says how many cores it asked for.
    pub cpu_hours: Option<f64>,
    /// GPU-hours; null where no job says how many GPUs it asked for.
    pub gpu_hours: Option<f64>,
}

impl From<&Hours> for HoursReport {
    fn from(hours: &Hours) -> Self {
        Self {
            runs: hours.runs,
            untimed: hours.untimed,
            hours: hours.run_hours(),
            cpu_hours: hours.cpu_hours(),
            gpu_hours: hours.gpu_hours(),
        }
    }
}

/// A share with its 95 % interval by Wilson's formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateReport {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl RateReport {
    /// The share of some runs that succeeded; none without runs.
    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
    pub fn of(succeeded: u64, runs: u64) -> Option<Self> {
        if runs == 0 {
            return None;
        }
        let (runs, share) = (runs as f64, succeeded as f64 / runs as f64);
        // Wilson's, as it stays within 0 and 1 also for a few runs.
        let square = Z_95 * Z_95;
        let center = share + square / (2.0 * runs);
        let half = Z_95 * (share * (1.0 - share) / runs + square / (4.0 * runs * runs)).sqrt();
        let scale = 1.0 + square / runs;
        // Rounding may put an end past the share, which it then equals.
        let (low, high) = ((center - half) / scale, (center + half) / scale);
        Some(Self { share, low: low.clamp(0.0, share), high: high.clamp(share, 1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Figures of Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
    #[test]
    fn intervals_are_those_of_the_literature() {
        for (succeeded, runs, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let rate = RateReport::of(succeeded, runs).unwrap();
            assert!((rate.low - low).abs() < 5e-5, "{succeeded}/{runs}: {rate:?}");
            assert!((rate.high - high).abs() < 5e-5, "{succeeded}/{runs}: {rate:?}");
        }
        assert_eq!(RateReport::of(0, 0), None);
    }

    proptest! {
        #[test]
        fn an_interval_contains_its_share(runs in 1_u64..1 << 40, part in 0.0..=1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a part of the runs")]
            let succeeded = ((runs as f64 * part) as u64).min(runs);
            let rate = RateReport::of(succeeded, runs).unwrap();
            prop_assert!(0.0 <= rate.low && rate.low <= rate.share, "{:?}", rate);
            prop_assert!(rate.share <= rate.high && rate.high <= 1.0, "{:?}", rate);
        }
    }
}
