//! Insertion of entries into mappings.

use super::{Context, NewValue, context};
use crate::diag::{Edit, Span};
use crate::layout::{FoundEntry, Layout};
use crate::{Brackets, Entry, Node, PartKind};

impl Layout {
    /// Inserts an entry after the entry `after` of its mapping.
    pub fn insert_after(&self, after: &Entry, key: &str, value: NewValue<'_>) -> Option<Vec<Edit>> {
        let found = self.editable_entry(after)?;
        let PartKind::Map(brackets, _) = found.map.kind else { return None };
        match brackets {
            Brackets::Implied => None,
            Brackets::Both => self.insert_in_brackets(&found, key, value).map(|edit| vec![edit]),
            Brackets::None => self.insert_line(&found, key, value).map(|edit| vec![edit]),
        }
    }

    /// Inserts an entry at the end of a mapping, which may be empty.
    pub fn append(&self, map: &Node, key: &str, value: NewValue<'_>) -> Option<Vec<Edit>> {
        let last = map.entries().iter().max_by_key(|entry| entry.key_span.start);
        if let Some(last) = last {
            return self.insert_after(last, key, value);
        }
        let found = self.editable(map)?;
        let PartKind::Map(Brackets::Both, _) = found.part.kind else { return None };
        let inside = Span::new(found.part.content.start + 1, found.part.content.end - 1);
        let is_empty = self.text(inside).trim().is_empty();
        // An empty mapping in a document of JSON has no key that shows the notation.
        let context = match context(&found.parents, found.part) {
            _ if found.parents.is_empty() => Context::Json,
            context => context,
        };
        is_empty.then(|| Some(vec![self.edit(inside, written_entry(key, value, context)?)]))?
    }

    /// Inserts the line of an entry below an entry in block style.
    fn insert_line(&self, found: &FoundEntry<'_>, key: &str, value: NewValue<'_>) -> Option<Edit> {
        let after = &found.entries[found.index];
        let first = found.entries.first()?.span().start;
        let before = Span::new(self.line_start(first), first);
        let is_plain = self.text(before).bytes().all(|byte| matches!(byte, b' ' | b'-'));
        let is_explicit = found.entries.iter().any(|entry| entry.question.is_some());
        if !is_plain || is_explicit {
            return None;
        }
        let column = self.column(first);
        let end = self.last_line(after.span().end, column)?;
        let text = written_entry(key, value, Context::Block)?;
        let text = format!("{}{}{text}", self.line_break(), " ".repeat(column));
        Some(self.edit(Span::new(end, end), text))
    }

    fn insert_in_brackets(
        &self,
        found: &FoundEntry<'_>,
        key: &str,
        value: NewValue<'_>,
    ) -> Option<Edit> {
        let context = context(&found.parents, found.map);
        let text = written_entry(key, value, context)?;
        let at = found.entries[found.index].span().end;
        let first = found.entries.first()?.span().start;
        let blanks = self.text(Span::new(found.map.content.start + 1, first));
        let line = Span::new(at, self.line_end(at));
        // With an entry a line, as JSON is usually written, the new one gets a line too. A comment at the end of
        // the line would otherwise change its place.
        let is_tall = blanks.contains('\n') && blanks.trim().is_empty() && !self.has_comment(line);
        let blanks = if is_tall { blanks } else { " " };
        Some(self.edit(Span::new(at, at), format!(",{blanks}{text}")))
    }
}

/// A key and its value.
fn written_entry(key: &str, value: NewValue<'_>, context: Context) -> Option<String> {
    let key = NewValue::Text(key).write(context)?;
    Some(format!("{key}: {}", value.write(context)?))
}
