//! Comments and blank lines between values.

use crate::Layout;
use crate::diag::Span;

/// A comment that fills its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommentLine<'a> {
    pub(super) text: &'a str,
    /// The column of its `#`, from 0.
    pub(super) column: usize,
    /// Whether a blank line is before it.
    pub(super) is_after_blank: bool,
}

/// The text between the end of one value and the start of the next.
#[derive(Debug, Default)]
pub(super) struct Gap<'a> {
    pub(super) lines: Vec<CommentLine<'a>>,
    /// Whether a blank line is before the next value.
    pub(super) ends_with_blank: bool,
}

impl<'a> Gap<'a> {
    pub(super) fn of(layout: &'a Layout, from: usize, to: usize) -> Self {
        let text = layout.source.text();
        let has_blank = |from: usize, to: usize| {
            let between = text.get(from..to).unwrap_or_default();
            // The first line break ends a line, and a second one an empty line.
            between.bytes().filter(|byte| *byte == b'\n').count() > 1
        };
        let mut gap = Self::default();
        let mut at = from;
        for comment in layout.comments_in(Span::new(from, to)) {
            if layout.comment_line(comment.start) == Some(*comment) {
                gap.lines.push(CommentLine {
                    text: layout.text(*comment).trim_end(),
                    column: layout.column(comment.start),
                    is_after_blank: has_blank(at, comment.start),
                });
            }
            at = comment.end;
        }
        gap.ends_with_blank = has_blank(at, to);
        gap
    }

    /// Removes the first lines that are indented further than a column.
    pub(super) fn take_deeper(&mut self, column: usize) -> Vec<CommentLine<'a>> {
        take_deeper(&mut self.lines, column)
    }
}

/// Removes the first lines that are indented further than a column.
pub(super) fn take_deeper<'a>(
    lines: &mut Vec<CommentLine<'a>>,
    column: usize,
) -> Vec<CommentLine<'a>> {
    let count = lines.iter().take_while(|line| line.column > column).count();
    lines.drain(..count).collect()
}

/// The comment after a value, a comma or an indicator on the same line.
pub(super) fn trailing(layout: &Layout, after: usize) -> Option<&str> {
    let rest = layout.text(Span::new(after, layout.line_end(after)));
    let skipped = rest.trim_start_matches([' ', '\t']);
    // A comma may be between the value and its comment in brackets.
    let skipped = skipped.strip_prefix(',').unwrap_or(skipped).trim_start_matches([' ', '\t']);
    let start = after + rest.len() - skipped.len();
    let is_first = layout.begins_line(start);
    layout.comment_at(start).filter(|_| !is_first).map(|comment| layout.text(comment).trim_end())
}

/// The text between two places apart from comments and blanks.
pub(super) fn content(layout: &Layout, span: Span) -> String {
    let mut content = String::new();
    let mut at = span.start;
    for comment in layout.comments_in(span) {
        content += layout.text(Span::new(at, comment.start));
        at = comment.end;
    }
    content += layout.text(Span::new(at, span.end));
    content.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_owned()
}
