//! Durations in Go's notation.

use std::fmt;
use std::time::Duration;

/// A duration in Go's notation (`1h30m`, `500ms`, `0s`), in whole nanoseconds.
///
/// The range is that of Go's `time.Duration`: some 292 years in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GoDuration(i64);

/// The reason that a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The text is empty.
    #[error("a duration is missing")]
    Empty,
    /// A number without a unit, `0` included.
    #[error("a duration needs a unit")]
    BareNumber,
    /// A number is required, and there is other text.
    #[error("invalid duration `{0}`")]
    NoNumber(String),
    /// Go has no such unit, such as `d`.
    #[error("unknown unit `{0}` in a duration")]
    UnknownUnit(String),
    /// The duration exceeds the range of Go's durations.
    #[error("the duration is longer than 292 years")]
    TooLong,
}

impl DurationError {
    /// The correction to try.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownUnit(unit) => match unit.trim().to_ascii_lowercase().as_str() {
                "d" | "day" | "days" => "there are no days: a day is `24h`",
                "w" | "week" | "weeks" => "there are no weeks: a week is `168h`",
                "h" | "hr" | "hrs" | "hour" | "hours" => "hours are `h`, next to the number: `1h`",
                "m" | "min" | "mins" | "minute" | "minutes" => {
                    "minutes are `m`, next to the number: `5m`"
                }
                "s" | "sec" | "secs" | "second" | "seconds" => {
                    "seconds are `s`, next to the number: `30s`"
                }
                _ => "the units are ns, us, ms, s, m and h",
            },
            Self::TooLong => "write less than `2562047h`",
            Self::BareNumber => "add a unit: ns, us, ms, s, m or h, as in `30s`",
            _ => "write a Go duration, such as `500ms`, `30s` or `1h30m`",
        }
        .to_owned()
    }
}

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

impl GoDuration {
    /// 0 seconds.
    pub const ZERO: Self = Self(0);

    /// The duration of this many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The duration of this many seconds; saturates at the limits of the type.
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND))
    }

    /// The duration in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The duration in seconds, with fractions.
    #[expect(clippy::cast_precision_loss, reason = "whole seconds are exact up to 285 years")]
    pub fn as_secs_f64(self) -> f64 {
        (self.0 / SECOND) as f64 + (self.0 % SECOND) as f64 / 1e9
    }

    /// Converts to a standard duration; a negative one becomes 0.
    pub fn to_std(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0).unwrap_or(0))
    }

    /// Whether the duration is below 0.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Parses Go's notation (`time.ParseDuration`), except that `0` needs a unit too (semantics.md, section
    /// 11).
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let (negative, unsigned) = match text.as_bytes().first() {
            None => return Err(DurationError::Empty),
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            Some(_) => (false, text),
        };
        if unsigned.is_empty() {
            return Err(DurationError::NoNumber(text.to_owned()));
        }
        // In 128 bits: terms may exceed the limit and their sum must not wrap.
        let mut total: i128 = 0;
        let mut rest = unsigned;
        while !rest.is_empty() {
            let (nanos, after) = parse_term(rest, text)?;
            total += nanos;
            rest = after;
        }
        let total = if negative { -total } else { total };
        i64::try_from(total).map(Self).map_err(|_| DurationError::TooLong)
    }
}

/// Parses one number with its unit; returns nanoseconds and the rest of the text.
fn parse_term<'a>(text: &'a str, whole: &str) -> Result<(i128, &'a str), DurationError> {
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, after) = text.split_at(number_end);
    let (int, fraction) = number.split_once('.').unwrap_or((number, ""));
    if int.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return Err(DurationError::NoNumber(whole.to_owned()));
    }
    let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
    let (unit, rest) = after.split_at(unit_end);
    let scale: i128 = match unit {
        "" => return Err(DurationError::BareNumber),
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(DurationError::UnknownUnit(unit.to_owned())),
    };
    let int =
        if int.is_empty() { 0 } else { int.parse::<u64>().map_err(|_| DurationError::TooLong)? };
    let whole_part = i128::from(int) * scale;
    // One more than the largest: the least duration is -2^63 nanoseconds, as in Go.
    if whole_part > i128::from(i64::MAX) + 1 {
        return Err(DurationError::TooLong);
    }
    Ok((whole_part + fraction_of(fraction, scale), rest))
}

/// A decimal fraction of `scale` nanoseconds, truncated to whole ones as Go does.
fn fraction_of(digits: &str, scale: i128) -> i128 {
    let (mut value, mut divisor) = (0i128, 1i128);
    // Further digits are far less than a nanosecond, and many would overflow.
    for digit in digits.bytes().take(18) {
        value = value * 10 + i128::from(digit - b'0');
        divisor *= 10;
    }
    value * scale / divisor
}

/// Go's notation (`Duration.String`): `1h30m0s`, `1.5s`, `300ms`, `0s`.
impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        if nanos == 0 {
            return f.write_str("0s");
        }
        if nanos < 1_000_000_000 {
            let (scale, unit) = match nanos {
                0..1_000 => (1, "ns"),
                1_000..1_000_000 => (1_000, "\u{b5}s"),
                _ => (1_000_000, "ms"),
            };
            return write!(f, "{sign}{}{unit}", decimal(nanos, scale));
        }
        let seconds = nanos / 1_000_000_000;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let rest = decimal(nanos - (seconds - seconds % 60) * 1_000_000_000, 1_000_000_000);
        match (hours, minutes) {
            (0, 0) => write!(f, "{sign}{rest}s"),
            (0, _) => write!(f, "{sign}{minutes}m{rest}s"),
            _ => write!(f, "{sign}{hours}h{minutes}m{rest}s"),
        }
    }
}

fn decimal(nanos: u64, scale: u64) -> String {
    let digits = scale.ilog10() as usize;
    let text = format!("{}.{:0digits$}", nanos / scale, nanos % scale);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        let nanos = |text: &str| GoDuration::parse(text).unwrap().as_nanos();
        assert_eq!(nanos("0s"), 0);
        assert_eq!(nanos("1h30m"), 5_400_000_000_000);
        assert_eq!(nanos("500ms"), 500_000_000);
        assert_eq!(nanos("1.5s"), 1_500_000_000);
        assert_eq!(nanos(".5m"), 30_000_000_000);
        assert_eq!(nanos("-2\u{b5}s"), -2_000);
        assert_eq!(nanos("2562047h47m16.854775807s"), i64::MAX);
        assert_eq!(nanos("-2562047h47m16.854775808s"), i64::MIN);
    }

    #[test]
    fn refuses_what_go_refuses_and_bare_numbers() {
        for (text, error) in [
            ("", DurationError::Empty),
            ("30", DurationError::BareNumber),
            ("0", DurationError::BareNumber),
            ("1d", DurationError::UnknownUnit("d".into())),
            ("2562047h47m16.854775808s", DurationError::TooLong),
            ("99999999999999999999h", DurationError::TooLong),
            ("s", DurationError::NoNumber("s".into())),
            ("1..5s", DurationError::NoNumber("1..5s".into())),
            ("-", DurationError::NoNumber("-".into())),
            ("1 s", DurationError::UnknownUnit(" s".into())),
        ] {
            assert_eq!(GoDuration::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn prints_as_go_prints() {
        for text in
            ["0s", "1ns", "1.5\u{b5}s", "300ms", "1.5s", "30s", "10m0s", "1h30m0s", "-1h0m0.25s"]
        {
            assert_eq!(GoDuration::parse(text).unwrap().to_string(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn printing_and_reading_again_changes_nothing(nanos: i64) {
            let duration = GoDuration::from_nanos(nanos);
            proptest::prop_assert_eq!(GoDuration::parse(&duration.to_string()), Ok(duration));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = GoDuration::parse(&text);
        }
    }
}
