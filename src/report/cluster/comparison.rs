//! The comparison of several variants: one row per figure, one column per variant.

use super::figures::{count, duration, index, percent, plus_minus, preempted};
use crate::report::layout::Layout;
use crate::report::table::Table;
use crate::report::wrap::prose;
use cluster::report::{ClusterVariant, Figure, Figures, Group, RetryFigures};
use std::fmt::Write;

/// A row of the comparison: its label, its figure, and the format of the figure.
type Row = (&'static str, fn(&Group) -> Option<Figure>, fn(Figure) -> String);

/// The rows of the comparison.
const ROWS: [Row; 17] = [
    ("jobs succeeded", |group| Some(group.jobs.succeeded), |figure| count(figure.0)),
    ("jobs recovered", |group| Some(group.jobs.recovered), |figure| count(figure.0)),
    ("jobs failed", |group| Some(group.jobs.failed), |figure| count(figure.0)),
    ("jobs not finished", |group| Some(group.jobs.unfinished), |figure| count(figure.0)),
    ("runs preempted", |group| Some(Figure(preempted(group))), |figure| count(figure.0)),
    ("makespan", |group| group.makespan, duration),
    ("wait, mean", |group| Some(group.wait?.mean), duration),
    ("wait, p95", |group| Some(group.wait?.p95), duration),
    ("wait, longest", |group| Some(group.wait?.max), duration),
    ("undisturbed wait, mean", |group| Some(group.undisturbed_wait?.mean), duration),
    ("undisturbed wait, p95", |group| Some(group.undisturbed_wait?.p95), duration),
    ("retry wait, p95", |group| Some(group.retry_wait?.p95), duration),
    ("waste", |group| group.waste, |figure| percent(figure.0)),
    ("fairness error", |group| group.fairness.fairness_error, |figure| percent(figure.0)),
    ("longest below half share", |group| group.fairness.longest_below_half_share, duration),
    ("Jain's index", |group| group.fairness.jain, |figure| index(Some(figure))),
    ("cpu used", |group| group.utilisation.get("cpu").copied(), |figure| percent(figure.0)),
];

/// The rows that `-o wide` adds for all jobs.
const WIDE_ROWS: [Row; 3] = [
    (
        "cpu useful",
        |group| group.useful_utilisation.get("cpu").copied(),
        |figure| percent(figure.0),
    ),
    (
        "cpu idle while jobs backed off",
        |group| group.idle_while_backing_off.as_ref()?.get("cpu").copied(),
        |figure| percent(figure.0),
    ),
    ("retries that backed off", |group| Some(group.backed_off), |figure| count(figure.0)),
];

/// The retries that `-o wide` compares by their number: later ones are rare, and in the JSON report.
const COMPARED_RETRIES: u32 = 5;

/// The rows that each queue has without `-o wide`.
const QUEUE_ROWS: [&str; 3] = ["runs preempted", "wait, p95", "longest below half share"];

/// The rows that are left out if no run failed or was preempted: they equal those of all waits.
const UNDISTURBED_ROWS: [&str; 2] = ["undisturbed wait, mean", "undisturbed wait, p95"];

/// The parts of a cell after its figure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellExtras {
    /// The interval, and the difference from the first variant.
    Differences,
    /// The interval.
    Intervals,
    Nothing,
}

/// Writes a row for each figure and a column for each variant. Some rows are repeated for each queue; with
/// `-o wide` all are. If the table is too wide, differences are omitted, then intervals; if it is still too
/// wide, every row becomes a block of lines with both.
pub(super) fn comparison(out: &mut String, variants: &[ClusterVariant], layout: &Layout) {
    let whole = comparison_table(variants, layout, CellExtras::Differences);
    let narrower = [
        (CellExtras::Intervals, "differences"),
        (CellExtras::Nothing, "differences and intervals"),
    ];
    let narrower =
        narrower.map(|(extras, left_out)| (comparison_table(variants, layout, extras), left_out));
    if !whole.fits(layout)
        && let Some((table, left_out)) = narrower.into_iter().find(|(table, _)| table.fits(layout))
    {
        let _ = write!(out, "{}", table.render_whole(layout));
        let note = format!("(without {left_out}: the terminal is narrow)");
        let _ = writeln!(out, "{}", prose(&note, layout));
        return;
    }
    let _ = write!(out, "{}", whole.render_whole(layout));
}

fn comparison_table(variants: &[ClusterVariant], layout: &Layout, extras: CellExtras) -> Table {
    let names = variants.iter().map(|variant| variant.name.clone());
    let mut table = Table::named([String::new()].into_iter().chain(names));
    let rows = Rows { variants, extras };
    let is_disturbed = |variant: &ClusterVariant| {
        let total = &variant.figures.total;
        total.undisturbed_wait != total.wait
    };
    let has_disturbed = variants.iter().any(is_disturbed);
    let is_shown = |row: &&Row| has_disturbed || !UNDISTURBED_ROWS.contains(&row.0);
    let shown: Vec<Row> = ROWS.iter().filter(is_shown).copied().collect();
    rows.add(&mut table, "", &shown, |figures| Some(&figures.total));
    if layout.wide {
        rows.add(&mut table, "", &WIDE_ROWS, |figures| Some(&figures.total));
        rows.add_retries(&mut table);
    }
    let is_of_queues = |row: &&Row| layout.wide || QUEUE_ROWS.contains(&row.0);
    let of_queues: Vec<Row> = shown.iter().filter(is_of_queues).copied().collect();
    let queues = variants.first().map(|first| first.figures.queues.keys());
    for queue in queues.into_iter().flatten() {
        let prefix = format!("{queue}: ");
        rows.add(&mut table, &prefix, &of_queues, |figures| figures.queues.get(queue));
    }
    table
}

/// Adds rows for the variants to a table.
struct Rows<'v> {
    variants: &'v [ClusterVariant],
    extras: CellExtras,
}

impl Rows<'_> {
    /// Adds the rows in which a variant has a figure other than 0.
    fn add(
        &self,
        table: &mut Table,
        prefix: &str,
        rows: &[Row],
        group: impl Fn(&Figures) -> Option<&Group>,
    ) {
        for (label, figure, show) in rows {
            let of = |figures: &Figures| group(figures).and_then(figure);
            self.add_row(table, format!("{prefix}{label}"), of, *show);
        }
    }

    /// Adds rows for the first retries, by their number.
    fn add_retries(&self, table: &mut Table) {
        type Part = (&'static str, fn(&RetryFigures) -> Figure, fn(Figure) -> String);
        const PARTS: [Part; 3] = [
            ("granted", |retry| retry.granted, |figure| count(figure.0)),
            ("succeeded", |retry| retry.succeeded, |figure| count(figure.0)),
            (
                "core-hours in failed ones",
                |retry| retry.lost.core,
                |figure| format!("{:.1}", figure.0),
            ),
        ];
        for number in 1..=COMPARED_RETRIES {
            for (name, part, show) in PARTS {
                let of = |figures: &Figures| {
                    let retry = figures.total.retries.get(&number);
                    Some(retry.map_or(Figure::default(), part))
                };
                self.add_row(table, format!("retry {number}: {name}"), of, show);
            }
        }
    }

    /// Adds a row, if a variant has a figure other than 0.
    fn add_row(
        &self,
        table: &mut Table,
        label: String,
        of: impl Fn(&Figures) -> Option<Figure> + Copy,
        show: fn(Figure) -> String,
    ) {
        let values = self.variants.iter().map(|variant| of(&variant.figures));
        if values.into_iter().flatten().all(|value| value.0 == 0.0) {
            return;
        }
        let cells = self.variants.iter().map(|variant| self.cell(variant, of, show));
        table.row([label].into_iter().chain(cells).collect());
    }

    fn cell(
        &self,
        variant: &ClusterVariant,
        of: impl Fn(&Figures) -> Option<Figure>,
        show: fn(Figure) -> String,
    ) -> String {
        let half = |figures: Option<&Figures>| plus_minus(figures.and_then(&of), show);
        let mut text = of(&variant.figures).map(show).unwrap_or_default();
        if self.extras != CellExtras::Nothing {
            text += &half(variant.intervals.as_ref());
        }
        let difference = variant.differences.as_ref().and_then(&of);
        if let Some(difference) = difference.filter(|_| self.extras == CellExtras::Differences) {
            let sign = if difference.0 < 0.0 { "-" } else { "+" };
            let size = show(Figure(difference.0.abs()));
            let half = half(variant.difference_intervals.as_ref());
            if !half.is_empty() || size != show(Figure(0.0)) {
                let _ = write!(text, " ({sign}{size}{half})");
            }
        }
        text
    }
}
