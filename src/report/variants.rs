//! Several sets of policies side by side, a column each, with what differs from the first.

use super::fleet::hours;
use super::layout::{Layout, Table};
use super::notes::title;
use crate::simulate::{SummaryReport, VariantReport};
use std::fmt::Write;

/// A row: what it counts, and how.
type Row = (&'static str, fn(&SummaryReport) -> Option<f64>, Kind);

#[derive(Clone, Copy)]
enum Kind {
    Whole,
    Hours,
}

const ROWS: [Row; 14] = [
    ("jobs", |s| whole(s.jobs), Kind::Whole),
    ("Succeeded", |s| outcome(s, "Succeeded"), Kind::Whole),
    ("Failed", |s| outcome(s, "Failed"), Kind::Whole),
    ("Unresolved", |s| outcome(s, "Unresolved"), Kind::Whole),
    ("Cancelled", |s| outcome(s, "Cancelled"), Kind::Whole),
    ("recovered", |s| whole(s.recovered), Kind::Whole),
    ("retries granted", |s| whole(s.retries), Kind::Whole),
    ("retries replayed", |s| whole(s.replayed), Kind::Whole),
    ("runs not reached", |s| whole(s.not_reached), Kind::Whole),
    ("hours in retries that succeeded", |s| Some(s.retried_runs.succeeded.hours), Kind::Hours),
    ("hours in retries that failed", |s| Some(s.retried_runs.failed.hours), Kind::Hours),
    ("GPU-hours in retries that failed", |s| s.retried_runs.failed.gpu_hours, Kind::Hours),
    ("hours of waiting", |s| Some(s.backoff_hours), Kind::Hours),
    ("most retries in a minute", |s| whole(s.peak.as_ref()?.retries), Kind::Whole),
];

/// The table of all variants.
pub(super) fn table(out: &mut String, variants: &[VariantReport], layout: &Layout) {
    let mut table = Table::named(headers(variants));
    for (label, value, kind) in ROWS {
        let values: Vec<Option<f64>> =
            variants.iter().map(|variant| value(&variant.summary)).collect();
        if values.iter().all(|value| value.is_none_or(|value| value == 0.0)) {
            continue;
        }
        let first = values.first().copied().flatten();
        let mut cells = vec![label.to_owned()];
        cells.extend(values.iter().enumerate().map(|(at, value)| {
            value.map(|value| cell(value, first.filter(|_| at > 0), kind)).unwrap_or_default()
        }));
        table.row(cells);
    }
    let _ = write!(out, "\n{}", table.render(layout));
}

/// The limit that a sweep sets and its value in each column after the first; `None` if the variants
/// are of no sweep.
pub(super) fn swept(variants: &[VariantReport]) -> Option<(&str, Vec<&str>)> {
    let (_, rest) = variants.split_first()?;
    let parts: Option<Vec<(&str, &str)>> =
        rest.iter().map(|variant| variant.name.split_once('=')).collect();
    let parts = parts?;
    let (limit, _) = *parts.first()?;
    let same = parts.iter().all(|(name, _)| *name == limit);
    same.then(|| (limit, parts.into_iter().map(|(_, value)| value).collect()))
}

/// A name a column. Those of a sweep differ in their values only, so that the limit that is swept
/// stands over the rows and is not cut off.
fn headers(variants: &[VariantReport]) -> Vec<String> {
    if let Some((limit, values)) = swept(variants) {
        let first = variants.first().map(title).unwrap_or_default();
        let values = values.into_iter().map(str::to_owned);
        return [limit.to_owned(), first].into_iter().chain(values).collect();
    }
    std::iter::once(String::new()).chain(variants.iter().map(title)).collect()
}

fn cell(value: f64, first: Option<f64>, kind: Kind) -> String {
    let shown = |value: f64| match kind {
        Kind::Whole => format!("{value:.0}"),
        Kind::Hours => hours(value),
    };
    let same = |other: f64| shown(value) == shown(other);
    match first.filter(|first| !same(*first)) {
        Some(first) if value > first => format!("{} (+{})", shown(value), shown(value - first)),
        Some(first) => format!("{} (-{})", shown(value), shown(first - value)),
        None => shown(value),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of jobs and runs are far below 2^53")]
#[expect(clippy::unnecessary_wraps, reason = "a row may have no value")]
fn whole(count: u64) -> Option<f64> {
    Some(count as f64)
}

fn outcome(summary: &SummaryReport, name: &str) -> Option<f64> {
    whole(summary.outcomes.get(name).copied().unwrap_or(0))
}
