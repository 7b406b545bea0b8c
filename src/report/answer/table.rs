//! The table of the answer: a row for each figure, a column for the record and for each set of policies.

use super::cells::{cost, figure, several, signed, value, with_brackets};
use super::frame::{Frame, FrameCell, FrameRow, is_better, write_fitting};
use super::headline::UNRESOLVED;
use crate::report::layout::{Layout, prose};
use crate::report::table::Table;
use document::diag::printable;
use replay::simulate::{AnswerColumn, AnswerReport, AnswerRow, CostUnit};
use std::fmt::Write;

/// The rows that a table shows.
pub(in crate::report) struct Rows<'r> {
    /// Each with a row that is printed in brackets beside it, if there is one.
    rows: Vec<(&'r AnswerRow, Option<&'r AnswerRow>)>,
}

/// The rows of a screen, in their order; one that is empty in all columns is left out.
const ON_SCREEN: [&str; 8] = [
    "jobsSucceeded",
    "jobsFailed",
    "failedSucceededOnRecord",
    "jobsCancelled",
    "jobsUnresolved",
    "retries",
    "failedRetryHours",
    "succeededRetryHours",
];

impl<'r> Rows<'r> {
    /// The rows of a screen. The headline of one set of policies has the jobs that fail and succeeded on record;
    /// comparisons have the most retries at once too.
    pub(super) fn screen(answer: &'r AnswerReport) -> Self {
        let is_comparison = answer.columns.len() > 2;
        let more = is_comparison.then_some("peakRetries");
        let mut rows = Self::named(answer, ON_SCREEN.into_iter().chain(more));
        rows.rows.retain(|(row, _)| is_comparison || row.id != "failedSucceededOnRecord");
        rows
    }

    /// All rows.
    pub(in crate::report) fn all(answer: &'r AnswerReport) -> Self {
        let names = answer.rows.iter().map(|row| row.id);
        let mut rows = Self::named(answer, names.filter(|name| *name != "retriesSucceeded"));
        rows.rows.retain(|(row, _)| row.values.iter().any(Option::is_some));
        rows
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn named(answer: &'r AnswerReport, names: impl Iterator<Item = &'static str>) -> Self {
        let row = |name: &str| answer.rows.iter().find(|row| row.id == name);
        let mut rows = Vec::new();
        for row in names.filter_map(row) {
            // If retries are the unit of cost, the rows of costs repeat the counts.
            let is_repeated = answer.unit == CostUnit::Retries && row.id.ends_with("RetryHours");
            let is_empty = row.values.iter().flatten().all(|value| *value == 0.0);
            if !is_repeated && !is_empty {
                let within = (row.id == "retries")
                    .then(|| answer.rows.iter().find(|row| row.id == "retriesSucceeded"));
                rows.push((row, within.flatten()));
            }
        }
        Self { rows }
    }
}

/// The meaning of the row of unresolved jobs, unless the headline has it.
pub(super) fn gloss(answer: &AnswerReport, rows: &Rows<'_>) -> Option<String> {
    let (row, _) = rows.rows.iter().find(|(row, _)| row.id == "jobsUnresolved")?;
    let has = |value: &Option<f64>| value.is_some_and(|jobs| jobs > 0.0);
    let (on_record, policies) = row.values.split_first()?;
    let is_explained = answer.sentences.iter().any(|sentence| sentence.contains(UNRESOLVED));
    let of_policies = policies.iter().any(has) && !is_explained;
    let parts = [
        of_policies.then_some("granted a retry that is not on record"),
        has(on_record).then_some("not ended on record"),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("(unresolved: {})", parts.join(", or ")))
}

/// Writes the table. Where it does not fit, the differences are left out, then the days; then each column is a block of
/// lines.
pub(super) fn write(out: &mut String, answer: &AnswerReport, rows: &Rows<'_>, layout: &Layout) {
    if rows.is_empty() {
        return;
    }
    let tables = [(true, true), (false, true), (false, false)];
    let tables = tables.map(|(differences, days)| table(answer, rows, differences, days));
    write_fitting(out, tables.into(), layout);
    if let Some(gloss) = gloss(answer, rows) {
        let _ = writeln!(out, "{}", prose(&gloss, layout));
    }
}

/// The table, with or without the differences and the days of the record.
pub(super) fn table(
    answer: &AnswerReport,
    rows: &Rows<'_>,
    has_differences: bool,
    has_days: bool,
) -> Table {
    frame(answer, rows).table(title(answer, has_days), has_differences)
}

/// The texts of the table.
pub(in crate::report) fn frame(answer: &AnswerReport, rows: &Rows<'_>) -> Frame {
    Frame {
        headers: answer.columns.iter().map(|column| header(answer, column)).collect(),
        base: answer.base,
        rows: rows.rows.iter().map(|(row, within)| frame_row(answer, row, *within)).collect(),
    }
}

/// The label of a column, of a single set of policies with its engine.
fn header(answer: &AnswerReport, column: &AnswerColumn) -> String {
    let engine = column.engine.as_ref().filter(|_| answer.columns.len() == 2);
    let engine = engine.map(|engine| format!(" ({engine})")).unwrap_or_default();
    format!("{}{engine}", printable(&column.label))
}

/// The texts of a row; the figures of the row within it are in brackets.
fn frame_row(answer: &AnswerReport, row: &AnswerRow, within: Option<&AnswerRow>) -> FrameRow {
    let is_cost = row.unit == answer.unit.as_str();
    let show = |value: f64| if is_cost { cost(answer, value) } else { figure(value) };
    let show_signed = |value: f64| signed(value, show(value));
    let cell = |at: usize| {
        let value = |row: &AnswerRow| row.values[at].map(show);
        let difference = |row: &AnswerRow| row.differences[at].map(show_signed);
        FrameCell {
            value: with_brackets(value(row), within.and_then(value)),
            difference: with_brackets(difference(row), within.and_then(difference)),
            is_better: row.differences[at].and_then(|it| is_better(row.id, it, 0.0)),
        }
    };
    let brackets = within.map(|_| "succeeded".to_owned());
    FrameRow {
        label: with_brackets(Some(row.label.clone()), brackets),
        cells: (0..answer.columns.len()).map(cell).collect(),
    }
}

/// The jobs and the days of the record: `360 jobs, 1-30 Oct 2026`.
fn title(answer: &AnswerReport, has_days: bool) -> String {
    let outcomes = ["jobsSucceeded", "jobsFailed", "jobsCancelled", "jobsUnresolved"];
    let jobs: f64 = outcomes.iter().map(|row| value(answer, row, 0)).sum();
    let jobs = several(jobs, "job");
    let period = answer.period.as_ref().filter(|_| has_days);
    let period = period.and_then(|period| days(&period.from, &period.to));
    period.map_or(jobs.clone(), |period| format!("{jobs}, {period}"))
}

/// The days of a period of RFC 3339 times: `1 Oct 2026`, `1-30 Oct 2026`, `28 Sep - 3 Oct 2026`.
pub(in crate::report) fn days(from: &str, to: &str) -> Option<String> {
    let day = |time: &str| time.get(..10)?.parse::<jiff::civil::Date>().ok();
    let (from, to) = (day(from)?, day(to)?);
    let (year, month) = (from.year() == to.year(), from.month() == to.month());
    Some(match (from == to, year && month, year) {
        (true, ..) => from.strftime("%-d %b %Y").to_string(),
        (_, true, _) => format!("{}-{}", from.day(), to.strftime("%-d %b %Y")),
        (.., true) => format!("{} - {}", from.strftime("%-d %b"), to.strftime("%-d %b %Y")),
        _ => format!("{} - {}", from.strftime("%-d %b %Y"), to.strftime("%-d %b %Y")),
    })
}
