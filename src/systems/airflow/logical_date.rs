//! The logical date of a DAG's run, as the text that is hashed holds it.

use crate::units::{GoDuration, Time, TimeError};
use std::fmt;

/// The logical date of a DAG's run. Its text is Python's `str` of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogicalDate {
    /// A run that has none: `None`.
    #[default]
    Absent,
    /// A `datetime`: `2026-01-01 00:00:00+00:00`, with six digits of microseconds unless they are
    /// none. What is finer is cut off, since Python knows nothing finer.
    At {
        /// The instant; for one without a zone, as if it were in UTC.
        at: Time,
        /// How many minutes its zone is ahead of UTC; absent without a zone.
        ahead: Option<i16>,
    },
}

impl LogicalDate {
    /// A date as Airflow's database gives it back, whatever zone it was written in: in UTC
    /// (`airflow/utils/sqlalchemy.py`, `UtcDateTime`).
    pub const fn utc(at: Time) -> Self {
        Self::At { at, ahead: Some(0) }
    }

    /// Reads a date in ISO form, with `T` or a blank before the time; the zone stays as written,
    /// and may be missing.
    ///
    /// # Errors
    ///
    /// If it is no date and time.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let text = text.replacen(' ', "T", 1);
        match Time::parse(&text) {
            Ok(at) => Ok(Self::At { at, ahead: Some(minutes_ahead(&text)) }),
            Err(TimeError::NoZone) => {
                Time::parse(&format!("{text}Z")).map(|at| Self::At { at, ahead: None })
            }
            Err(error) => Err(error),
        }
    }
}

/// What the zone at the end of a valid time says: `Z`, or a sign, hours and minutes.
fn minutes_ahead(text: &str) -> i16 {
    let zone = text.len().checked_sub(6).and_then(|start| text.get(start..));
    let offset = zone.and_then(|zone| {
        let (sign, (hours, minutes)) = (zone.get(..1)?, zone.get(1..)?.split_once(':')?);
        let minutes = hours.parse::<i16>().ok()? * 60 + minutes.parse::<i16>().ok()?;
        match sign {
            "+" => Some(minutes),
            "-" => Some(-minutes),
            _ => None,
        }
    });
    offset.unwrap_or_default()
}

/// Python's `str`: of a `datetime`, its `isoformat` with a blank between date and time.
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

    /// `str(datetime.fromisoformat(text))` as `CPython` 3.12 says.
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
        /// The text says the same date, of whatever zone; in UTC it is the instant's own.
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
