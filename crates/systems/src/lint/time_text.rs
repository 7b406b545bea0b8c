//! Seconds as text in findings.

use document::units::GoDuration;

/// Seconds, as people write them: `70s`, `2m30s`, `5m`, `24h`. Up to two minutes are seconds, as in the documentation of
/// backoffs.
pub(crate) fn time_text(seconds: f64) -> String {
    /// Two minutes.
    const ONLY_SECONDS: f64 = 120.0;
    if seconds < ONLY_SECONDS {
        let millis = (seconds * 1000.0).round() / 1000.0;
        return format!("{millis}s");
    }
    #[expect(clippy::cast_possible_truncation, reason = "saturates at 292 years")]
    let whole = GoDuration::from_secs(seconds.round() as i64);
    let text = whole.to_string();
    let text = text.strip_suffix("m0s").map_or(text.clone(), |minutes| format!("{minutes}m"));
    text.strip_suffix("h0m").map_or(text.clone(), |hours| format!("{hours}h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_no_empty_parts() {
        for (seconds, text) in [
            (0.0, "0s"),
            (0.25, "0.25s"),
            (70.0, "70s"),
            (120.0, "2m"),
            (150.4, "2m30s"),
            (3_600.0, "1h"),
            (5_400.0, "1h30m"),
            (86_400.0 * 20.0, "480h"),
        ] {
            assert_eq!(time_text(seconds), text);
        }
    }
}
