//! Tables in kubectl's style: no borders, one line per row, fitted to the width of the terminal.

use super::layout::{EMPTY, GAP, Layout, total};
use super::narrow_table;
use super::wrap::wrap;
use document::diag::printable;
use std::collections::HashSet;
use tabled::builder::Builder;
use tabled::settings::{Padding, Style as Borders};
use unicode_width::UnicodeWidthStr;

/// A table under construction.
#[derive(Debug, Clone)]
pub struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether a cell is good or bad, which its colour tells; for each cell of each row.
    good: Vec<Vec<Option<bool>>>,
    dispensable: Vec<&'static str>,
    least: Vec<(&'static str, usize)>,
    /// Whether the cells of columns after the first end below each other, as numbers do.
    is_right_aligned: bool,
    /// The columns that do not.
    left: Vec<&'static str>,
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
        let (rows, good) = (Vec::new(), Vec::new());
        let (dispensable, least, left) = (Vec::new(), Vec::new(), Vec::new());
        Self { headers, rows, good, dispensable, least, is_right_aligned: false, left }
    }

    /// Sets the columns that are omitted on a narrow terminal, in this order.
    #[must_use]
    pub fn dispensable(mut self, columns: &[&'static str]) -> Self {
        self.dispensable = columns.to_vec();
        self
    }

    /// Sets the least widths of columns. A column is cut further only if cuts of the others are not enough.
    #[must_use]
    pub fn at_least(mut self, columns: &[(&'static str, usize)]) -> Self {
        self.least = columns.to_vec();
        self
    }

    /// Aligns the cells of all columns but the first and these at their right ends.
    #[must_use]
    pub fn right_aligned_but(mut self, columns: &[&'static str]) -> Self {
        self.is_right_aligned = true;
        self.left = columns.to_vec();
        self
    }

    /// Removes these columns if all of their cells are empty.
    #[must_use]
    pub fn without_empty(mut self, columns: &[&'static str]) -> Self {
        for name in columns {
            let at = self.headers.iter().position(|header| header == name);
            if let Some(at) = at.filter(|at| self.rows.iter().all(|row| row[*at] == EMPTY)) {
                self.remove_column(at);
            }
        }
        self
    }

    /// Removes these columns.
    #[must_use]
    pub fn without(mut self, columns: &[&'static str]) -> Self {
        for name in columns {
            if let Some(at) = self.headers.iter().position(|header| header == name) {
                self.remove_column(at);
            }
        }
        self
    }

    /// Removes a column and returns its header.
    fn remove_column(&mut self, at: usize) -> String {
        for row in &mut self.rows {
            row.remove(at);
        }
        for row in &mut self.good {
            row.remove(at);
        }
        self.headers.remove(at)
    }

    /// Adds a row; an empty cell is printed as `-`.
    pub fn row(&mut self, cells: Vec<String>) {
        self.painted_row(cells.into_iter().map(|cell| (cell, None)));
    }

    /// Adds a row of cells, each with whether it is good or bad, if it is one of both.
    pub fn painted_row(&mut self, cells: impl IntoIterator<Item = (String, Option<bool>)>) {
        let (cells, good): (Vec<String>, Vec<Option<bool>>) = cells.into_iter().unzip();
        self.good.push(good);
        let shown = |cell: String| {
            if cell.is_empty() { EMPTY.to_owned() } else { printable(&cell).into_owned() }
        };
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// Renders the table. If it is too wide, dispensable columns are omitted and named below it; then the
    /// widest texts are cut. If that is not enough, or makes different rows equal, every row becomes a block
    /// of lines. A table of `-o wide` is never cut.
    pub fn render(mut self, layout: &Layout) -> String {
        let Some(width) = layout.width.filter(|_| !layout.wide) else { return self.text(layout) };
        let (headers, rows) = (self.headers.clone(), self.rows.clone());
        let left_out = self.fit(width);
        if !self.cut(width) || count_distinct(&self.rows) < count_distinct(&rows) {
            return narrow_table::row_blocks(&headers, &rows, width);
        }
        let mut text = self.text(layout);
        if !left_out.is_empty() {
            let left_out = left_out.join(", ");
            text += &wrap(&format!("(without {left_out}: the terminal is narrow)"), width, 2);
            text.push('\n');
        }
        text
    }

    /// The cells of each row.
    pub(super) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Whether the uncut table fits.
    pub fn fits(&self, layout: &Layout) -> bool {
        layout.wide || layout.width.is_none_or(|width| self.width() <= width)
    }

    /// Renders the table if it fits uncut; otherwise every row becomes a block of lines. No cell is cut.
    pub fn render_whole(self, layout: &Layout) -> String {
        match layout.width.filter(|_| !self.fits(layout)) {
            Some(width) => narrow_table::row_blocks(&self.headers, &self.rows, width),
            None => self.text(layout),
        }
    }

    /// Renders every column after the first as a block of lines, labelled by the cells of the first.
    pub fn render_columns(self, layout: &Layout) -> String {
        let width = layout.width.unwrap_or(usize::MAX);
        let block = |at: usize| {
            let cells = self.rows.iter().filter(|row| row[at] != EMPTY);
            let cells = cells.map(|row| (row[0].as_str(), row[at].as_str()));
            format!("{}\n{}", self.headers[at], narrow_table::labelled_lines(cells, width))
        };
        (1..self.headers.len()).map(block).collect::<Vec<_>>().join("\n")
    }

    /// Fills cells up from the left to the widths of their columns.
    fn align(&mut self) {
        for at in 1..self.headers.len() {
            if self.left.iter().any(|left| self.headers[at] == *left) {
                continue;
            }
            let width = narrow_table::full_width(&self.headers, &self.rows, at);
            let cells = self.rows.iter_mut().map(|row| &mut row[at]);
            for cell in cells.chain([&mut self.headers[at]]) {
                *cell = " ".repeat(width - cell.width()) + cell;
            }
        }
    }

    /// Renders the table uncut.
    fn text(mut self, layout: &Layout) -> String {
        if self.is_right_aligned {
            self.align();
        }
        let mut builder = Builder::default();
        if layout.headers {
            builder.push_record(&self.headers);
        }
        for row in &self.rows {
            builder.push_record(row);
        }
        let mut table = builder.build();
        table.with(Borders::empty()).with(Padding::new(0, GAP, 0, 0));
        let text = table.to_string();
        let (headers, rows) = (usize::from(layout.headers), self.rows.iter().zip(&self.good));
        let rows = (0..headers).map(|_| None).chain(rows.map(Some));
        let line = |(line, row): (&str, Option<_>)| {
            let painted = row.map_or_else(|| line.to_owned(), |row| paint(line, row, layout));
            painted.trim_end().to_owned() + "\n"
        };
        text.lines().zip(rows).map(line).collect()
    }

    /// Removes dispensable columns until the table fits; returns their headers.
    fn fit(&mut self, width: usize) -> Vec<String> {
        let mut left_out = Vec::new();
        for name in std::mem::take(&mut self.dispensable) {
            if self.width() <= width {
                break;
            }
            if let Some(at) = self.headers.iter().position(|header| *header == name) {
                left_out.push(self.remove_column(at));
            }
        }
        left_out
    }

    /// Cuts the widest columns, one column of characters at a time, until the table fits. Returns `false` if
    /// it cannot fit.
    fn cut(&mut self, width: usize) -> bool {
        let requested = |header: &String| {
            let least = self.least.iter().find(|(name, _)| header == name);
            least.map_or(0, |(_, least)| *least)
        };
        let least: Vec<usize> = self.headers.iter().map(requested).collect();
        let Some(widths) = narrow_table::cut_widths(&self.headers, &self.rows, &least, width)
        else {
            return false;
        };
        for row in &mut self.rows {
            for (cell, width) in row.iter_mut().zip(&widths) {
                *cell = narrow_table::shorten(cell, *width);
            }
        }
        true
    }

    /// The width of the table, without the last gap.
    fn width(&self) -> usize {
        let column = |at| narrow_table::full_width(&self.headers, &self.rows, at);
        total(&(0..self.headers.len()).map(column).collect::<Vec<_>>())
    }
}

/// Colours the cells of a line that are good or bad. The cells are in it in their order, with spaces between them.
fn paint(line: &str, (cells, good): (&Vec<String>, &Vec<Option<bool>>), layout: &Layout) -> String {
    let (mut painted, mut rest) = (String::new(), line);
    for (cell, good) in cells.iter().zip(good) {
        let text = cell.trim_start();
        let Some((before, after)) = rest.split_once(text) else { break };
        painted += before;
        painted += &layout.paint(text, *good);
        rest = after;
    }
    painted + rest
}

/// The number of distinct rows.
fn count_distinct(rows: &[Vec<String>]) -> usize {
    rows.iter().collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

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
        assert!(text.ends_with("(without LONG: the terminal is\n  narrow)\n"), "{text}");
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
        let mut table = Table::new(vec!["A", "B", "C"]);
        table.row(vec!["a".to_owned(), "x".repeat(30), "y".repeat(30)]);
        let cut = |width| table.clone().at_least(&[("C", 20)]).render(&layout(Some(width)));
        assert!(cut(60).contains(&format!("  {}..", "y".repeat(25))), "{}", cut(60));
        assert!(cut(31).contains(&format!("xxxx..  {}..", "y".repeat(18))), "{}", cut(31));
        assert!(cut(30).contains(&format!("xxxx..  {}..", "y".repeat(17))), "{}", cut(30));
        let mut wide = Table::new(vec!["A", "B"]);
        wide.row(vec!["a".to_owned(), "日本語日本語".to_owned()]);
        assert_eq!(wide.render(&layout(Some(12))), "A  B\na  日本語..\n");
    }

    #[test]
    fn colours_do_not_move_cells() {
        let mut table = Table::new(vec!["A", "B", "C"]).right_aligned_but(&[]);
        for (cell, good) in [("1", Some(true)), ("11", Some(false)), ("-", None)] {
            table.painted_row([
                ("1".to_owned(), None),
                (cell.to_owned(), good),
                ("1".to_owned(), good),
            ]);
        }
        let coloured = Layout { style: Style::Coloured, ..layout(None) };
        let text = table.clone().render(&coloured);
        assert_eq!(text.matches("\u{1b}[1m\u{1b}[32m1\u{1b}[0m").count(), 2, "{text}");
        assert_eq!(text.matches("\u{1b}[31m").count(), 2, "{text}");
        let plain = ["\u{1b}[1m", "\u{1b}[32m", "\u{1b}[31m", "\u{1b}[0m"];
        let plain = plain.iter().fold(text, |text, escape| text.replace(escape, ""));
        assert_eq!(plain, table.render(&layout(None)));
    }

    #[test]
    fn a_narrow_terminal_cuts_the_widest_column() {
        let text = table().render(&layout(Some(30)));
        assert!(text.lines().all(|line| line.chars().count() <= 30), "{text}");
        assert!(text.contains(".."));
    }

    #[test]
    fn a_number_is_never_cut() {
        let mut table = Table::new(vec!["MESSAGE", "RETRIES", "SHARE"]);
        table.row(vec!["exit 1378 of node-17".to_owned(), "112842".to_owned(), "3/10".to_owned()]);
        table.row(vec!["exit 1379 of node-18".to_owned(), "7".to_owned(), "10:04:12".to_owned()]);
        let text = |width| table.clone().render(&layout(Some(width)));
        assert_eq!(
            text(31),
            "MESSAGE       RETRIES  SHARE\nexit 1378 ..  112842   3/10\nexit 1379 ..  7        10:04:12\n"
        );
        // At this width, the cut labels would be equal.
        assert_eq!(
            text(28),
            "MESSAGE\n  exit 1378 of node-17\nRETRIES  112842\nSHARE    3/10\n\n\
             MESSAGE\n  exit 1379 of node-18\nRETRIES  7\nSHARE    10:04:12\n"
        );
    }

    #[test]
    fn rows_that_differ_in_any_column_still_do() {
        let mut table = Table::new(vec!["LABEL", "RULE", "JOBS"]);
        table.row(vec!["fail".to_owned(), format!("{}a", "policy-".repeat(6)), "7".to_owned()]);
        table.row(vec!["fail".to_owned(), format!("{}b", "policy-".repeat(6)), "7".to_owned()]);
        let text = table.clone().render(&layout(Some(40)));
        assert!(text.starts_with("LABEL  fail\nRULE\n  policy-"), "{text}");
        let text = table.dispensable(&["RULE"]).render(&layout(Some(40)));
        assert!(text.starts_with("LABEL  fail\nRULE\n  policy-"), "{text}");
    }

    /// The groups of digits in a text.
    fn digits(text: &str) -> Vec<&str> {
        text.split(|letter: char| !letter.is_ascii_digit()).filter(|run| !run.is_empty()).collect()
    }

    proptest! {
        /// No width cuts a number or makes the labels of different rows equal.
        #[test]
        fn no_width_cuts_a_number_or_makes_two_rows_one(
            rows in prop::collection::vec(
                ("[a-c]{3,20}( in|)[0-9]{0,3}", "[0-9]{1,9}( \\(\\+[0-9]{1,4}\\))?", "([a-z]{1,9} ?[0-9./:]{0,7} ?){1,4}"),
                1..6,
            ),
            width in prop::sample::select(vec![20_usize, 40, 60, 80, 120]),
        ) {
            let mut table = Table::new(vec!["LABEL", "NUMBER", "MESSAGE", "MORE"])
                .dispensable(&["MORE"])
                .at_least(&[("MESSAGE", 12)]);
            for (label, number, message) in &rows {
                let cells = [label, number, message, number];
                table.row(cells.into_iter().cloned().collect());
            }
            let text = table.render(&layout(Some(width)));
            let whole: Vec<&str> = rows
                .iter()
                .flat_map(|(label, number, message)| [label, number, message])
                .flat_map(|cell| digits(cell))
                .collect();
            for run in digits(&text) {
                prop_assert!(whole.contains(&run), "{} in\n{}", run, text);
            }
            for (_, number, _) in &rows {
                prop_assert!(text.contains(number.as_str()), "{} in\n{}", number, text);
            }
            if text.starts_with("LABEL ") && text.lines().next().is_some_and(|line| line.contains("NUMBER")) {
                let mut labels: Vec<&String> = rows.iter().map(|(label, ..)| label).collect();
                labels.sort();
                labels.dedup();
                let end = text.find("NUMBER").unwrap();
                let lines = text.lines().skip(1).take(rows.len());
                let mut cut: Vec<&str> = lines.map(|line| line[..end].trim_end()).collect();
                cut.sort_unstable();
                cut.dedup();
                prop_assert_eq!(cut.len(), labels.len(), "{}", text);
            }
        }
    }
}
