//! Python's `timedelta`.

use crate::units::GoDuration;
use std::fmt;

/// A duration in whole microseconds, as Python's `datetime.timedelta` counts them.
///
/// Python's ends at 999 999 999 days, this one at 106 751 991, either way; what is longer is that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeDelta(i64);

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

impl TimeDelta {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A number of microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// A whole number of seconds.
    pub fn from_whole_seconds(seconds: u64) -> Self {
        Self(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND))
    }

    /// `timedelta(seconds=…)`: what is finer than a microsecond is rounded to the nearest, from
    /// halfway to the even one. No number counts as none.
    pub fn from_seconds(seconds: f64) -> Self {
        // Only the fraction goes through a product of floats, as in CPython's `accum`.
        let whole = truncated(seconds).saturating_mul(SECOND);
        Self(whole.saturating_add(truncated((seconds.fract() * 1e6).round_ties_even())))
    }

    /// In microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// `total_seconds()`: the nearest float.
    #[expect(clippy::cast_precision_loss, reason = "microseconds of 285 years are exact")]
    pub fn total_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Whether it is no time: what Python takes for false.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// As a duration of this crate; past 292 years, the longest there is.
    pub const fn to_duration(self) -> GoDuration {
        GoDuration::from_nanos(self.0.saturating_mul(1_000))
    }
}

/// In seconds, as DAGs write delays: `579s`, `0.5s`.
impl fmt::Display for TimeDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (micros, sign) = (self.0.unsigned_abs(), if self.0 < 0 { "-" } else { "" });
        let (second, whole) = (SECOND.unsigned_abs(), micros / SECOND.unsigned_abs());
        match micros % second {
            0 => write!(f, "{sign}{whole}s"),
            rest => {
                let rest = format!("{rest:06}");
                write!(f, "{sign}{whole}.{}s", rest.trim_end_matches('0'))
            }
        }
    }
}

/// The whole part; what no `i64` is, is the nearest that one is.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is meant")]
fn truncated(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `timedelta(seconds=x) // timedelta(microseconds=1)` as `CPython` 3.12 says.
    #[test]
    fn rounds_as_python_rounds() {
        for (seconds, micros) in [
            (0.5, 500_000),
            (1e-6, 1),
            (0.000_000_5, 0),
            (0.000_001_5, 2),
            (0.000_002_5, 2),
            (-0.000_001_5, -2),
            (0.1, 100_000),
            (2.000_000_4, 2_000_000),
            (-5.25, -5_250_000),
            (0.999_999_7, 1_000_000),
            (172_800.0, 172_800_000_000),
        ] {
            assert_eq!(TimeDelta::from_seconds(seconds).as_micros(), micros, "{seconds}");
        }
    }

    #[test]
    fn saturates() {
        assert_eq!(TimeDelta::from_seconds(1e300).as_micros(), i64::MAX);
        assert_eq!(TimeDelta::from_seconds(-1e300).as_micros(), i64::MIN);
        assert_eq!(TimeDelta::from_seconds(f64::NAN), TimeDelta::ZERO);
        assert_eq!(TimeDelta::from_whole_seconds(u64::MAX).as_micros(), i64::MAX);
        assert_eq!(TimeDelta::from_micros(i64::MIN).to_duration().as_nanos(), i64::MIN);
    }

    #[test]
    fn is_written_in_seconds() {
        for (micros, text) in [
            (0, "0s"),
            (579_000_000, "579s"),
            (500_000, "0.5s"),
            (-1_000_001, "-1.000001s"),
            (i64::MIN, "-9223372036854.775808s"),
        ] {
            assert_eq!(TimeDelta::from_micros(micros).to_string(), text);
        }
    }

    proptest! {
        /// Up to 285 years, after which a float cannot tell microseconds apart.
        #[test]
        fn seconds_say_every_microsecond(micros in -(1_i64 << 53)..1_i64 << 53) {
            let delta = TimeDelta::from_micros(micros);
            // A float near 285 years is a microsecond wide.
            let near = TimeDelta::from_seconds(delta.total_seconds()).as_micros() - micros;
            prop_assert!(near.abs() <= i64::from(micros.abs() >> 50 > 0), "{near}");
        }
    }
}
