//! Whole numbers and durations as values of flags.

use document::units::GoDuration;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A parser of whole numbers in a range, which its error gives.
pub(super) fn whole_number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (start, end) = (range.start(), range.end());
        number.ok_or_else(|| format!("write a whole number from {start} to {end}"))
    }
}

/// Parses a Go duration that is 0 or more.
pub(super) fn duration(text: &str) -> Result<GoDuration, String> {
    let duration = parse(text)?;
    if duration.is_negative() { Err("it must not be negative".into()) } else { Ok(duration) }
}

/// Parses a Go duration that is more than 0.
pub(super) fn positive_duration(text: &str) -> Result<GoDuration, String> {
    let duration = parse(text)?;
    if duration > GoDuration::ZERO { Ok(duration) } else { Err("it must be positive".into()) }
}

fn parse(text: &str) -> Result<GoDuration, String> {
    GoDuration::parse(text).map_err(|error| format!("{error}; {}", error.help()))
}
