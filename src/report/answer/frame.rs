//! The table of an answer, of a replay or of a simulated cluster: a row for each figure, a column for each set of
//! policies.

use crate::report::layout::Layout;
use crate::report::table::{Column, Table, columns, head, render_first};
use cluster::report::ClusterAnswer;
use replay::simulate::{AnswerReport, AnswerRow, CostUnit};

/// An answer: one unit of cost, and rows of figures.
pub(in crate::report) trait Answer {
    /// The unit of cost.
    fn unit(&self) -> CostUnit;

    /// The row of a name, if the answer has it.
    fn row(&self, id: &str) -> Option<&AnswerRow>;
}

impl Answer for AnswerReport {
    fn unit(&self) -> CostUnit {
        self.unit
    }

    fn row(&self, id: &str) -> Option<&AnswerRow> {
        self.rows.iter().find(|row| row.id == id)
    }
}

impl Answer for ClusterAnswer {
    fn unit(&self) -> CostUnit {
        self.unit
    }

    fn row(&self, id: &str) -> Option<&AnswerRow> {
        self.row(id).map(|row| &row.row)
    }
}

/// A table as texts.
pub(in crate::report) struct Frame {
    /// The headers of the columns after the labels.
    pub(in crate::report) headers: Vec<String>,
    /// The last column without differences: those after it have differences from it.
    pub(in crate::report) base: usize,
    pub(in crate::report) rows: Vec<FrameRow>,
}

/// A row of a table.
pub(in crate::report) struct FrameRow {
    pub(in crate::report) label: String,
    /// A cell for each column.
    pub(in crate::report) cells: Vec<FrameCell>,
}

/// A figure and its difference as texts; empty if there is none.
pub(in crate::report) struct FrameCell {
    /// The figure.
    pub(in crate::report) value: String,
    /// Its difference from the figure of the base.
    pub(in crate::report) difference: String,
    /// Whether the difference is better or worse; none if it is not clear or neither.
    pub(in crate::report) is_better: Option<bool>,
}

/// Whether a difference of a figure is better or worse, given half of its interval; none if the interval contains 0, or
/// if it is neither.
pub(in crate::report) fn is_better(id: &str, difference: f64, half: f64) -> Option<bool> {
    let more_is_better = more_is_better(id).filter(|_| difference.abs() > half);
    more_is_better.map(|is_better| is_better == (difference > 0.0))
}

/// Whether more of a figure is better, or worse; none if it is neither.
fn more_is_better(id: &str) -> Option<bool> {
    match id {
        "jobsSucceeded"
        | "jobsRecovered"
        | "retriesSucceeded"
        | "succeededRetryHours"
        | "savedHours"
        | "usefulHours" => Some(true),
        "jobsFailed"
        | "failedSucceededOnRecord"
        | "failedRetryHours"
        | "lostWorkHours"
        | "price"
        | "lostHours" => Some(false),
        _ => None,
    }
}

impl Frame {
    /// The table under a title, with or without the columns of differences.
    pub(in crate::report) fn table(&self, title: String, has_differences: bool) -> Table {
        let change = if self.headers.len() > self.base + 2 { "+/-" } else { "change" };
        let mut columns: Vec<Column<'_, &FrameRow>> =
            columns![row in &FrameRow; title => row.label.clone()].into();
        for (at, name) in self.headers.iter().enumerate() {
            let value = head(name).right();
            columns.push(value.cell(move |row: &&FrameRow| row.cells[at].value.clone()));
            let difference = head(change).right().only_if(has_differences && at > self.base);
            columns.push(difference.cell(move |row: &&FrameRow| {
                (row.cells[at].difference.clone(), row.cells[at].is_better)
            }));
        }
        Table::new(&self.rows, &columns)
    }
}

/// Writes the first of some tables that fits, the most detailed one first. If none fits, each column of the last one is
/// a block of lines.
pub(in crate::report) fn write_fitting(out: &mut String, tables: Vec<Table>, layout: &Layout) {
    let turned = tables.last().map(|table| table.clone().turned());
    out.push('\n');
    out.push_str(&render_first(tables.into_iter().chain(turned), layout));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_better_or_worse_where_its_interval_is_clear_of_0() {
        assert_eq!(is_better("jobsSucceeded", 5.0, 4.0), Some(true));
        assert_eq!(is_better("jobsSucceeded", -5.0, 4.0), Some(false));
        assert_eq!(is_better("failedRetryHours", -5.0, 4.0), Some(true));
        assert_eq!(is_better("failedRetryHours", -5.0, 5.0), None);
        assert_eq!(is_better("jobsFailed", 0.0, 0.0), None);
        assert_eq!(is_better("retries", 5.0, 0.0), None);
    }
}
