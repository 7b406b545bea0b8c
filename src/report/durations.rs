//! Durations as text: hours in a fitting unit, and waits.

use super::figures::separated;
use document::units::GoDuration;

/// The unit in which a time is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    /// The unit of a row: that of its longest time, which is in hours.
    pub(super) fn of(longest: f64) -> Self {
        let seconds = longest * 3600.0;
        // The bounds are those from which a time is rounded up to one of the larger unit.
        match seconds {
            0.0 | 3597.0.. => Self::Hours,
            59.95.. => Self::Minutes,
            0.9995.. => Self::Seconds,
            _ => Self::Milliseconds,
        }
    }

    /// Formats a time in hours like [`show`](Self::show), but names the unit of hours too.
    pub(super) fn show_named(self, hours: f64) -> String {
        let text = self.show(hours);
        if text.ends_with(|last: char| last.is_ascii_digit()) { text + " h" } else { text }
    }

    /// Formats a time in hours in this unit, or in a smaller one if its figure would be close to 0. The unit
    /// of hours is not named.
    pub(super) fn show(self, hours: f64) -> String {
        let seconds = hours * 3600.0;
        // One decimal would print less as 0.0: 180 s are 0.05 h, and 3 s are 0.05 min.
        let least = match self {
            Self::Hours => 180.0,
            Self::Minutes => 3.0,
            Self::Seconds => 0.05,
            Self::Milliseconds => 0.0,
        };
        if seconds > 0.0 && seconds < least {
            return Self::of(hours).show(hours);
        }
        match self {
            Self::Hours => separated(&format!("{hours:.1}")),
            Self::Minutes => format!("{:.1} min", seconds / 60.0),
            Self::Seconds => format!("{seconds:.1} s"),
            Self::Milliseconds => format!("{:.0} ms", seconds * 1000.0),
        }
    }
}

const NANOS_IN_MILLISECOND: i64 = 1_000_000;

/// Formats seconds as a duration, to the millisecond: `30s`, `1m30s`, `1h`.
pub(super) fn wait(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "delays fit: they came from whole nanoseconds"
    )]
    let nanos = match (seconds * 1e9).round() as i64 {
        nanos if nanos < NANOS_IN_MILLISECOND => nanos,
        nanos => {
            nanos.saturating_add(NANOS_IN_MILLISECOND / 2) / NANOS_IN_MILLISECOND
                * NANOS_IN_MILLISECOND
        }
    };
    let duration = GoDuration::from_nanos(nanos);
    let text = duration.to_string();
    let text = text.strip_suffix("m0s").map_or(text.clone(), |hours| format!("{hours}m"));
    separated(&text.strip_suffix("h0m").map_or(text.clone(), |hours| format!("{hours}h")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_have_a_unit() {
        const SECOND: f64 = 1.0 / 3600.0;
        for (time, wanted) in [
            (0.0, "0.0"),
            (SECOND / 1000.0, "1 ms"),
            (3.2 * SECOND, "3.2 s"),
            (59.9 * SECOND, "59.9 s"),
            (59.99 * SECOND, "1.0 min"),
            (4.1 * 60.0 * SECOND, "4.1 min"),
            (0.999, "59.9 min"),
            (0.9999, "1.0"),
            (2.84, "2.8"),
            (112_842.0, "112,842.0"),
        ] {
            assert_eq!(TimeUnit::of(time).show(time), wanted);
        }
        assert_eq!(TimeUnit::of(5.0).show(4.1 / 60.0), "0.1");
        assert_eq!(TimeUnit::of(5.0).show(2.9 / 60.0), "2.9 min");
        assert_eq!(TimeUnit::of(0.5).show(2.9 * SECOND), "2.9 s");
        assert_eq!(TimeUnit::of(0.5).show(0.0), "0.0 min");
    }
}
