//! Texts and places in them. A place has its source, so that a renderer can print the line of any finding.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A text that findings point at: a file, a part of one, or standard input.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: Arc<str>,
    first_line: usize,
    in_walk: bool,
    line_starts: OnceLock<Vec<usize>>,
    chars_before: OnceLock<Vec<usize>>,
}

/// The byte order mark, U+FEFF, which some programs write at the beginning of UTF-8. It is not part of the
/// text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The number of bytes between two stored counts of characters.
// A line of megabytes can have many findings, and a count from its start for each would take quadratic time.
const STRIDE: usize = 4096;

impl Source {
    /// A whole text. `name` is its name in messages: a path, or `-` for standard input.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Arc<Self> {
        Self::excerpt(name, text, 1)
    }

    /// A part of a text whose first line has the number `first_line` (from 1) in the whole text.
    pub fn excerpt(
        name: impl Into<String>,
        text: impl Into<Arc<str>>,
        first_line: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            first_line,
            in_walk: false,
            line_starts: OnceLock::new(),
            chars_before: OnceLock::new(),
        })
    }

    /// Marks the text as that of a file that was found in a directory and not named on the command line.
    #[must_use]
    pub fn found_in_walk(mut self: Arc<Self>) -> Arc<Self> {
        if let Some(source) = Arc::get_mut(&mut self) {
            source.in_walk = true;
        }
        self
    }

    /// Whether the file was found in a directory. Such a file may be unrelated to the command.
    pub fn is_in_walk(&self) -> bool {
        self.in_walk
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the first line, from 1.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    /// The line and column of a byte offset; an offset past the end counts as the end.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let mut offset = offset.min(self.text.len());
        // An offset of another program may be within a character.
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset) - 1;
        // Editors do not count the mark as a column.
        let marked = self.text[starts[line]..offset].starts_with(BYTE_ORDER_MARK);
        let before = self.chars_before(offset) - self.chars_before(starts[line]);
        LineColumn { line: line + self.first_line, column: before - usize::from(marked) + 1 }
    }

    /// The bytes of the line that contains an offset, without its line end.
    pub fn line_at(&self, offset: usize) -> Range<usize> {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset.min(self.text.len())) - 1;
        let end = starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        starts[line]..end
    }

    /// The number of characters that begin before a byte.
    fn chars_before(&self, offset: usize) -> usize {
        // A byte that continues a character of UTF-8 has the bits 10 at its top.
        let begun = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        let counts = self.chars_before.get_or_init(|| {
            let mut total = 0;
            let strides = self.text.as_bytes().chunks(STRIDE).map(|bytes| {
                total += begun(bytes);
                total
            });
            std::iter::once(0).chain(strides).collect()
        });
        let stride = offset / STRIDE;
        counts[stride] + begun(&self.text.as_bytes()[stride * STRIDE..offset])
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        })
    }
}

/// A position: line and column from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// A half-open range of bytes in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`; an `end` before `start` gives an empty span.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The part of the span on its first line.
    #[must_use]
    pub fn first_line(self, text: &str) -> Self {
        let spanned = text.get(self.range()).unwrap_or_default();
        let end = spanned.find(['\r', '\n']).map_or(self.end, |length| self.start + length);
        Self { start: self.start, end }
    }

    /// The span as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A span together with its text.
#[derive(Clone)]
pub struct Place {
    /// The text.
    pub source: Arc<Source>,
    /// The span in the text.
    pub span: Span,
}

impl Place {
    /// A place in `source`.
    pub fn new(source: &Arc<Source>, span: Span) -> Self {
        Self { source: Arc::clone(source), span }
    }

    /// The position of the first character.
    pub fn start(&self) -> LineColumn {
        self.source.line_column(self.span.start)
    }

    /// The position after the last character.
    pub fn end(&self) -> LineColumn {
        self.source.line_column(self.span.end)
    }
}

/// Prints `file:line:column`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineColumn { line, column } = self.start();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = Source::new("x", "a: é\r\nbé: 1\n");
        let at = |offset| {
            let LineColumn { line, column } = source.line_column(offset);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(5), (1, 5));
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(10), (2, 3));
        assert_eq!(at(9), (2, 2), "inside a character counts as its start");
        assert_eq!(at(999), (3, 1));
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let source = Source::new("x", "\u{feff}a: 1");
        assert_eq!(source.line_column(3), LineColumn { line: 1, column: 1 });
    }

    #[test]
    fn a_long_line_counts_as_a_short_one() {
        let text = "é".repeat(3 * STRIDE) + "\nx";
        let source = Source::new("x", text);
        let last = 6 * STRIDE - 2;
        assert_eq!(source.line_column(last), LineColumn { line: 1, column: 3 * STRIDE });
        assert_eq!(source.line_column(last + 3), LineColumn { line: 2, column: 1 });
        assert_eq!(source.line_at(7), 0..last + 2);
        assert_eq!(source.line_at(last + 3), last + 3..last + 4);
    }

    #[test]
    fn an_excerpt_counts_on_from_its_first_line() {
        let source = Source::excerpt("x.jsonl", "{\n}", 41);
        assert_eq!(source.line_column(2), LineColumn { line: 42, column: 1 });
    }
}
