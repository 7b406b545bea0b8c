//! The table of the answer about a simulated cluster: a row for each figure, a column for each variant.

use super::figures::{duration, plus_minus};
use crate::report::answer::cells::{cost, figure_of, mean, several, signed, value, with_brackets};
use crate::report::answer::frame::{Frame, FrameCell, FrameRow, is_better, write_fitting};
use crate::report::layout::Layout;
use cluster::report::{ClusterAnswer, ClusterReport, ClusterRow, Figure};
use document::diag::printable;

/// The column that the others are compared with, in the headline and in the table.
pub(in crate::report) const BASE: usize = 0;

/// A row of a screen, and the row that is printed in brackets beside it with its label there.
type ScreenRow = (&'static str, Option<(&'static str, &'static str)>);

/// The rows of a screen, in their order; one that is empty in all columns is left out.
const ON_SCREEN: [ScreenRow; 10] = [
    ("jobsSucceeded", Some(("jobsRecovered", "in a retry"))),
    ("jobsFailed", None),
    ("jobsUnfinished", None),
    ("jobsNeverSubmitted", None),
    ("jobsUnschedulable", None),
    ("runsPreempted", None),
    ("retries", Some(("retriesSucceeded", "succeeded"))),
    ("usefulHours", None),
    ("lostHours", Some(("failedRetryHours", "failed retries"))),
    ("waitMean", Some(("waitP95", "p95"))),
];

/// A row of a table, with the row in brackets and its label.
type Shown<'r> = (&'r ClusterRow, Option<(&'r ClusterRow, &'static str)>);

/// The parts of cells that a narrow table lacks.
#[derive(Clone, Copy)]
struct Detail {
    has_brackets: bool,
    has_intervals: bool,
}

/// Writes the rows of a screen.
pub(super) fn on_screen(out: &mut String, report: &ClusterReport, layout: &Layout) {
    write(out, report, &screen_rows(&report.answer), layout);
}

/// The header of the column of waits in the table of a sweep.
pub(super) const WAIT_P95: &str = "WAIT P95";

/// The cell of a column of the answer below it.
pub(super) fn wait_p95(answer: &ClusterAnswer, column: usize) -> String {
    let wait = figure_of(answer, "waitP95", column).map(Figure);
    wait.map(duration).unwrap_or_default()
}

/// All rows that are not empty as texts, with every detail.
pub(in crate::report) fn all_rows(answer: &ClusterAnswer) -> Frame {
    let rows = answer.rows.iter().filter(|row| !is_empty(row)).map(|row| (row, None));
    let detail = Detail { has_brackets: false, has_intervals: true };
    frame(answer, &rows.collect::<Vec<_>>(), detail)
}

fn screen_rows(answer: &ClusterAnswer) -> Vec<Shown<'_>> {
    let row = |id: &str| answer.row(id).filter(|row| !is_empty(row));
    let shown = ON_SCREEN.iter().filter_map(|(id, within)| {
        let within = within.and_then(|(id, label)| Some((row(id)?, label)));
        Some((row(id)?, within))
    });
    shown.collect()
}

/// Writes all rows that are not empty.
pub(super) fn all(out: &mut String, report: &ClusterReport, layout: &Layout) {
    let rows = report.answer.rows.iter().filter(|row| !is_empty(row));
    write(out, report, &rows.map(|row| (row, None)).collect::<Vec<_>>(), layout);
}

fn is_empty(row: &ClusterRow) -> bool {
    row.row.values.iter().flatten().all(|value| *value == 0.0)
}

/// Writes a table. Where it does not fit, the figures in brackets are left out, then the differences, then the
/// intervals; then each column is a block of lines.
fn write(out: &mut String, report: &ClusterReport, rows: &[Shown<'_>], layout: &Layout) {
    if rows.is_empty() {
        return;
    }
    let detail = |has_brackets, has_intervals| Detail { has_brackets, has_intervals };
    let (all, plain) = (detail(true, true), detail(false, true));
    let tables = [
        (all, true),
        (plain, true),
        (all, false),
        (plain, false),
        (detail(true, false), false),
        (detail(false, false), false),
        // Turned, there is room for all.
        (all, false),
    ];
    let table = |(detail, differences)| {
        frame(&report.answer, rows, detail).table(title(report), differences)
    };
    write_fitting(out, tables.map(table).into(), layout);
}

/// The number of jobs.
pub(in crate::report) fn jobs(answer: &ClusterAnswer) -> f64 {
    let outcomes = [
        "jobsSucceeded",
        "jobsFailed",
        "jobsUnfinished",
        "jobsNeverSubmitted",
        "jobsUnschedulable",
    ];
    let jobs: f64 = outcomes.iter().map(|row| value(answer, row, 0)).sum();
    // A mean of counts has rounding errors.
    jobs.round()
}

/// The jobs and the seeds: `184 jobs, seed 1`.
fn title(report: &ClusterReport) -> String {
    let jobs = several(jobs(&report.answer), "job");
    match report.seeds {
        1 => jobs,
        seeds => format!("{jobs}, {seeds} seeds"),
    }
}

fn frame(answer: &ClusterAnswer, rows: &[Shown<'_>], detail: Detail) -> Frame {
    Frame {
        headers: labels(answer),
        base: BASE,
        rows: rows.iter().map(|row| frame_row(answer, row, detail)).collect(),
    }
}

/// The headers of the columns.
pub(super) fn labels(answer: &ClusterAnswer) -> Vec<String> {
    answer.columns.iter().map(|column| printable(&column.label).into_owned()).collect()
}

fn frame_row(answer: &ClusterAnswer, (row, within): &Shown<'_>, detail: Detail) -> FrameRow {
    let within = within.filter(|_| detail.has_brackets);
    let inner = within.map(|(row, _)| row);
    let cell = |at: usize| FrameCell {
        value: with_brackets(
            estimate(answer, row, at, detail),
            inner.and_then(|row| estimate(answer, row, at, detail)),
        ),
        difference: with_brackets(
            difference(answer, row, at, detail),
            inner.and_then(|row| difference(answer, row, at, detail)),
        ),
        is_better: is_clearly_better(row, at),
    };
    FrameRow {
        label: with_brackets(
            Some(row.row.label.clone()),
            within.map(|(_, label)| label.to_owned()),
        ),
        cells: (0..answer.columns.len()).map(cell).collect(),
    }
}

/// Whether the difference of a column is better or worse; none if its interval contains 0.
fn is_clearly_better(row: &ClusterRow, at: usize) -> Option<bool> {
    let difference = row.row.differences.get(at).copied().flatten()?;
    let half = row.difference_intervals.as_ref().and_then(|all| all.get(at).copied().flatten());
    is_better(row.row.id, difference, half.unwrap_or_default())
}

/// Formats a value of a row.
fn show(answer: &ClusterAnswer, row: &ClusterRow, value: f64) -> String {
    match row.row.unit {
        ClusterRow::SECONDS => duration(Figure(value)),
        unit if unit == answer.unit.as_str() => cost(answer, value),
        _ => mean(value),
    }
}

/// The figure of a column, with its interval.
fn estimate(answer: &ClusterAnswer, row: &ClusterRow, at: usize, detail: Detail) -> Option<String> {
    let show = |figure: Figure| show(answer, row, figure.0);
    let value = row.row.values.get(at).copied().flatten()?;
    let half = row.intervals.as_ref().filter(|_| detail.has_intervals);
    let half = half.and_then(|all| all.get(at).copied().flatten()).map(Figure);
    Some(show(Figure(value)) + &plus_minus(half, show))
}

/// The difference of a column, with its interval.
fn difference(
    answer: &ClusterAnswer,
    row: &ClusterRow,
    at: usize,
    detail: Detail,
) -> Option<String> {
    let show = |figure: Figure| show(answer, row, figure.0);
    let value = row.row.differences.get(at).copied().flatten()?;
    let half = row.difference_intervals.as_ref().filter(|_| detail.has_intervals);
    let half = half.and_then(|all| all.get(at).copied().flatten()).map(Figure);
    Some(signed(value, show(Figure(value))) + &plus_minus(half, show))
}
