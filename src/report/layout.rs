//! Tables as kubectl prints them: no borders, one line a row, made to fit the terminal.

use crate::diag::{Style, printable};
use anstyle::{AnsiColor, Style as Paint};
use tabled::builder::Builder;
use tabled::settings::peaker::Priority;
use tabled::settings::{Padding, Style as Borders, Width};
use unicode_width::UnicodeWidthStr;

/// How a table is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Whether it has the columns that only some people want.
    pub wide: bool,
    /// Whether it has a header line.
    pub headers: bool,
    /// The width it has to fit, if there is a terminal.
    pub width: Option<usize>,
    /// Whether it may carry colours.
    pub style: Style,
}

impl Layout {
    /// A word in the colour of what it means: good, bad, or neither.
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
}

/// A table being put together.
#[derive(Debug)]
pub struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    dispensable: Vec<&'static str>,
}

impl Table {
    /// A table with these columns.
    pub fn new(headers: Vec<&'static str>) -> Self {
        Self::named(headers.into_iter().map(str::to_owned))
    }

    /// A table with columns that a user has named.
    pub fn named(headers: impl IntoIterator<Item = String>) -> Self {
        let shown = |header: String| printable(&header).into_owned();
        let headers = headers.into_iter().map(shown).collect();
        Self { headers, rows: Vec::new(), dispensable: Vec::new() }
    }

    /// The columns that a narrow terminal goes without, the first of them first.
    #[must_use]
    pub fn dispensable(mut self, columns: &[&'static str]) -> Self {
        self.dispensable = columns.to_vec();
        self
    }

    /// Takes these columns out if nothing stands in them.
    #[must_use]
    pub fn without_empty(mut self, columns: &[&'static str]) -> Self {
        for name in columns {
            let at = self.headers.iter().position(|header| header == name);
            if let Some(at) = at.filter(|at| self.rows.iter().all(|row| row[*at] == EMPTY)) {
                self.take_out(at);
            }
        }
        self
    }

    /// Takes a column out, and says which it was.
    fn take_out(&mut self, at: usize) -> String {
        for row in &mut self.rows {
            row.remove(at);
        }
        self.headers.remove(at)
    }

    /// Adds a row; an empty cell is shown as `-`.
    pub fn row(&mut self, cells: Vec<String>) {
        let shown = |cell: String| {
            if cell.is_empty() { EMPTY.to_owned() } else { printable(&cell).into_owned() }
        };
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// The table as text. Where it is too wide it goes without columns it can do without, and says
    /// so; then the widest columns are cut. A wide table is never cut: it was asked for.
    pub fn render(mut self, layout: &Layout) -> String {
        let width = layout.width.filter(|_| !layout.wide);
        let left_out = width.map(|width| self.fit(width)).unwrap_or_default();
        let mut builder = Builder::default();
        if layout.headers {
            builder.push_record(self.headers);
        }
        for row in self.rows {
            builder.push_record(row);
        }
        let mut table = builder.build();
        table.with(Borders::empty()).with(Padding::new(0, GAP, 0, 0));
        if let Some(width) = width {
            table.with(Width::truncate(width).suffix("..").priority(Priority::max(true)));
        }
        let text = table.to_string();
        let mut text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        if !left_out.is_empty() {
            text += &format!("(without {}: the terminal is narrow)\n", left_out.join(", "));
        }
        text
    }

    /// Takes columns out until the table fits, or none is dispensable; names them.
    fn fit(&mut self, width: usize) -> Vec<String> {
        let mut left_out = Vec::new();
        for name in std::mem::take(&mut self.dispensable) {
            if self.width() <= width {
                break;
            }
            if let Some(at) = self.headers.iter().position(|header| *header == name) {
                left_out.push(self.take_out(at));
            }
        }
        left_out
    }

    /// The width in columns of a terminal, without the last gap.
    fn width(&self) -> usize {
        let column = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
            cells.chain([self.headers[at].width()]).max().unwrap_or(0) + GAP
        };
        (0..self.headers.len()).map(column).sum::<usize>().saturating_sub(GAP)
    }
}

/// What stands in a cell that says nothing.
const EMPTY: &str = "-";

/// Blanks between columns.
const GAP: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(width: Option<usize>) -> Layout {
        Layout { wide: false, headers: true, width, style: Style::Plain }
    }

    fn table() -> Table {
        let mut table = Table::new(vec!["A", "LONG"]);
        table.row(vec![String::new(), "x".repeat(40)]);
        table.row(vec!["\u{1b}[2J".to_owned(), "é".to_owned()]);
        table
    }

    #[test]
    fn rows_are_lines_without_borders() {
        let text = table().render(&layout(None));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "A          LONG");
        assert_eq!(lines[1], format!("-          {}", "x".repeat(40)));
        assert_eq!(lines[2], "\\u{1b}[2J  é");
    }

    #[test]
    fn a_narrow_terminal_goes_without_what_it_can() {
        let text = table().dispensable(&["LONG"]).render(&layout(Some(30)));
        assert!(text.starts_with("A\n-\n"), "{text}");
        assert!(text.ends_with("(without LONG: the terminal is narrow)\n"), "{text}");
    }

    #[test]
    fn a_narrow_terminal_cuts_the_widest_column() {
        let text = table().render(&layout(Some(30)));
        assert!(text.lines().all(|line| line.chars().count() <= 30), "{text}");
        assert!(text.contains(".."));
    }
}
