//! The comparison of several variants: one row per figure, one column per variant.

use super::figures::{count, duration, index, percent, plus_minus, preempted};
use crate::report::layout::Layout;
use crate::report::table::{Table, head, render_first, text_columns};
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
    Intervals,
    Nothing,
}

/// Writes a row for each figure and a column for each variant. Some rows are repeated for each queue; with
/// `-o wide` all are. If the table is too wide, differences are omitted, then intervals; if it is still too
/// wide, every row becomes a block of lines with both.
pub(super) fn comparison(out: &mut String, variants: &[ClusterVariant], layout: &Layout) {
    let table = |extras| comparison_table(variants, layout, extras).whole();
    let tables = [
        table(CellExtras::Differences),
        table(CellExtras::Intervals).without("differences"),
        table(CellExtras::Nothing).without("differences and intervals"),
        table(CellExtras::Differences),
    ];
    out.push_str(&render_first(tables, layout));
}

fn comparison_table(variants: &[ClusterVariant], layout: &Layout, extras: CellExtras) -> Table {
    let mut rows = Rows { variants, extras, cells: Vec::new() };
    let is_disturbed = |variant: &ClusterVariant| {
        let total = &variant.figures.total;
        total.undisturbed_wait != total.wait
    };
    let has_disturbed = variants.iter().any(is_disturbed);
    let is_shown = |row: &&Row| has_disturbed || !UNDISTURBED_ROWS.contains(&row.0);
    let shown: Vec<Row> = ROWS.iter().filter(is_shown).copied().collect();
    rows.add("", &shown, |figures| Some(&figures.total));
    if layout.wide {
        rows.add("", &WIDE_ROWS, |figures| Some(&figures.total));
        rows.add_retries();
    }
    let is_of_queues = |row: &&Row| layout.wide || QUEUE_ROWS.contains(&row.0);
    let of_queues: Vec<Row> = shown.iter().filter(is_of_queues).copied().collect();
    let queues = variants.first().map(|first| first.figures.queues.keys());
    for queue in queues.into_iter().flatten() {
        let prefix = format!("{queue}: ");
        rows.add(&prefix, &of_queues, |figures| figures.queues.get(queue));
    }
    let names = variants.iter().map(|variant| variant.name.as_str());
    let titles = [""].into_iter().chain(names).map(head);
    Table::new(rows.cells, &text_columns(titles))
}

/// The rows of a table, each with a cell for each variant.
struct Rows<'v> {
    variants: &'v [ClusterVariant],
    extras: CellExtras,
    cells: Vec<Vec<String>>,
}

impl Rows<'_> {
    /// Adds the rows in which a variant has a figure other than 0.
    fn add(&mut self, prefix: &str, rows: &[Row], group: impl Fn(&Figures) -> Option<&Group>) {
        for (label, figure, show) in rows {
            let of = |figures: &Figures| group(figures).and_then(figure);
            self.add_row(format!("{prefix}{label}"), of, *show);
        }
    }

    /// Adds rows for the first retries, by their number.
    fn add_retries(&mut self) {
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
                self.add_row(format!("retry {number}: {name}"), of, show);
            }
        }
    }

    /// Adds a row, if a variant has a figure other than 0.
    fn add_row(
        &mut self,
        label: String,
        of: impl Fn(&Figures) -> Option<Figure> + Copy,
        show: fn(Figure) -> String,
    ) {
        let values = self.variants.iter().map(|variant| of(&variant.figures));
        if values.into_iter().flatten().all(|value| value.0 == 0.0) {
            return;
        }
        let cells = self.variants.iter().map(|variant| self.cell(variant, of, show));
        let row = [label].into_iter().chain(cells).collect();
        self.cells.push(row);
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
