//! A table of a page: its cells have texts, numbers, bars and intervals.

use super::chart::{Filling, Tone};
use crate::report::answer::frame::Frame;
use crate::report::figures::{count, interval, percent};
use replay::simulate::RateReport;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct PageTable {
    /// The sentence above it; unique on a page.
    pub(in crate::report) caption: String,
    /// The columns.
    pub(in crate::report) columns: Vec<Column>,
    /// The rows; each has a cell for each column.
    pub(in crate::report) rows: Vec<Row>,
    /// The sentence below it: the number of rows that are left out.
    pub(in crate::report) more: Option<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Column {
    /// The header; empty above marks of the number beside them.
    pub(in crate::report) header: String,
    /// The kind of its cells.
    pub(in crate::report) kind: ColumnKind,
    /// Whether a narrow page leaves it out.
    pub(in crate::report) is_optional: bool,
}

/// The kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum ColumnKind {
    /// Texts, which may be broken into lines.
    Text,
    /// Numbers.
    Number,
    /// Bars and intervals.
    Marks,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Row {
    /// The cells.
    pub(in crate::report) cells: Vec<Cell>,
    /// Its rank.
    pub(in crate::report) rank: RowRank,
}

/// The rank of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::report) enum RowRank {
    /// One of many.
    #[default]
    Plain,
    /// The one that a sentence is about.
    Flagged,
    /// The sum of all.
    Sum,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) enum Cell {
    /// Nothing.
    Empty,
    /// A text; parts between backticks are code.
    Text(String),
    /// A name from a file as code, and words about it.
    Code { name: String, words: String },
    /// A number.
    Number(String),
    /// The number that a table is about.
    Strong(String),
    /// A number and its difference, with whether it is better.
    Difference { value: String, difference: String, is_better: Option<bool> },
    /// Bars one after the other, each with its length as a share of the column.
    Bars(Vec<(f64, Filling)>),
    /// A share with its interval, and the share of all.
    Interval { rate: RateReport, of_all: Option<f64>, tone: Tone },
}

impl Cell {
    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A name from a file.
    pub(super) fn code(name: impl Into<String>) -> Self {
        Self::Code { name: name.into(), words: String::new() }
    }

    /// A number, or a dash if there is none.
    pub(super) fn number(text: Option<String>) -> Self {
        Self::Number(text.unwrap_or_else(|| NONE.to_owned()))
    }

    /// A bar of a share of the largest value of its column.
    pub(super) fn bar(value: f64, most: f64, tone: Tone) -> Self {
        if value > 0.0 && most > 0.0 {
            Self::Bars(vec![(value / most, Filling::Solid(tone))])
        } else {
            Self::Empty
        }
    }

    /// The three cells of a share: its dot, the share and its interval.
    pub(super) fn rate(rate: Option<&RateReport>, of_all: Option<f64>, tone: Tone) -> [Self; 3] {
        [
            rate.map_or(Self::Empty, |rate| Self::Interval { rate: *rate, of_all, tone }),
            Self::number(rate.map(|rate| format!("{} %", percent(rate.share)))),
            Self::number(rate.map(interval)),
        ]
    }
}

/// The cell of a figure that there is not.
pub(super) const NONE: &str = "–";

/// The number of rows that a table leaves out, with their noun; none if it has all.
pub(super) fn more(left_out: usize, noun: &str) -> Option<String> {
    let plural = match noun {
        "category" => "categories".to_owned(),
        noun => format!("{noun}s"),
    };
    match left_out {
        0 => None,
        1 => Some(format!("1 more {noun}")),
        number => Some(format!("{} more {plural}", count(number as u64))),
    }
}

impl PageTable {
    /// A table without columns and rows.
    pub(super) fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), columns: Vec::new(), rows: Vec::new(), more: None }
    }

    /// Adds a column.
    #[must_use]
    pub(super) fn column(self, header: impl Into<String>, kind: ColumnKind) -> Self {
        self.with(header, kind, false)
    }

    /// Adds a column that a narrow page leaves out.
    #[must_use]
    pub(super) fn optional(self, header: impl Into<String>, kind: ColumnKind) -> Self {
        self.with(header, kind, true)
    }

    fn with(mut self, header: impl Into<String>, kind: ColumnKind, is_optional: bool) -> Self {
        self.columns.push(Column { header: header.into(), kind, is_optional });
        self
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.ranked_row(cells, RowRank::Plain);
    }

    /// Adds a row of a rank.
    pub(super) fn ranked_row(&mut self, cells: impl IntoIterator<Item = Cell>, rank: RowRank) {
        self.rows.push(Row { cells: cells.into_iter().collect(), rank });
    }

    /// Whether the table needs the whole width: it has many columns, or marks, which are compared by their lengths.
    pub(in crate::report) fn is_wide(&self) -> bool {
        self.columns.len() > 5 || self.columns.iter().any(|it| it.kind == ColumnKind::Marks)
    }

    /// Whether rows can be put into another order: those of more than a few rows whose numbers have one unit a column,
    /// as where marks compare them.
    pub(in crate::report) fn is_sortable(&self) -> bool {
        self.rows.len() > 3 && self.columns.iter().any(|it| it.kind == ColumnKind::Marks)
    }

    /// The table of an answer: a row for each figure, a column for each set of policies that is to be shown.
    pub(super) fn from_frame(
        caption: impl Into<String>,
        frame: &Frame,
        is_shown: impl Fn(usize) -> bool,
    ) -> Self {
        let mut table = Self::new(caption).column("", ColumnKind::Text);
        let headers = frame.headers.iter().enumerate().filter(|(at, _)| is_shown(*at));
        for (_, header) in headers {
            table = table.column(format!("`{header}`"), ColumnKind::Number);
        }
        for row in &frame.rows {
            let cells = row.cells.iter().enumerate().filter(|(at, _)| is_shown(*at));
            let cells = cells.map(|(at, cell)| {
                let is_different = cell.difference.contains(|digit| ('1'..='9').contains(&digit));
                if at > frame.base && is_different {
                    let (value, difference) = (cell.value.clone(), cell.difference.clone());
                    Cell::Difference { value, difference, is_better: cell.is_better }
                } else {
                    Cell::number(Some(cell.value.clone()).filter(|value| !value.is_empty()))
                }
            });
            table.row([Cell::text(row.label.clone())].into_iter().chain(cells));
        }
        table
    }
}
