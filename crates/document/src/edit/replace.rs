//! Replacement of lists of scalars.

use super::{is_json, write};
use crate::diag::{Edit, Span};
use crate::layout::{ItemPart, Layout};
use crate::{Brackets, Entry, PartKind, ScalarStyle};

impl Layout {
    /// Replaces the items of a list of scalars, which must not be empty, by texts, which get quotes where they need them. The
    /// new list is in the style of the old one, on one line if that is in flow style.
    pub fn replace_list(&self, list: &Entry, texts: &[&str]) -> Option<Vec<Edit>> {
        let (parents, entry) = self.editable_value(list)?;
        let PartKind::List(brackets, items) = &entry.value.kind else { return None };
        let begin = items.first()?.span().start;
        let end = items.last()?.span().end;
        let is_scalar = |item: &ItemPart| {
            let is_block = matches!(
                item.value.kind,
                PartKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded)
            );
            matches!(item.value.kind, PartKind::Scalar(_))
                && !is_block
                && !item.value.has_anchor
                && !item.value.has_tag
        };
        let items_span = Span::new(begin, end);
        if !items.iter().all(is_scalar) || self.has_comment(items_span) {
            return None;
        }
        let is_json = is_json(&parents, &entry.value);
        let values: Vec<String> = texts.iter().map(|text| write::text(text, is_json)).collect();
        let is_block = *brackets == Brackets::None;
        if !is_block || values.is_empty() {
            return self.replace_in_brackets(entry.value.content, is_block, &values);
        }
        // The new items are aligned with the first, whose column is theirs only if it begins a line.
        if !self.begins_line(begin) {
            return None;
        }
        let column = " ".repeat(self.column(begin));
        let text = format!("- {}", values.join(&format!("{}{column}- ", self.line_break())));
        Some(vec![self.edit(items_span, text)])
    }

    fn replace_in_brackets(
        &self,
        content: Span,
        is_block: bool,
        values: &[String],
    ) -> Option<Vec<Edit>> {
        let inside = Span::new(content.start + 1, content.end - 1);
        // An empty block list would be null.
        (!is_block && !self.has_comment(inside)).then(|| vec![self.edit(inside, values.join(", "))])
    }
}
