//! The layout of tables and texts on a terminal.

use super::figures::count;
use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use std::fmt::Write;

/// The layout of a table.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Whether the table has the columns of `-o wide`.
    pub wide: bool,
    /// Whether the table has a header line.
    pub headers: bool,
    /// The maximum width; `None` without a terminal.
    pub width: Option<usize>,
    /// Whether the table may have colours.
    pub style: Style,
}

impl Layout {
    /// Colours a word by its meaning: good, bad, or neutral.
    pub fn paint(&self, text: &str, good: Option<bool>) -> String {
        let color = match good {
            Some(true) => AnsiColor::Green,
            Some(false) => AnsiColor::Red,
            None => return text.to_owned(),
        };
        if self.style == Style::Plain {
            return text.to_owned();
        }
        let paint = Paint::new().fg_color(Some(color.into())).bold();
        format!("{paint}{text}{paint:#}")
    }

    /// The rows that a table shows.
    pub(super) fn first<'r, R>(&self, rows: &'r [R]) -> &'r [R] {
        if self.wide { rows } else { &rows[..rows.len().min(MAX_ROWS)] }
    }
}

/// The maximum of rows of a table without `-o wide`, so that a summary fits on a screen.
pub(super) const MAX_ROWS: usize = 10;

/// Writes how many rows a table does not show.
pub(super) fn write_left_out(out: &mut String, rows: usize, noun: &str) {
    if rows > 0 {
        let noun = match (noun, rows) {
            ("category", 2..) => "categories".to_owned(),
            (noun, 1) => noun.to_owned(),
            (noun, _) => format!("{noun}s"),
        };
        let _ = writeln!(out, "(and {} more {noun}: -o wide)", count(rows as u64));
    }
}

/// The sum of the widths of columns and the gaps between them.
pub(super) fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The text of an empty cell.
pub(super) const EMPTY: &str = "-";

/// The number of blanks between columns.
pub(super) const GAP: usize = 2;
