//! The layout of tables and texts on a terminal.

use super::figures::count;
use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

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

/// Wraps a text to the width of the terminal, if it has one.
pub(super) fn prose(text: &str, layout: &Layout) -> String {
    layout.width.map_or_else(|| text.to_owned(), |width| wrap(text, width, 2))
}

/// Breaks a text into lines of at most `width` columns; those after the first are indented by `indent`. A
/// word that is wider gets a line of its own. A percent sign stays beside its number.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut columns = 0;
    let mut words = text.split(' ').peekable();
    let mut at = 0;
    while let Some(word) = words.next() {
        let sign = words.next_if(|next| next.starts_with('%'));
        let word = sign.map_or(word.to_owned(), |sign| format!("{word} {sign}"));
        if columns > indent && columns + 1 + word.width() > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            columns = indent;
        } else if at > 0 {
            out.push(' ');
            columns += 1;
        }
        out.push_str(&word);
        columns += word.width();
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_words_stay() {
        let text = "  1  a bb ccc dddddddddddd e";
        assert_eq!(wrap(text, 100, 5), text);
        assert_eq!(wrap(text, 12, 5), "  1  a bb\n     ccc\n     dddddddddddd\n     e");
        assert_eq!(
            wrap("an interval of 38.2 %, no more", 19, 2),
            "an interval of\n  38.2 %, no more"
        );
    }
}
