//! Durations as values of flags.

use document::units::GoDuration;

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
