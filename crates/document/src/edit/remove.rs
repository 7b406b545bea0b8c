//! Removal of items and entries.

use crate::diag::{Edit, Span};
use crate::layout::{EntryPart, FoundEntry, ItemPart, Layout, Part};
use crate::{Brackets, Entry, PartKind};

impl Layout {
    /// Removes an item of the list that is the value of `list`. The list becomes `[]` if it has no other item.
    ///
    /// Two such removals that would leave the list without a value overlap, so that they are not applied together.
    pub fn remove_item(&self, list: &Entry, index: usize) -> Option<Vec<Edit>> {
        let (_, entry) = self.editable_value(list)?;
        let PartKind::List(brackets, items) = &entry.value.kind else { return None };
        let item = items.get(index)?;
        // An alias elsewhere would lose its anchor.
        if item.value.any(&|part| part.has_anchor) {
            return None;
        }
        let spans: Vec<Span> = items.iter().map(ItemPart::span).collect();
        if *brackets != Brackets::None {
            return self
                .remove_in_brackets(entry.value.content, &spans, index)
                .map(|edit| vec![edit]);
        }
        let removed = self.remove_lines(item.span(), true)?;
        if items.len() == 1 {
            return self.emptied(entry, "[]", removed);
        }
        Some(self.guarded(removed, index, || items.get(1).and_then(|next| next.dash)))
    }

    /// Removes an entry of a mapping. The mapping becomes `{}` if it has no other entry.
    ///
    /// Two such removals that would leave the mapping without a value overlap, so that they are not applied together.
    pub fn remove_entry(&self, entry: &Entry) -> Option<Vec<Edit>> {
        let found = self.editable_entry(entry)?;
        let PartKind::Map(brackets, _) = found.map.kind else { return None };
        let removed = &found.entries[found.index];
        if removed.value.any(&|part| part.has_anchor) || removed.key.has_anchor {
            return None;
        }
        let spans: Vec<Span> = found.entries.iter().map(EntryPart::span).collect();
        match brackets {
            Brackets::Implied => None,
            Brackets::Both => self
                .remove_in_brackets(found.map.content, &spans, found.index)
                .map(|edit| vec![edit]),
            Brackets::None => self.remove_in_block(&found, removed),
        }
    }

    fn remove_in_block(&self, found: &FoundEntry<'_>, removed: &EntryPart) -> Option<Vec<Edit>> {
        let span = removed.span();
        if found.entries.len() == 1 {
            let (parent, edit) = (owner(found)?, self.remove_lines(span, true)?);
            return self.emptied(parent, "{}", edit);
        }
        let edit = if self.begins_line(span.start) {
            // The comments above the first entry of a document are about the document.
            let is_head = found.parents.is_empty() && found.index == 0;
            self.remove_lines(span, !is_head)?
        } else {
            self.remove_after_dash(found, span)?
        };
        let next = || found.entries.get(1).map(|next| next.span().start);
        Some(self.guarded(edit, found.index, next))
    }

    /// Removes the first entry of a mapping that begins on the line of its item's dash: the next entry, or the first
    /// comment that does not belong to the removed one, moves there.
    fn remove_after_dash(&self, found: &FoundEntry<'_>, span: Span) -> Option<Edit> {
        let next = found.entries.get(1).filter(|_| found.index == 0)?.span().start;
        let column = self.column(span.start);
        let mut line = self.next_line(self.last_line(span.end, column)?);
        while self.text(self.line(line)).trim().is_empty() && line < next {
            line = self.next_line(line);
        }
        let to = self.comment_line(line).map_or(next, |comment| comment.start);
        let is_aligned = self.begins_line(next) && self.column(next) == column;
        (is_aligned && self.column(to) == column).then(|| self.edit(Span::new(span.start, to), ""))
    }

    /// Removes the lines of an item or entry, and one of two blank lines that meet.
    fn remove_lines(&self, span: Span, with_comments: bool) -> Option<Edit> {
        let mut lines = self.lines_of(span)?;
        if with_comments {
            lines.start = self.comments_above(lines.start, self.column(span.start));
        }
        let is_blank = |at: usize| self.text(self.line(at)).trim().is_empty();
        let is_blank_above = lines.start > 0 && is_blank(lines.start - 1);
        if is_blank_above && lines.end < self.source.text().len() && is_blank(lines.end) {
            lines.end = self.next_line(lines.end);
        }
        Some(self.edit(lines, ""))
    }

    /// Writes `empty` as the value of an entry whose only item or entry is removed.
    fn emptied(&self, entry: &EntryPart, empty: &str, removed: Edit) -> Option<Vec<Edit>> {
        let colon = entry.colon.filter(|_| entry.question.is_none())? + 1;
        let is_below = removed.place.span.start > colon;
        let written = self.edit(Span::new(colon, colon), format!(" {empty}"));
        is_below.then(|| vec![written, removed])
    }

    /// Adds an edit without effect at the second item or entry to the removal of the first one. Without it, a removal
    /// of the first and one of each other would be applied together, and no value would be left.
    fn guarded(
        &self,
        removed: Edit,
        index: usize,
        second: impl Fn() -> Option<usize>,
    ) -> Vec<Edit> {
        let guard = second().filter(|_| index == 0).map(|second| {
            let length = self.source.text()[second..].chars().next().map_or(0, char::len_utf8);
            let span = Span::new(second, second + length);
            self.edit(span, self.text(span))
        });
        std::iter::once(removed).chain(guard).collect()
    }

    /// Removes an item or entry of a flow collection with its comma.
    fn remove_in_brackets(&self, content: Span, spans: &[Span], index: usize) -> Option<Edit> {
        // With the comma before it; the first item has only the one after it.
        let removed = match (index.checked_sub(1), spans.get(index + 1)) {
            (Some(before), _) => Span::new(spans[before].end, spans[index].end),
            (None, Some(next)) => Span::new(spans[index].start, next.start),
            (None, None) => Span::new(content.start + 1, content.end - 1),
        };
        // A comment between the items would be removed unseen.
        (!self.has_comment(removed)).then(|| self.edit(removed, ""))
    }
}

/// The entry whose value is the mapping of an entry.
fn owner<'a>(found: &FoundEntry<'a>) -> Option<&'a EntryPart> {
    let parent: &Part = found.parents.last()?;
    let PartKind::Map(Brackets::None, entries) = &parent.kind else { return None };
    entries.iter().find(|entry| std::ptr::eq(&raw const entry.value, found.map))
}
