//! Instants in time.

use super::{GoDuration, utc_time};
use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use std::fmt;
use std::num::NonZeroU32;

/// An instant in UTC, to the nanosecond, of the years 0 to 9999, which are the range of RFC 3339.
// Packed to 12 bytes: a replay keeps several times for every unit of a fleet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(Rust, packed(4))]
pub struct Time {
    /// Whole seconds since 1970, rounded down.
    seconds: i64,
    /// Nanoseconds of the second plus one: `NonZeroU32` makes `Option<Time>` as small as `Time`.
    nanos: NonZeroU32,
}

/// Nanoseconds of a second.
const NANOS: i64 = 1_000_000_000;

/// 1970-01-01T00:00:00 as a calendar date and time.
const CIVIL_EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The reason that a text is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// A date and time without `Z` or an offset.
    #[error("the time has no zone")]
    NoZone,
    /// More than nine fraction digits.
    #[error("the time has more than 9 fraction digits")]
    TooFine,
    /// The text is not RFC 3339.
    #[error("invalid RFC 3339 time `{0}`")]
    NoTime(String),
    /// Before the year 0 or after the year 9999, in UTC.
    #[error("in UTC the year is not in 0 to 9999")]
    OutOfRange,
}

impl TimeError {
    /// The correction to try.
    pub fn help(&self) -> String {
        match self {
            Self::NoZone => "add `Z` for UTC or an offset such as `+02:00`",
            Self::TooFine => "cut the fraction to 9 digits (nanoseconds)",
            Self::NoTime(_) => "write a date and time with a zone: `2026-10-01T10:04:12Z`",
            Self::OutOfRange => "write a time whose year in UTC has four digits",
        }
        .to_owned()
    }
}

impl Time {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self { seconds: 0, nanos: NonZeroU32::MIN };
    /// 0000-01-01T00:00:00Z.
    pub const FIRST: Self = Self { seconds: -62_167_219_200, nanos: NonZeroU32::MIN };
    /// 9999-12-31T23:59:59.999999999Z.
    pub const LAST: Self =
        Self { seconds: 253_402_300_799, nanos: NonZeroU32::MIN.saturating_add(999_999_999) };

    /// The instant `seconds` and `nanos` after 1970.
    pub(super) fn new(seconds: i64, nanos: u32) -> Self {
        Self { seconds, nanos: NonZeroU32::MIN.saturating_add(nanos) }
    }

    /// The nanoseconds of the second.
    pub fn nanos(self) -> u32 {
        self.nanos.get() - 1
    }

    /// Parses RFC 3339 with a required zone and up to 9 fraction digits (semantics.md, section 10). A space may be in place
    /// of the `T`, and an offset may have no minutes, as databases print times.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        match utc_time::parse_utc(text) {
            Some((seconds, nanos)) => Ok(Self::new(seconds, nanos)),
            None => Self::parse_any(text),
        }
    }

    /// Parses a time in any form. Its errors are the reported ones.
    fn parse_any(text: &str) -> Result<Self, TimeError> {
        let none = || TimeError::NoTime(text.to_owned());
        let bytes = text.as_bytes();
        let digits = |range: std::ops::Range<usize>| {
            bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
        };
        let dated = digits(0..4) && digits(5..7) && digits(8..10);
        let timed = digits(11..13) && digits(14..16) && digits(17..19);
        let separated = dated && timed && bytes[4] == b'-' && bytes[7] == b'-';
        if !separated
            || !matches!(bytes[10], b'T' | b't' | b' ')
            || bytes[13] != b':'
            || bytes[16] != b':'
        {
            return Err(none());
        }
        if &bytes[17..19] >= b"60".as_slice() {
            return Err(none());
        }
        let (fraction, offset) = Self::parse_zone(&text[19..], text)?;
        // jiff parses a civil time only without a zone.
        let local = format!("{}T{}{fraction}", &text[..10], &text[11..19]);
        let local: DateTime = local.parse().map_err(|_| none())?;
        let since = local.duration_since(CIVIL_EPOCH) - SignedDuration::from_mins(offset);
        let seconds = since.as_nanos().div_euclid(NANOS.into());
        let nanos = since.as_nanos().rem_euclid(NANOS.into());
        let time = i64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
        let time = time.map(|(seconds, nanos)| Self::new(seconds, nanos));
        let there = |time: &Self| (Self::FIRST..=Self::LAST).contains(time);
        time.filter(there).ok_or(TimeError::OutOfRange)
    }

    /// Parses the text after the seconds. Returns the fraction, and the minutes by which the zone is ahead of
    /// UTC.
    fn parse_zone<'t>(rest: &'t str, text: &str) -> Result<(&'t str, i64), TimeError> {
        let none = || TimeError::NoTime(text.to_owned());
        let zone = match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) => {
                let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
                match end {
                    0 => return Err(none()),
                    1..=9 => &fraction[end..],
                    _ => return Err(TimeError::TooFine),
                }
            }
        };
        let fraction = &rest[..rest.len() - zone.len()];
        let digit = |byte: &u8| i64::from(byte - b'0');
        let (sign, h1, h2, m1, m2) = match zone.as_bytes() {
            [] => return Err(TimeError::NoZone),
            [b'Z' | b'z'] => return Ok((fraction, 0)),
            [sign @ (b'+' | b'-'), h1, h2] => (sign, h1, h2, &b'0', &b'0'),
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => (sign, h1, h2, m1, m2),
            _ => return Err(none()),
        };
        let are_digits = [h1, h2, m1, m2].iter().all(|digit| digit.is_ascii_digit());
        if !are_digits || (*h1, *h2) >= (b'2', b'4') || *m1 >= b'6' {
            return Err(none());
        }
        let minutes = (digit(h1) * 10 + digit(h2)) * 60 + digit(m1) * 10 + digit(m2);
        Ok((fraction, if *sign == b'-' { -minutes } else { minutes }))
    }

    /// Whole seconds since 1970, rounded down; negative for earlier instants.
    pub fn epoch_seconds(self) -> i64 {
        self.seconds
    }

    /// The instant `seconds` seconds after 1970; saturates at the first and last instant.
    pub fn from_epoch_seconds(seconds: i64) -> Self {
        Self::new(seconds, 0).clamp(Self::FIRST, Self::LAST)
    }

    /// The instant `duration` later; saturates at the last instant (year 9999).
    #[must_use]
    pub fn plus(self, duration: GoDuration) -> Self {
        let nanos = i64::from(self.nanos()) + duration.as_nanos().rem_euclid(NANOS);
        let seconds = self.seconds + duration.as_nanos().div_euclid(NANOS) + nanos / NANOS;
        let nanos = u32::try_from(nanos % NANOS).unwrap_or_default();
        Self::new(seconds, nanos).clamp(Self::FIRST, Self::LAST)
    }

    /// The duration from `earlier` to `self`; negative if `self` is the earlier one. Saturates at the longest
    /// duration.
    pub fn since(self, earlier: Self) -> GoDuration {
        let seconds = self.seconds - earlier.seconds;
        let nanos = i64::from(self.nanos()) - i64::from(earlier.nanos());
        let whole = seconds.checked_mul(NANOS).and_then(|whole| whole.checked_add(nanos));
        let longest = if seconds < 0 { i64::MIN } else { i64::MAX };
        GoDuration::from_nanos(whole.unwrap_or(longest))
    }
}

/// RFC 3339 in UTC with `Z`, without trailing zeros in the fraction.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = i32::try_from(self.nanos()).unwrap_or_default();
        let civil = CIVIL_EPOCH.saturating_add(SignedDuration::new(self.seconds, nanos));
        write!(f, "{civil}Z")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc_3339_and_prints_utc() {
        let shown = |text: &str| Time::parse(text).unwrap().to_string();
        assert_eq!(shown("2026-10-01T10:04:12Z"), "2026-10-01T10:04:12Z");
        assert_eq!(shown("2026-10-01T10:04:12.500+02:00"), "2026-10-01T08:04:12.5Z");
        assert_eq!(shown("2026-10-01t10:04:12.123456789z"), "2026-10-01T10:04:12.123456789Z");
        assert_eq!(shown("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00Z");
        // As databases print times.
        assert_eq!(shown("2026-10-01 10:04:12.296+00"), "2026-10-01T10:04:12.296Z");
        assert_eq!(shown("2026-10-01 10:04:12-03"), "2026-10-01T13:04:12Z");
        assert_eq!(shown("2026-10-01 10:04:12+05:30"), "2026-10-01T04:34:12Z");
    }

    #[test]
    fn refuses_the_rest() {
        assert_eq!(Time::parse("2026-10-01T10:04:12"), Err(TimeError::NoZone));
        assert_eq!(Time::parse("2026-10-01T10:04:12.1234567890Z"), Err(TimeError::TooFine));
        for text in [
            "2026-10-01",
            "10:04",
            "2026-13-01T10:04:12Z",
            "2026-02-30T00:00:00Z",
            "2026-10-01  10:04:12Z",
            "2026-10-01 10:04:12 +00",
            "2026-10-01_10:04:12Z",
            "2026-10-01T10:04:12+2",
            "2026-10-01T10:04:12+24",
            "2026-10-01T10:04:12+0000",
            "2026-10-01T10:04:60Z",
            "2026-10-01T10:04Z",
            "2026-10-01T10:04:12.Z",
            "2026-10-01T10:04:12+2:00",
            "2026-10-01T10:04:12+24:00",
            "",
            "20261001T100412Z",
            "2026-10-01T10:04:12Z ",
        ] {
            assert!(matches!(Time::parse(text), Err(TimeError::NoTime(_))), "{text}");
        }
    }

    #[test]
    fn the_years_0_to_9999_are_all_there_is() {
        assert_eq!(Time::parse("0000-01-01T00:00:00+23:59"), Err(TimeError::OutOfRange));
        assert_eq!(Time::parse("9999-12-31T23:59:59-00:01"), Err(TimeError::OutOfRange));
        let first = Time::parse("0000-01-01T00:00:00Z").unwrap();
        assert_eq!(first.plus(GoDuration::from_secs(-1)), first);
        assert_eq!(first.to_string(), "0000-01-01T00:00:00Z");
    }

    #[test]
    fn arithmetic_saturates() {
        let last = Time::parse("9999-12-31T23:59:59.999999999Z").unwrap();
        let far = last.plus(GoDuration::from_secs(i64::MAX));
        assert_eq!(far.plus(GoDuration::from_secs(1)), far);
        assert_eq!(far.since(Time::parse("0001-01-01T00:00:00Z").unwrap()).as_nanos(), i64::MAX);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String, tail in "[0-9Zz:+.-]{0,12}") {
            let _ = Time::parse(&text);
            let _ = Time::parse(&format!("2026-10-01T10:04:12{tail}"));
        }

        /// Texts close to the common form, with valid and invalid days, hours and years.
        #[test]
        fn the_common_form_is_read_as_any_other(
            date in "[0-9]{4}-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])",
            between in "T|T|T|t| |",
            time in "([01][0-9]|2[0-5]):[0-6][0-9]:[0-6][0-9]",
            tail in "(Z|[.][0-9]{0,10}Z|[.][0-9]{3}|z|([.][0-9]{1,3})?[+]0[01](:00)?|ZZ|)",
            fault in proptest::option::weighted(0.2, (0..30_usize, "[-0-9:.TZx]")),
        ) {
            let mut text = date + &between + &time + &tail;
            if let Some((at, put)) = fault {
                let at = at.min(text.len() - 1);
                text.replace_range(at..=at, &put);
            }
            proptest::prop_assert_eq!(Time::parse(&text), Time::parse_any(&text));
        }
    }
}
