//! Tables of findings and of differences: the first rows, and the number of the others.

use super::block::Block;
use super::text::lines;
use crate::report::figures::count;

/// The most rows of a table.
const MOST: usize = 30;

/// A table of the first rows, with the number of the others; none without rows.
pub(super) fn table(
    headers: &[&str],
    noun: &str,
    rows: impl Iterator<Item = Vec<String>>,
) -> Option<Block> {
    let rows: Vec<Vec<String>> = rows.collect();
    let shown = &rows[..rows.len().min(MOST)];
    let headers = headers.iter().map(|header| ((*header).to_owned(), false));
    let cells = shown.iter().map(|row| row.iter().map(|cell| lines(cell)).collect());
    let block = Block::table(headers, cells);
    match rows.len() - shown.len() {
        _ if rows.is_empty() => None,
        0 => Some(block),
        left => Some(block.followed_by(&format!("{} more {noun}", count(left as u64)))),
    }
}
