//! Edits of a text that change one value and keep everything else: layout, comments, quotes.
//!
//! Every function returns replacements of text, or `None` if it cannot change only that: the value has an anchor or is
//! inside one, its mapping has a merge key, tabs separate values, blank lines belong to block scalars, or a comment is in
//! the replaced part of a flow collection.
//!
//! A block of comment lines directly above an item or entry, in its column and without a blank line between, belongs to
//! it, as in most languages: removing the item removes the comments too. If they stayed, they would describe the next
//! item, and a comment that suppresses findings would apply to it. The comments at the top of a document stay.

mod apply;
mod remove;
mod replace;
#[cfg(test)]
pub(super) mod tests;
mod write;

pub use apply::Applied;
pub use apply::apply_fixes;

pub(super) use write::{double_quoted, single_quoted};

use super::layout::{EntryPart, FoundEntry, Layout, Part};
use super::{Brackets, PartKind, ScalarStyle};
use crate::diag::{Edit, Place, Span};

/// Whether the values directly in `part` are in JSON, or in a flow collection with keys in double quotes.
fn is_json(parents: &[&Part], part: &Part) -> bool {
    let has_quoted_key = |part: &Part| match &part.kind {
        PartKind::Map(Brackets::Both, entries) => entries
            .first()
            .is_some_and(|entry| matches!(entry.key.kind, PartKind::Scalar(ScalarStyle::Double))),
        _ => false,
    };
    parents.iter().copied().chain([part]).any(has_quoted_key)
}

impl Layout {
    fn edit(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit { place: Place::new(&self.source, span), text: text.into() }
    }

    /// Whether edits inside these parts may change other values too, or have no defined columns.
    fn is_fixed(&self, parents: &[&Part], part: &Part) -> bool {
        part.has_anchor
            || part.has_tag
            || parents.iter().any(|parent| parent.has_anchor)
            || self.has_tabs
            || self.has_delicate_blanks
    }

    /// An entry whose mapping can be edited.
    fn editable_entry(&self, entry: &super::Entry) -> Option<FoundEntry<'_>> {
        let found = self.find_entry(entry)?;
        let is_fixed = self.is_fixed(&found.parents, found.map) || self.has_merge(found.entries);
        (!is_fixed).then_some(found)
    }

    /// The value of an entry, and the parts that contain it.
    fn editable_value(&self, entry: &super::Entry) -> Option<(Vec<&Part>, &EntryPart)> {
        let found = self.editable_entry(entry)?;
        let value = &found.entries[found.index];
        let mut parents = found.parents;
        parents.push(found.map);
        (!self.is_fixed(&parents, &value.value)).then_some((parents, value))
    }

    /// The whole lines of an item or entry in block style: from its first line to that after its last, with the
    /// comments below that are indented further. `None` if other values share the lines.
    fn lines_of(&self, span: Span) -> Option<Span> {
        let last = self.last_line(span.end, self.column(span.start))?;
        let start = self.line_start(span.start);
        self.begins_line(span.start).then(|| Span::new(start, self.next_line(last)))
    }

    /// The end of the last line of a value in block style that begins in `column` and ends at `end`, or of the
    /// comments below that are indented further. `None` if another value is on the line.
    fn last_line(&self, end: usize, column: usize) -> Option<usize> {
        let rest = Span::new(end, self.line_end(end));
        let after = self.text(rest).trim_start_matches(' ');
        // More than blanks and a comment behind the value: it shares its line.
        if !after.is_empty() && self.comment_at(rest.end - after.len()).is_none() {
            return None;
        }
        let mut last = rest.end;
        let mut next = self.next_line(end);
        while next < self.source.text().len() {
            match self.comment_line(next) {
                // Comments that are indented further belong to the value above.
                Some(comment) if self.column(comment.start) > column => last = comment.end,
                None if self.text(self.line(next)).trim().is_empty() => {}
                _ => break,
            }
            next = self.next_line(next);
        }
        Some(last)
    }

    /// The first byte of the comment lines directly above a line that begins in `column`, or of the line.
    pub fn comments_above(&self, line: usize, column: usize) -> usize {
        let mut first = line;
        while let Some(above) = self.line_start(first).checked_sub(1) {
            match self.comment_line(above) {
                Some(comment) if self.column(comment.start) == column => {
                    first = self.line_start(above);
                }
                _ => break,
            }
        }
        first
    }
}
