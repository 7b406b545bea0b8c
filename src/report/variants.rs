//! The comparison of several sets of policies: one column per set, with the differences from the first.

use super::durations::TimeUnit;
use super::figures;
use super::layout::Layout;
use super::table::{Table, head, render_first, text_columns};
#[cfg(test)]
use replay::simulate::SweptLimit;
use replay::simulate::{SummaryReport, SweptValue, VariantReport};

/// A row: its label, its figure, and the kind of figure.
type Row = (&'static str, fn(&SummaryReport) -> Option<f64>, Kind);

#[derive(Clone, Copy)]
enum Kind {
    Whole,
    Hours,
}

/// The rows of the comparison.
const ROWS: [Row; 14] = [
    ("jobs", |s| whole(s.totals.jobs), Kind::Whole),
    ("Succeeded", |s| outcome(s, "Succeeded"), Kind::Whole),
    ("Failed", |s| outcome(s, "Failed"), Kind::Whole),
    ("Unresolved", |s| outcome(s, "Unresolved"), Kind::Whole),
    ("Cancelled", |s| outcome(s, "Cancelled"), Kind::Whole),
    ("recovered", |s| whole(s.recovered), Kind::Whole),
    ("retries granted", |s| whole(s.totals.retries), Kind::Whole),
    ("retries replayed", |s| whole(s.replayed), Kind::Whole),
    ("runs not reached", |s| whole(s.not_reached), Kind::Whole),
    ("hours in retries that succeeded", |s| Some(s.retried_runs.succeeded.hours), Kind::Hours),
    ("hours in retries that failed", |s| Some(s.retried_runs.failed.hours), Kind::Hours),
    ("GPU-hours in retries that failed", |s| s.retried_runs.failed.gpu_hours, Kind::Hours),
    ("hours of waiting", |s| Some(s.backoff_hours), Kind::Hours),
    ("most retries in a minute", |s| whole(s.peak.as_ref()?.retries), Kind::Whole),
];

/// Writes the table of all variants. On a narrow terminal the differences are omitted; if that is not enough,
/// every variant becomes a block of lines.
pub(super) fn table(out: &mut String, variants: &[VariantReport], layout: &Layout) {
    let tables = [true, false].map(|has_differences| {
        let rows = rows(variants, has_differences);
        let table = |titles: Vec<String>| {
            Table::new(rows.iter().cloned(), &text_columns(titles.into_iter().map(head)))
        };
        // The block of a set of policies has its whole name.
        (table(headers(variants)).whole(), table(names(variants)).turned())
    });
    let [with, without] = tables;
    out.push('\n');
    out.push_str(&render_first([with.0, without.0, with.1, without.1], layout));
}

/// Rows of a label and a cell for each variant, with or without the differences from the first.
fn rows(variants: &[VariantReport], has_differences: bool) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (label, value, kind) in ROWS {
        let values: Vec<Option<f64>> =
            variants.iter().map(|variant| value(&variant.summary)).collect();
        if values.iter().all(|value| value.is_none_or(|value| value == 0.0)) {
            continue;
        }
        let first = values.first().copied().flatten();
        let longest = values.iter().copied().flatten().fold(0.0, f64::max);
        let unit = match kind {
            Kind::Whole => None,
            Kind::Hours => Some(TimeUnit::of(longest)),
        };
        // Cells without a unit are in hours, and the label names that unit.
        let label = match unit {
            None | Some(TimeUnit::Hours) => label.to_owned(),
            Some(_) => label.replacen("hours", "time", 1),
        };
        let cells = values.iter().enumerate().map(|(at, value)| {
            let first = first.filter(|_| at > 0 && has_differences);
            value.map(|value| cell(value, first, unit)).unwrap_or_default()
        });
        rows.push([label].into_iter().chain(cells).collect());
    }
    rows
}

/// The limit that a sweep varies, and its value in each column after the first; `None` if the variants are
/// not a sweep of one limit.
pub(super) fn swept(variants: &[VariantReport]) -> Option<(&str, Vec<SweptValue>)> {
    let (_, rest) = variants.split_first()?;
    let limit = &rest.first()?.sweep.as_ref()?.path;
    let value = |variant: &VariantReport| match variant.sweep.as_ref()?.values() {
        (value, None) => Some(value),
        (_, Some(_)) => None,
    };
    let values: Option<Vec<SweptValue>> = rest.iter().map(value).collect();
    values.map(|values| (limit.as_str(), values))
}

/// The same by the names of the columns, which have the limit and the value: `globalMaxRetries=2`.
pub(super) fn swept_names<'n>(
    names: impl Iterator<Item = &'n str>,
) -> Option<(&'n str, Vec<SweptValue>)> {
    let part = |name: &'n str| -> Option<(&str, SweptValue)> {
        let (limit, value) = name.split_once('=')?;
        Some((limit, value.parse().ok()?))
    };
    let parts: Vec<(&str, SweptValue)> = names.skip(1).map(part).collect::<Option<_>>()?;
    let (limit, _) = *parts.first()?;
    let same = parts.iter().all(|(name, _)| *name == limit);
    same.then(|| (limit, parts.into_iter().map(|(_, value)| value).collect()))
}

/// The limits of a sweep or a grid, and the values of each column after the first; `None` for other variants.
pub(super) fn series(variants: &[VariantReport]) -> Option<(String, Vec<String>)> {
    if let Some((limit, values)) = swept(variants) {
        return Some((limit.to_owned(), values.iter().map(ToString::to_string).collect()));
    }
    let (_, rest) = variants.split_first()?;
    let first = rest.first()?.sweep.as_ref()?;
    let second = &first.second.as_ref()?.path;
    let pair = |variant: &VariantReport| match variant.sweep.as_ref()?.values() {
        (row, Some(column)) => Some(format!("{row}, {column}")),
        (_, None) => None,
    };
    let pairs: Option<Vec<String>> = rest.iter().map(pair).collect();
    pairs.map(|pairs| (format!("{}, {second}", first.path), pairs))
}

/// The limit that the name of a column has.
#[cfg(test)]
pub(super) fn limit_of_name(name: &str) -> Option<SweptLimit> {
    let (path, value) = name.split_once('=')?;
    SweptLimit::new(&[(path, value.parse().ok()?)])
}

/// A variant's name with its engine: `lax (v1beta1)`.
pub(super) fn title(variant: &VariantReport) -> String {
    format!("{} ({})", variant.name, variant.engine)
}

/// The limit that a sweep varies, with the engine of its columns: `globalMaxRetries (v1)`.
pub(super) fn swept_title(limit: &str, variants: &[VariantReport]) -> String {
    let engine = variants.get(1).map_or("", |variant| &variant.engine);
    format!("{limit} ({engine})")
}

/// The headers of the columns. The columns of a sweep are named by their values only; the swept limit is the
/// header of the labels, so that it is not cut.
fn headers(variants: &[VariantReport]) -> Vec<String> {
    if let Some((limit, values)) = series(variants) {
        let first = variants.first().map(title).unwrap_or_default();
        return [swept_title(&limit, variants), first].into_iter().chain(values).collect();
    }
    names(variants)
}

/// The headers of the columns with the whole names of the sets: `retryLimit=2 (v1)`.
fn names(variants: &[VariantReport]) -> Vec<String> {
    let mut names: Vec<String> = variants.iter().map(title).collect();
    let (limits, values) = series(variants).unwrap_or_default();
    let swept = names.iter_mut().zip(variants).skip(1).zip(&values);
    for ((name, variant), values) in swept {
        let pairs = limits.split(", ").zip(values.split(", "));
        let pairs = pairs.map(|(limit, value)| format!("{limit}={value}"));
        *name = format!("{} ({})", pairs.collect::<Vec<_>>().join(","), variant.engine);
    }
    [String::new()].into_iter().chain(names).collect()
}

/// Formats a value, with a unit if it is a time, and its difference from the first variant.
fn cell(value: f64, first: Option<f64>, unit: Option<TimeUnit>) -> String {
    let shown = |value: f64| {
        unit.map_or_else(|| figures::separated(&format!("{value:.0}")), |unit| unit.show(value))
    };
    match first.filter(|first| shown(*first) != shown(value)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;
    use proptest::prelude::*;
    use replay::simulate::{HoursReport, RetriedReport, Totals, VerdictReport};
    use unicode_width::UnicodeWidthStr;

    fn variant(name: String, counts: &[u64]) -> VariantReport {
        let at = |at: usize| counts[at % counts.len()];
        #[expect(clippy::cast_precision_loss, reason = "drawn below 2^30")]
        let hours =
            |count: u64| HoursReport { hours: count as f64 / 7.0, ..HoursReport::default() };
        let summary = SummaryReport {
            totals: Totals { jobs: at(0), retries: at(3), ..Totals::default() },
            outcomes: [("Failed".to_owned(), at(1)), ("Succeeded".to_owned(), at(2))].into(),
            replayed: at(4),
            not_reached: at(5),
            retried_runs: RetriedReport { failed: hours(at(6)), ..RetriedReport::default() },
            ..SummaryReport::default()
        };
        let engine = "v1beta1".to_owned();
        VariantReport {
            sweep: limit_of_name(&name),
            name,
            engine,
            releases: Vec::new(),
            verdict: VerdictReport::of(&summary),
            proved_same: false,
            summary,
            queues: None,
            changes: None,
            example: None,
        }
    }

    fn layout(width: Option<usize>) -> Layout {
        Layout { wide: false, headers: true, width, style: Style::Plain }
    }

    fn render(variants: &[VariantReport], width: Option<usize>) -> String {
        let mut out = String::new();
        table(&mut out, variants, &layout(width));
        out
    }

    /// The groups of digits in a text, with their separators.
    fn digits(text: &str) -> Vec<&str> {
        let groups = text.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
        groups.filter(|run| !run.is_empty()).collect()
    }

    #[test]
    fn differences_go_first_and_then_the_table_is_turned() {
        let variants =
            [variant("given".to_owned(), &[112_842; 7]), variant("lax".to_owned(), &[112_850; 7])];
        let whole = render(&variants, None);
        assert!(whole.contains("  112,842          112,850 (+8)\n"), "{whole}");
        let narrow = render(&variants, Some(60));
        assert!(narrow.contains("given (v1beta1)  lax (v1beta1)\n"), "{narrow}");
        assert!(narrow.contains("  112,842          112,850\n"), "{narrow}");
        let turned = render(&variants, Some(40));
        assert!(
            turned.contains("\nlax (v1beta1)\njobs                          112,850\n"),
            "{turned}"
        );
        let fits = |text: &str| text.lines().all(|line| line.width() <= 40);
        assert!(fits(&turned), "{turned}");
    }

    proptest! {
        /// No width cuts a number, and the labels of rows are those of a wide terminal.
        #[test]
        fn no_width_cuts_a_number(
            variants in prop::collection::vec(
                ("[a-z]{1,12}(=[0-9]{1,3})?", prop::collection::vec(0_u64..1 << 30, 7)),
                2..9,
            ),
        ) {
            let variants: Vec<VariantReport> =
                variants.into_iter().map(|(name, counts)| variant(name, &counts)).collect();
            let whole = render(&variants, None);
            let runs = digits(&whole);
            for width in [40, 60, 80, 120] {
                let text = render(&variants, Some(width));
                prop_assert!(!text.contains(".."), "{}", text);
                for run in digits(&text) {
                    prop_assert!(runs.contains(&run), "{} in\n{}", run, text);
                }
                for (label, value, kind) in ROWS {
                    if !matches!(kind, Kind::Whole) || !whole.contains(&format!("\n{label} ")) {
                        continue;
                    }
                    prop_assert!(text.contains(&format!("\n{label}")), "{}", text);
                    for variant in &variants {
                        let number = value(&variant.summary).unwrap_or_default();
                        prop_assert!(digits(&text).contains(&&*figures::separated(&format!("{number:.0}"))), "{}", text);
                    }
                }
            }
        }
    }
}
