//! A part of a stream of lines: what one thread reads at once.

use document::diag::BYTE_ORDER_MARK;
use std::sync::Arc;

/// The longest line of a history that is read, in bytes. A record is a few hundred; a limit keeps a
/// file without line ends from filling memory.
pub const LONGEST_LINE: usize = 16 << 20;

/// Whole lines of a stream.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The name of the stream in messages.
    pub name: Arc<str>,
    /// Whether the stream begins here.
    pub begins: bool,
    /// The lines, each with its line end; the last of a stream may have none.
    pub bytes: Vec<u8>,
}

impl Default for Piece {
    fn default() -> Self {
        Self { name: "".into(), begins: false, bytes: Vec::new() }
    }
}

/// The lines of a piece without their ends, and where they begin; the mark at a stream's beginning
/// is not text.
pub(crate) fn lines(bytes: &[u8], begins: bool) -> impl Iterator<Item = (usize, &[u8])> {
    // Only at the beginning of the stream; elsewhere the mark is part of a line.
    let marked = begins && bytes.starts_with(MARK);
    let mut at = if marked { MARK.len() } else { 0 };
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest);
        let line = &rest[..end.unwrap_or(rest.len())];
        let from = at;
        at += end.map_or(rest.len(), |end| end + 1);
        Some((from, line))
    })
}

/// The lines of a piece as texts, without the space at their ends; nothing where one is not UTF-8.
/// Blank lines are empty. `whole` is the piece as a text, if it is one: checking a whole piece is
/// cheaper than checking each line.
pub(crate) fn texts<'b>(
    bytes: &'b [u8],
    whole: Option<&'b str>,
    begins: bool,
) -> impl Iterator<Item = (usize, Option<&'b str>)> {
    lines(bytes, begins).map(move |(at, line)| {
        let line = line.trim_ascii_end();
        let text = match whole {
            Some(whole) => whole.get(at..at + line.len()),
            None => std::str::from_utf8(line).ok(),
        };
        (at, text)
    })
}

/// The line that begins at a place.
pub(crate) fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

const MARK: &[u8] = BYTE_ORDER_MARK.as_bytes();
