//! Tables as kubectl prints them: no borders, one line a row, made to fit the terminal.

use crate::diag::{Style, printable};
use anstyle::{AnsiColor, Style as Paint};
use tabled::builder::Builder;
use tabled::settings::{Padding, Style as Borders};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
    least: Vec<(&'static str, usize)>,
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
        Self { headers, rows: Vec::new(), dispensable: Vec::new(), least: Vec::new() }
    }

    /// The columns that a narrow terminal goes without, the first of them first.
    #[must_use]
    pub fn dispensable(mut self, columns: &[&'static str]) -> Self {
        self.dispensable = columns.to_vec();
        self
    }

    /// The widths that columns are cut below only where cutting the others is not enough.
    #[must_use]
    pub fn at_least(mut self, columns: &[(&'static str, usize)]) -> Self {
        self.least = columns.to_vec();
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
        if let Some(width) = width {
            self.cut(width);
        }
        let mut builder = Builder::default();
        if layout.headers {
            builder.push_record(self.headers);
        }
        for row in self.rows {
            builder.push_record(row);
        }
        let mut table = builder.build();
        table.with(Borders::empty()).with(Padding::new(0, GAP, 0, 0));
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

    /// Cuts the widest columns, one place at a time, until the table fits.
    fn cut(&mut self, width: usize) {
        let mut widths = self.widths();
        let asked = |at: usize| {
            let asked = self.least.iter().find(|(name, _)| self.headers[at] == *name);
            asked.map_or(READABLE, |(_, least)| *least)
        };
        let asked: Vec<usize> = (0..widths.len()).map(asked).collect();
        for least in [asked, vec![READABLE; widths.len()], vec![CUT.len(); widths.len()]] {
            while total(&widths) > width {
                let may = |at: &usize| widths[*at] > least[*at];
                let widest = (0..widths.len()).filter(may).max_by_key(|at| widths[*at]);
                let Some(widest) = widest else { break };
                widths[widest] -= 1;
            }
        }
        for cells in self.rows.iter_mut().chain([&mut self.headers]) {
            for (cell, width) in cells.iter_mut().zip(&widths) {
                cut(cell, *width);
            }
        }
    }

    /// The width of the table, without the last gap.
    fn width(&self) -> usize {
        total(&self.widths())
    }

    /// The width of each column in columns of a terminal.
    fn widths(&self) -> Vec<usize> {
        let column = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
            cells.chain([self.headers[at].width()]).max().unwrap_or(0)
        };
        (0..self.headers.len()).map(column).collect()
    }
}

/// The width of columns with the gaps between them.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Cuts a cell to a width that has room for the sign that it is cut.
fn cut(cell: &mut String, width: usize) {
    if cell.width() <= width {
        return;
    }
    let mut room = width.saturating_sub(CUT.len());
    let end = cell.char_indices().find(|(_, letter)| {
        let fits = room.checked_sub(letter.width().unwrap_or(0));
        room = fits.unwrap_or(0);
        fits.is_none()
    });
    if let Some((end, _)) = end {
        cell.truncate(end);
    }
    cell.push_str(CUT);
}

/// What ends a cell that is cut.
const CUT: &str = "..";

/// The width from which on a cut column still says something.
const READABLE: usize = 6;

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
    fn what_fits_to_the_last_column_is_whole() {
        let whole = table().render(&layout(None));
        let width = whole.lines().map(UnicodeWidthStr::width).max().unwrap();
        assert_eq!(width, 51);
        for wide in width - 8..width + 8 {
            let text = table().render(&layout(Some(wide)));
            let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap();
            assert_eq!(widest, wide.min(width), "{text}");
            assert_eq!(text == whole, wide >= width, "{text}");
        }
    }

    #[test]
    fn some_columns_are_cut_last() {
        let cut = |width| table().at_least(&[("LONG", 40)]).render(&layout(Some(width)));
        assert!(cut(48).contains(&"x".repeat(40)) && cut(48).contains("\\u{1..  é"), "{}", cut(48));
        assert!(cut(45).contains(&format!("-       {}..", "x".repeat(35))), "{}", cut(45));
        assert!(cut(6).lines().all(|line| line.width() <= 6), "{}", cut(6));
        let mut wide = Table::new(vec!["A"]);
        wide.row(vec!["日本語日本語".to_owned()]);
        assert_eq!(wide.render(&layout(Some(9))), "A\n日本語..\n");
    }

    #[test]
    fn a_narrow_terminal_cuts_the_widest_column() {
        let text = table().render(&layout(Some(30)));
        assert!(text.lines().all(|line| line.chars().count() <= 30), "{text}");
        assert!(text.contains(".."));
    }
}
