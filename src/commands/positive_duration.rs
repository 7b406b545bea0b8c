//! Durations as values of flags.

use document::units::GoDuration;
use std::time::Duration;

/// Parses a Go duration that is not 0.
pub(super) fn positive_duration(text: &str) -> Result<GoDuration, String> {
    let duration = GoDuration::parse(text).map_err(|error| format!("{error}; {}", error.help()))?;
    let positive = duration.to_std() > Duration::ZERO;
    if positive { Ok(duration) } else { Err("it must be positive".into()) }
}
