//! Formatting of figures.

use crate::report::figures::separated;
use cluster::report::{Figure, Group};
use document::units::GoDuration;

/// The number of preempted runs.
pub(super) fn preempted(group: &Group) -> f64 {
    let by = &group.preemptions;
    by.fair_share.0 + by.urgency.0 + by.other.0
}

/// Formats half of an interval; empty if it rounds to 0.
pub(super) fn plus_minus(half: Option<Figure>, show: impl Fn(Figure) -> String) -> String {
    let half = half.map(&show).filter(|half| *half != show(Figure(0.0)));
    half.map(|half| format!(" ± {half}")).unwrap_or_default()
}

/// Formats a count with thousands separators; a mean of counts has one decimal.
pub(super) fn count(value: f64) -> String {
    separated(&if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") })
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn share(share: Option<Figure>) -> String {
    share.map(|share| percent(share.0)).unwrap_or_default()
}

pub(super) fn index(value: Option<Figure>) -> String {
    value.map(|value| format!("{:.3}", value.0)).unwrap_or_default()
}

pub(super) fn hours(value: Figure, unit: &str) -> String {
    separated(&format!("{:.1} {unit}", value.0))
}

/// Formats seconds as a duration: to the second from one minute on, to a tenth below.
#[expect(clippy::cast_possible_truncation, reason = "rounded; at most 100 years")]
pub(in crate::report) fn duration(seconds: Figure) -> String {
    let tenth = 100_000_000.0;
    let unit = if seconds.0.abs() >= 60.0 { tenth * 10.0 } else { tenth };
    let nanoseconds = (seconds.0 * 1e9 / unit).round() * unit;
    GoDuration::from_nanos(nanoseconds as i64).to_string()
}
