//! Replacement of scalars, keys and lists of scalars.

use super::{Context, NewValue, context, write};
use crate::diag::{Edit, Span};
use crate::layout::{ItemPart, Layout, Part};
use crate::{Brackets, Entry, Node, PartKind, ScalarStyle};

impl Layout {
    /// Replaces a scalar. A string keeps the quotes of the old one, if there are any.
    pub fn replace_scalar(&self, node: &Node, value: NewValue<'_>) -> Option<Vec<Edit>> {
        node.scalar()?;
        let found = self.editable(node)?;
        let parent = found.parents.last().copied().unwrap_or(found.part);
        let context = context(&found.parents, parent);
        self.rewritten(found.part, value, context).map(|edit| vec![edit])
    }

    /// Renames the key of an entry. It keeps its quotes, if there are any.
    pub fn rename_key(&self, entry: &Entry, key: &str) -> Option<Vec<Edit>> {
        let found = self.editable_entry(entry)?;
        let old = &found.entries[found.index].key;
        let context = context(&found.parents, found.map);
        if old.has_anchor || old.has_tag {
            return None;
        }
        self.rewritten(old, NewValue::Text(key), context).map(|edit| vec![edit])
    }

    fn rewritten(&self, old: &Part, value: NewValue<'_>, context: Context) -> Option<Edit> {
        let PartKind::Scalar(style) = old.kind else { return None };
        let text = match (value, style) {
            (_, ScalarStyle::Literal | ScalarStyle::Folded) => return None,
            (NewValue::Text(text), ScalarStyle::Single) => write::single_quoted(text),
            (NewValue::Text(text), ScalarStyle::Double) => Some(write::double_quoted(text)),
            _ => None,
        };
        let text = text.or_else(|| value.write(context))?;
        Some(self.edit(old.content, text))
    }

    /// Replaces the items of a list of scalars, which must not be empty, by others. The new list is in the style of
    /// the old one, on one line if that is in flow style.
    pub fn replace_list(&self, list: &Entry, values: &[NewValue<'_>]) -> Option<Vec<Edit>> {
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
        let context = context(&parents, &entry.value);
        let values: Option<Vec<String>> = values.iter().map(|value| value.write(context)).collect();
        let (values, is_block) = (values?, *brackets == Brackets::None);
        if !is_block || values.is_empty() {
            return self.replace_in_brackets(entry.value.content, is_block, &values);
        }
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
