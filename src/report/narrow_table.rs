//! Tables on narrow terminals: the least widths of cells, and lines of a label and a value.
//!
//! Numbers are never cut, since the beginning of a number is another number. Headers are never cut. Cells
//! that distinguish rows are cut only as long as they remain distinct.

use super::layout::{GAP, total};
use std::collections::HashSet;
use std::ops::Range;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The mark at the end of a cut cell.
const CUT: &str = "..";

/// The least width of a column of texts; a narrower one could not be read.
const READABLE: usize = 6;

/// The maximum width of a cell that counts as one number, such as a time with its day; wider cells are texts.
const WIDEST_NUMBER: usize = 24;

/// The least width of a column that is never cut.
pub(super) const WHOLE: usize = usize::MAX;

/// The widths at which columns, of which the first cells are the titles, fit into `width`; `None` if cuts are not
/// enough. A column is cut below its width in `requested` only if cuts of other columns are not enough.
pub(super) fn cut_widths(
    columns: &[Vec<&str>],
    requested: &[usize],
    width: usize,
) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = columns.iter().map(|cells| width_of(cells)).collect();
    let least = columns.iter().zip(requested).zip(&widths).enumerate();
    let least = least.map(|(at, ((cells, requested), full))| match *requested {
        WHOLE => *full,
        _ => least_width(cells, at == 0, *full),
    });
    let least: Vec<usize> = least.collect();
    let requested: Vec<usize> =
        least.iter().zip(requested).map(|(least, requested)| *least.max(requested)).collect();
    for floor in [requested, least] {
        while total(&widths) > width {
            let may = |at: &usize| widths[*at] > floor[*at];
            let Some(widest) = (0..widths.len()).filter(may).max_by_key(|at| widths[*at]) else {
                break;
            };
            widths[widest] -= 1;
        }
    }
    (total(&widths) <= width).then_some(widths)
}

/// The width of an uncut column.
pub(super) fn width_of(cells: &[&str]) -> usize {
    cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
}

/// The least width of a column, of which the first cell is the title.
fn least_width(cells: &[&str], is_first: bool, full: usize) -> usize {
    let Some((title, cells)) = cells.split_first() else { return 0 };
    let least = cells.iter().map(|cell| least_cell_width(cell)).chain([title.width()]);
    let least = least.max().unwrap_or(0).min(full);
    if !is_first {
        return least;
    }
    // The first column distinguishes the rows, so its cells must remain distinct.
    let labels: HashSet<&str> = cells.iter().copied().collect();
    let is_distinct = |width: &usize| {
        let short: HashSet<String> = labels.iter().map(|label| shorten(label, *width)).collect();
        short.len() == labels.len()
    };
    (least..full).find(is_distinct).unwrap_or(full)
}

fn least_cell_width(cell: &str) -> usize {
    let width = cell.width();
    match numbers(cell).next() {
        Some(first) if first.start <= 1 && width <= WIDEST_NUMBER => width,
        // A number at the start is kept whole; only the text after it is cut.
        Some(first) if first.start == 0 => width.min(first.end + CUT.len()).max(READABLE),
        _ => width.min(READABLE),
    }
}

/// The ranges of the numbers in a text: digits with their separators, as in `3/10`, `5.4` or `10:04`.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let is_digit = move |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = (at..bytes.len()).find(|at| is_digit(*at))?;
        at = start;
        loop {
            let joins = matches!(bytes.get(at), Some(b'.' | b',' | b':' | b'/' | b'-'));
            if is_digit(at) || joins && is_digit(at + 1) {
                at += 1;
            } else {
                return Some(start..at);
            }
        }
    })
}

/// Cuts a cell to a width, the mark of the cut included. No number is cut.
pub(super) fn shorten(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut room = width.saturating_sub(CUT.len());
    let end = cell.char_indices().find(|(_, letter)| {
        let fits = room.checked_sub(letter.width().unwrap_or(0));
        room = fits.unwrap_or(0);
        fits.is_none()
    });
    let end = end.map_or(cell.len(), |(end, _)| end);
    let within = numbers(cell).find(|number| number.start < end && end < number.end);
    let end = within.map_or(end, |number| number.start);
    format!("{}{CUT}", &cell[..end])
}

/// Formats lines of a label and a value. A value that does not fit beside its label gets a line of its own,
/// so that the terminal does not break it while it fits there.
pub(super) fn labelled_lines<'c>(
    cells: impl Iterator<Item = (&'c str, &'c str)> + Clone,
    width: usize,
) -> String {
    let labels = cells.clone().map(|(label, _)| label.width()).max().unwrap_or(0);
    let line = |(label, cell): (&str, &str)| {
        let blank = " ".repeat(labels - label.width() + GAP);
        if labels + GAP + cell.width() <= width {
            format!("{label}{blank}{cell}\n")
        } else {
            format!("{label}\n{}{cell}\n", " ".repeat(GAP))
        }
    };
    cells.map(line).collect()
}
