//! Tables in kubectl's style: no borders, one line per row, fitted to the width of the terminal.

use super::layout::{EMPTY, GAP, Layout, total, wrap, write_left_out};
use super::narrow_table::{WHOLE, cut_widths, labelled_lines, shorten, width_of};
use document::diag::printable;
use std::collections::HashSet;
use tabled::builder::Builder;
use tabled::settings::{Padding, Style as Borders};
use unicode_width::UnicodeWidthStr;

/// A column of a table whose rows are `R`.
pub struct Column<'c, R> {
    head: Head,
    cell: Box<dyn Fn(&R) -> Cell + 'c>,
}

/// A cell; an empty one is printed as `-`.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    /// Whether it is good or bad, which its colour shows.
    good: Option<bool>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from((text, None))
    }
}

impl From<(String, Option<bool>)> for Cell {
    fn from((text, good): (String, Option<bool>)) -> Self {
        let text = if text.is_empty() { EMPTY.into() } else { printable(&text) };
        Self { text: text.into_owned(), good }
    }
}

/// An array of columns, each with its title or head and the cell of a row: `columns![row in &Row; "A" => row.a.clone()]`.
macro_rules! columns {
    ($row:ident in $rows:ty; $($head:expr => $cell:expr),+ $(,)?) => {
        [$($crate::report::Head::from($head).cell(|$row: &$rows| {
            let _ = $row;
            $cell
        })),+]
    };
}
pub(crate) use columns;

/// The title of a column, and how the column gives way on a narrow terminal.
#[derive(Debug, Clone)]
#[must_use]
pub struct Head {
    title: String,
    /// The place in the order in which columns are left out; none for one that never is.
    priority: Option<usize>,
    least: usize,
    is_right: bool,
    is_shown: bool,
    is_shown_empty: bool,
}

/// The head of a column with this title.
pub fn head(title: impl AsRef<str>) -> Head {
    let title = printable(title.as_ref()).into_owned();
    let (is_shown, is_shown_empty) = (true, true);
    Head { title, priority: None, least: 0, is_right: false, is_shown, is_shown_empty }
}

impl<T: AsRef<str>> From<T> for Head {
    fn from(title: T) -> Self {
        head(title)
    }
}

/// Columns of rows that are texts already.
pub fn text_columns(heads: impl IntoIterator<Item = Head>) -> Vec<Column<'static, Vec<String>>> {
    let heads = heads.into_iter().enumerate();
    heads.map(|(at, head)| head.cell(move |row: &Vec<String>| row[at].clone())).collect()
}

impl Head {
    /// Leaves the column out on a narrow terminal, after those with smaller numbers.
    pub fn leave_out(self, priority: impl Into<Option<usize>>) -> Self {
        Self { priority: priority.into(), ..self }
    }

    /// Sets the least width. The column is cut further only if cuts of the others are not enough.
    pub fn at_least(self, width: usize) -> Self {
        Self { least: width, ..self }
    }

    /// Aligns the cells at their right ends, as numbers are.
    pub fn right(self) -> Self {
        Self { is_right: true, ..self }
    }

    /// Omits the column if all of its cells are empty.
    pub fn if_any(self) -> Self {
        self.shown_empty(false)
    }

    /// Sets whether the column is shown if all of its cells are empty.
    pub fn shown_empty(self, is_shown_empty: bool) -> Self {
        Self { is_shown_empty, ..self }
    }

    /// Omits the column unless a condition is met.
    pub fn only_if(self, is_met: bool) -> Self {
        Self { is_shown: is_met, ..self }
    }

    /// The column with these cells.
    pub fn cell<'c, R, C: Into<Cell>>(self, cell: impl Fn(&R) -> C + 'c) -> Column<'c, R> {
        Column { head: self, cell: Box::new(move |row| cell(row).into()) }
    }
}

/// A table as texts.
#[derive(Debug, Clone)]
#[must_use]
pub struct Table {
    columns: Vec<Cells>,
    is_turned: bool,
    /// The columns and details that it lacks because the terminal is narrow.
    left_out: Vec<String>,
    /// The line about the rows that it lacks; may be empty.
    more: String,
}

/// A column without its rows.
#[derive(Debug, Clone)]
struct Cells {
    head: Head,
    cells: Vec<Cell>,
}

impl Table {
    /// A table of these rows.
    pub fn new<R>(rows: impl IntoIterator<Item = R>, columns: &[Column<'_, R>]) -> Self {
        let rows: Vec<R> = rows.into_iter().collect();
        let texts = |Column { head, cell }: &Column<'_, R>| {
            let cells: Vec<Cell> = rows.iter().map(cell).collect();
            let is_shown = head.is_shown_empty || cells.iter().any(|cell| cell.text != EMPTY);
            is_shown.then(|| Cells { head: head.clone(), cells })
        };
        let columns = columns.iter().filter(|column| column.head.is_shown);
        let columns = columns.filter_map(texts).collect();
        Self { columns, is_turned: false, left_out: Vec::new(), more: String::new() }
    }

    /// A table of the first of these rows, and how many others there are; all of them with `-o wide`.
    pub(super) fn first<'r, R>(
        rows: &'r [R],
        noun: &str,
        columns: &[Column<'_, &'r R>],
        layout: &Layout,
    ) -> Self {
        let shown = layout.first(rows);
        let mut table = Self::new(shown, columns);
        write_left_out(&mut table.more, rows.len() - shown.len(), noun);
        table
    }

    /// Cuts no cell on a narrow terminal.
    pub fn whole(mut self) -> Self {
        self.columns.iter_mut().for_each(|column| column.head.least = WHOLE);
        self
    }

    /// Makes every column after the first a block of lines, labelled by the cells of the first.
    pub fn turned(self) -> Self {
        Self { is_turned: true, ..self }
    }

    /// Names a detail that a wide terminal has.
    pub fn without(mut self, detail: &str) -> Self {
        self.left_out.push(detail.to_owned());
        self
    }

    /// Whether the whole table fits.
    pub fn fits(&self, layout: &Layout) -> bool {
        let fits = |width| {
            let lines = || self.blocks(usize::MAX);
            if self.is_turned {
                lines().lines().all(|line| line.width() <= width)
            } else {
                self.width() <= width
            }
        };
        layout.wide || layout.width.is_none_or(fits)
    }

    /// Renders the table. If it is too wide, columns are left out in their order and named below it, then the widest
    /// texts are cut. If that is not enough, or makes different rows equal, every row becomes a block of lines. A table
    /// of `-o wide` is never cut.
    pub fn render(self, layout: &Layout) -> String {
        let Some(width) = layout.width.filter(|_| !self.fits(layout)) else {
            return self.text(layout) + &self.more;
        };
        let mut fitted = self.clone();
        while fitted.width() > width {
            let columns = fitted.columns.iter().enumerate();
            let priorities = columns.filter_map(|(at, it)| Some((it.head.priority?, at)));
            let Some((_, at)) = priorities.min() else { break };
            fitted.left_out.push(fitted.columns.remove(at).head.title);
        }
        let is_cut = !self.is_turned && fitted.cut(width);
        let is_distinct = is_cut && fitted.count_distinct() == self.count_distinct();
        let text = if is_distinct { fitted.text(layout) } else { self.blocks(width) };
        text + &self.more
    }

    /// Writes the table after an empty line; nothing if it has no rows.
    pub(super) fn write(self, out: &mut String, layout: &Layout) {
        if self.columns.first().is_some_and(|column| !column.cells.is_empty()) {
            out.push('\n');
            out.push_str(&self.render(layout));
        }
    }

    /// The titles and cells of the columns.
    fn texts(&self) -> Vec<Vec<&str>> {
        let texts = self.columns.iter().map(|column| {
            let cells = column.cells.iter().map(|cell| cell.text.as_str());
            [column.head.title.as_str()].into_iter().chain(cells).collect()
        });
        texts.collect()
    }

    /// The number of distinct rows.
    fn count_distinct(&self) -> usize {
        let texts = self.texts();
        let rows = 1..texts.first().map_or(1, Vec::len);
        let row = |at| texts.iter().map(|column| column[at]).collect::<Vec<_>>();
        rows.map(row).collect::<HashSet<_>>().len()
    }

    /// The width of the table, without the last gap.
    fn width(&self) -> usize {
        total(&self.texts().iter().map(|texts| width_of(texts)).collect::<Vec<_>>())
    }

    /// Cuts the widest columns. Returns `false` if they cannot fit.
    fn cut(&mut self, width: usize) -> bool {
        let least: Vec<usize> = self.columns.iter().map(|column| column.head.least).collect();
        let Some(widths) = cut_widths(&self.texts(), &least, width) else { return false };
        for (column, width) in self.columns.iter_mut().zip(widths) {
            for cell in &mut column.cells {
                cell.text = shorten(&cell.text, width);
            }
        }
        true
    }

    /// Renders rows, or columns, as blocks of lines. No cell is cut; empty ones are omitted.
    fn blocks(&self, width: usize) -> String {
        let texts = self.texts();
        let Some((labels, others)) = texts.split_first() else { return String::new() };
        let is_filled = |(_, cell): &(&str, &str)| *cell != EMPTY;
        let column = |cells: &Vec<&str>| {
            let cells: Vec<_> = labels.iter().copied().zip(cells.iter().copied()).collect();
            let lines = cells[1..].iter().copied().filter(is_filled);
            format!("{}\n{}", cells[0].1, labelled_lines(lines, width))
        };
        let row = |at| {
            let cells = texts.iter().map(|column| (column[0], column[at])).filter(is_filled);
            labelled_lines(cells, width)
        };
        let blocks: Vec<String> = if self.is_turned {
            others.iter().map(column).collect()
        } else {
            (1..labels.len()).map(row).collect()
        };
        blocks.join("\n")
    }

    /// Renders the table as it is, and what it lacks.
    fn text(&self, layout: &Layout) -> String {
        if self.is_turned {
            return self.blocks(layout.width.unwrap_or(usize::MAX));
        }
        let texts = self.texts();
        let cell = |(column, texts): (&Cells, &Vec<&str>), at: usize| {
            let good = at.checked_sub(1).and_then(|row| column.cells[row].good);
            let text = layout.paint(texts[at], good);
            // Numbers end below each other as with headers, so that `--no-headers` removes a line alone.
            let width = if column.head.is_right { width_of(texts) } else { 0 };
            " ".repeat(width.saturating_sub(texts[at].width())) + &text
        };
        let mut builder = Builder::default();
        for at in usize::from(!layout.headers)..texts.first().map_or(0, Vec::len) {
            builder.push_record(self.columns.iter().zip(&texts).map(|column| cell(column, at)));
        }
        let mut table = builder.build();
        table.with(Borders::empty()).with(Padding::new(0, GAP, 0, 0));
        let mut text = String::new();
        for line in table.to_string().lines() {
            text += &(line.trim_end().to_owned() + "\n");
        }
        if !self.left_out.is_empty() {
            let left_out = self.left_out.join(", ");
            let note = format!("(without {left_out}: the terminal is narrow)");
            text += &(wrap(&note, layout.width.unwrap_or(usize::MAX), 2) + "\n");
        }
        text
    }
}

/// Renders the first of some tables that fits, the most detailed one first. If none fits, the last one is made to.
pub(super) fn render_first(tables: impl IntoIterator<Item = Table>, layout: &Layout) -> String {
    let mut tables = tables.into_iter().peekable();
    while let Some(table) = tables.next() {
        if tables.peek().is_none() || table.fits(layout) {
            return table.render(layout);
        }
    }
    String::new()
}

#[cfg(test)]
mod tests;
