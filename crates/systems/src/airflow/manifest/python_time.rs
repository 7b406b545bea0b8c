//! Python's `timedelta` and `datetime`.
//!
//! Owns their arithmetic and their texts: the text of a logical date is part of the jitter's hash.

use document::diag::Code;
use document::units::{GoDuration, Time, TimeError};
use document::{FieldValue, Kind, Node};
use std::fmt;

/// A duration in whole microseconds, as Python's `datetime.timedelta` counts them.
///
/// Python's range ends at 999 999 999 days, this one at 106 751 991, in both directions; longer durations
/// saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeDelta(i64);

/// Microseconds per second.
const SECOND: i64 = 1_000_000;

/// Seconds, which may have a fraction.
impl FieldValue for TimeDelta {
    const KIND: Kind = Kind::Number { min: 0.0, above: false, code: Code::OutOfRange };

    fn from_node(node: &Node) -> Option<Self> {
        node.number().map(Self::from_seconds)
    }
}

impl TimeDelta {
    /// Converts microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Converts whole seconds.
    pub fn from_whole_seconds(seconds: u64) -> Self {
        Self(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND))
    }

    /// Converts seconds, rounded to the nearest microsecond, halves to the even one (`timedelta(seconds=…)`).
    /// NaN is 0.
    pub fn from_seconds(seconds: f64) -> Self {
        // Only the fraction is multiplied as a float, as in CPython's `accum`.
        let whole = truncated(seconds).saturating_mul(SECOND);
        // Python rounds halves to even; `round` would round them away from zero.
        Self(whole.saturating_add(truncated((seconds.fract() * 1e6).round_ties_even())))
    }

    /// Returns the microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the nearest float (`total_seconds()`).
    #[expect(clippy::cast_precision_loss, reason = "microseconds of 285 years are exact")]
    pub fn total_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns whether the duration is 0, which is false in Python.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Converts to a duration of this crate; more than 292 years become its maximum.
    pub const fn to_duration(self) -> GoDuration {
        GoDuration::from_nanos(self.0.saturating_mul(1_000))
    }
}

/// Writes seconds, as DAGs write delays: `579s`, `0.5s`.
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

/// Writes a duration as Python's `str` does: `0:10:00`, `1 day, 0:00:00.500000`.
pub(crate) struct PythonText(pub(crate) TimeDelta);

impl fmt::Display for PythonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As in a `timedelta`, whose days alone are negative.
        let (seconds, micros) = (self.0.0.div_euclid(SECOND), self.0.0.rem_euclid(SECOND));
        let (days, seconds) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        match days {
            0 => {}
            1 | -1 => write!(f, "{days} day, ")?,
            _ => write!(f, "{days} days, ")?,
        }
        write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        // Python writes no fraction if it is 0, and else all six digits.
        if micros > 0 { write!(f, ".{micros:06}") } else { Ok(()) }
    }
}

/// Returns the whole part, saturated at the range of `i64`.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is meant")]
fn truncated(number: f64) -> i64 {
    number as i64
}

/// The logical date of a DAG's run. Its text is Python's `str` of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogicalDate {
    /// A run without a date: `None`.
    #[default]
    Absent,
    /// A `datetime`: `2026-01-01 00:00:00+00:00`, with six digits of microseconds unless they are all 0.
    /// Finer digits are cut off, since Python has none.
    At {
        /// The instant; a date without a zone is read as UTC.
        at: Time,
        /// The offset of the zone from UTC in minutes, positive to the east; absent without a zone.
        ahead: Option<i16>,
    },
}

impl LogicalDate {
    /// Returns a date as Airflow's database returns it, whatever zone it was written in: in UTC
    /// (`airflow/utils/sqlalchemy.py`, `UtcDateTime`).
    pub const fn utc(at: Time) -> Self {
        Self::At { at, ahead: Some(0) }
    }

    /// Reads a date in ISO form, with `T` or a space before the time. The zone is kept as written, and may be
    /// missing.
    ///
    /// # Errors
    ///
    /// If the text is not a date and time.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        match Time::parse(text) {
            Ok(at) => Ok(Self::At { at, ahead: Some(minutes_ahead(text)) }),
            Err(TimeError::NoZone) => {
                Time::parse(&format!("{text}Z")).map(|at| Self::At { at, ahead: None })
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the offset of the zone at the end of a valid time: `Z`, or a sign, hours and maybe minutes.
fn minutes_ahead(text: &str) -> i16 {
    // The date has signs too. Behind the seconds only an offset has one.
    let zone = text.get("2026-10-01T00:00:00".len()..).unwrap_or_default();
    let Some(sign) = zone.find(['+', '-']) else { return 0 };
    let (hours, minutes) = zone[sign + 1..].split_once(':').unwrap_or((&zone[sign + 1..], "0"));
    let number = |text: &str| text.parse::<i16>().unwrap_or_default();
    let minutes = number(hours) * 60 + number(minutes);
    if zone[sign..].starts_with('-') { -minutes } else { minutes }
}

/// Python's `str` of a `datetime`: its `isoformat` with a blank between date and time.
impl fmt::Display for LogicalDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::At { at, ahead } = *self else { return f.write_str("None") };
        let offset = ahead.unwrap_or_default();
        let local = at.plus(GoDuration::from_secs(i64::from(offset) * 60));
        let second = Time::from_epoch_seconds(local.epoch_seconds());
        let civil = second.to_string();
        f.write_str(&civil.trim_end_matches('Z').replace('T', " "))?;
        match local.since(second).as_nanos() / 1_000 {
            0 => {}
            micros => write!(f, ".{micros:06}")?,
        }
        if ahead.is_none() {
            return Ok(());
        }
        let (sign, offset) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
        write!(f, "{sign}{:02}:{:02}", offset / 60, offset % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Expected values: `timedelta(seconds=x) // timedelta(microseconds=1)` in `CPython` 3.12.
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
        assert_eq!(TimeDelta::from_seconds(f64::NAN), TimeDelta::default());
        assert_eq!(TimeDelta::from_whole_seconds(u64::MAX).as_micros(), i64::MAX);
        assert_eq!(TimeDelta::from_micros(i64::MIN).to_duration().as_nanos(), i64::MIN);
    }

    /// Expected values: `str(timedelta(microseconds=micros))` in `CPython` 3.12.
    #[test]
    fn is_written_as_python_writes_it() {
        for (micros, text) in [
            (0, "0:00:00"),
            (600_000_000, "0:10:00"),
            (500_000, "0:00:00.500000"),
            (86_400_000_000, "1 day, 0:00:00"),
            (2 * 86_400_000_000 + 45_296_000_001, "2 days, 12:34:56.000001"),
            (-1, "-1 day, 23:59:59.999999"),
        ] {
            assert_eq!(PythonText(TimeDelta::from_micros(micros)).to_string(), text);
        }
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
        /// Floats distinguish microseconds up to 285 years.
        #[test]
        fn seconds_say_every_microsecond(micros in -(1_i64 << 53)..1_i64 << 53) {
            let delta = TimeDelta::from_micros(micros);
            // Near 285 years, adjacent floats are a microsecond apart.
            let near = TimeDelta::from_seconds(delta.total_seconds()).as_micros() - micros;
            prop_assert!(near.abs() <= i64::from(micros.abs() >> 50 > 0), "{near}");
        }
    }

    /// Expected values: `str(datetime.fromisoformat(text))` in `CPython` 3.12.
    #[test]
    fn prints_as_python_prints() {
        for (iso, text) in [
            ("2026-01-01T00:00:00+00:00", "2026-01-01 00:00:00+00:00"),
            ("2026-01-01T00:00:00Z", "2026-01-01 00:00:00+00:00"),
            ("2026-01-01 00:00:00-00:00", "2026-01-01 00:00:00+00:00"),
            ("2026-02-28T23:59:59.5+00:00", "2026-02-28 23:59:59.500000+00:00"),
            ("2026-02-28T23:59:59.000001+00:00", "2026-02-28 23:59:59.000001+00:00"),
            ("2026-02-28T23:59:59.0000009+00:00", "2026-02-28 23:59:59+00:00"),
            ("2026-03-01T01:00:00+05:30", "2026-03-01 01:00:00+05:30"),
            ("2026-03-01T01:00:00.25-03:30", "2026-03-01 01:00:00.250000-03:30"),
            ("2026-03-01T01:00:00-03", "2026-03-01 01:00:00-03:00"),
            ("2026-03-01T01:00:00", "2026-03-01 01:00:00"),
            ("1969-12-31T23:59:59.999999+00:00", "1969-12-31 23:59:59.999999+00:00"),
            ("0001-01-01T00:00:00+00:00", "0001-01-01 00:00:00+00:00"),
        ] {
            assert_eq!(LogicalDate::parse(iso).unwrap().to_string(), text, "{iso}");
        }
        assert_eq!(LogicalDate::Absent.to_string(), "None");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["", "None", "2026-01-01", "2026-13-01T00:00:00", "2026-01-01  00:00:00"] {
            assert!(LogicalDate::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        /// Printing and reading returns the same date, in every zone; in UTC the printed text is that of the
        /// instant.
        #[test]
        fn its_text_is_read_as_itself(
            micros in -62_000_000_000_000_000_i64..250_000_000_000_000_000,
            ahead in proptest::option::of(-1439_i16..1440),
        ) {
            let seconds = Time::from_epoch_seconds(micros.div_euclid(1_000_000));
            let at = seconds.plus(GoDuration::from_nanos(micros.rem_euclid(1_000_000) * 1_000));
            let date = LogicalDate::At { at, ahead };
            prop_assert_eq!(LogicalDate::parse(&date.to_string()), Ok(date));
            let utc = LogicalDate::utc(at).to_string();
            prop_assert_eq!(Time::parse(&utc.replace(' ', "T")), Ok(at));
        }
    }
}
