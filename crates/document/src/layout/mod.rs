//! The layout of a text: the full extent of every value, and the places of its indicators and comments.
//!
//! A [`Node`](crate::Node) has the place of a value's first line, for findings. Edits and formatting need more: where
//! a block collection ends, the dash of an item, comments. The layout keeps aliases as they are written. Values of
//! both trees are matched by the spans of keys and scalars.

mod build;
#[cfg(test)]
mod tests;

use super::{Entry, Limits, ScalarStyle, node::MERGE_KEY};
use crate::diag::{BYTE_ORDER_MARK, Source, Span};
use std::sync::Arc;

/// The layout of a text without syntax errors.
#[derive(Debug)]
pub struct Layout {
    /// The text.
    pub source: Arc<Source>,
    /// The documents, empty ones included.
    pub documents: Vec<DocumentLayout>,
    /// The comments, each from its `#` to the end of its line without the line break.
    pub comments: Vec<Span>,
    /// Whether a tab separates values or indicators. Columns are not defined then.
    pub has_tabs: bool,
    /// Whether blank lines may belong to a block scalar before them: it has the indicator `+`, or a blank line has
    /// spaces.
    pub has_delicate_blanks: bool,
}

/// The layout of one document.
#[derive(Debug)]
pub struct DocumentLayout {
    /// From the document's `---`, or the beginning of the text, to the next document.
    pub span: Span,
    /// The top-level value.
    pub root: Part,
}

/// A value in the text.
#[derive(Debug)]
pub struct Part {
    /// From the first byte of the value, its anchor, tag and indicators included, to its last byte. Line breaks that
    /// end a block scalar are excluded. Empty after the indicator if the value is absent.
    pub span: Span,
    /// The span that the value's [`Node`](crate::Node) has, if it is a scalar or flow collection.
    pub content: Span,
    /// Whether the value has an anchor.
    pub has_anchor: bool,
    /// Whether the value has a tag.
    pub has_tag: bool,
    /// The value.
    pub kind: PartKind,
}

/// The kinds of value in a text.
#[derive(Debug)]
pub enum PartKind {
    /// `*name`.
    Alias,
    /// A scalar; an absent value is a plain one without a byte.
    Scalar(ScalarStyle),
    /// A list.
    List(Brackets, Vec<ItemPart>),
    /// A mapping.
    Map(Brackets, Vec<EntryPart>),
}

/// How a collection is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// By indentation: block style.
    None,
    /// By `[]` or `{}`: flow style.
    Both,
    /// Not at all: the mapping of one entry that `[key: value]` contains.
    Implied,
}

/// An item of a list.
#[derive(Debug)]
pub struct ItemPart {
    /// The place of its `-`; `None` in flow style.
    pub dash: Option<usize>,
    /// The value.
    pub value: Part,
}

/// An entry of a mapping.
#[derive(Debug)]
pub struct EntryPart {
    /// The place of its `?`, if the key is explicit.
    pub question: Option<usize>,
    /// The key.
    pub key: Part,
    /// The place of its `:`; `None` if key and value are not separated.
    pub colon: Option<usize>,
    /// The value.
    pub value: Part,
}

impl ItemPart {
    /// From the dash to the end of the value.
    pub fn span(&self) -> Span {
        Span::new(self.dash.unwrap_or(self.value.span.start), self.value.span.end)
    }
}

impl EntryPart {
    /// From the key to the end of the value.
    pub fn span(&self) -> Span {
        let start = self.question.unwrap_or(self.key.span.start);
        let end = self.value.span.end.max(self.key.span.end);
        Span::new(start, self.colon.map_or(end, |colon| end.max(colon + 1)))
    }
}

impl Part {
    /// The parts directly inside: items, or keys and values.
    pub fn children(&self) -> Vec<&Part> {
        match &self.kind {
            PartKind::Alias | PartKind::Scalar(_) => Vec::new(),
            PartKind::List(_, items) => items.iter().map(|item| &item.value).collect(),
            PartKind::Map(_, entries) => {
                entries.iter().flat_map(|entry| [&entry.key, &entry.value]).collect()
            }
        }
    }

    /// Whether the part or one inside it fulfils a condition.
    pub fn any(&self, condition: &impl Fn(&Part) -> bool) -> bool {
        condition(self) || self.children().into_iter().any(|child| child.any(condition))
    }

    /// Whether the part is a collection in brackets.
    pub fn has_brackets(&self) -> bool {
        matches!(self.kind, PartKind::List(Brackets::Both, _) | PartKind::Map(Brackets::Both, _))
    }
}

/// An entry of a mapping in the text.
pub(super) struct FoundEntry<'a> {
    /// The parts that contain the mapping, outermost first.
    pub(super) parents: Vec<&'a Part>,
    pub(super) map: &'a Part,
    pub(super) entries: &'a [EntryPart],
    pub(super) index: usize,
}

impl Layout {
    /// The layout of a text; `None` if the text has a syntax error or exceeds a limit.
    pub fn of(source: &Arc<Source>, limits: Limits) -> Option<Self> {
        build::build(source, limits)
    }

    /// The entry that a tree's entry is read from. An entry that a merge key adds is that of the anchor.
    pub(super) fn find_entry(&self, entry: &Entry) -> Option<FoundEntry<'_>> {
        let mut parents = self.parents(entry.key_span.start)?;
        loop {
            let map = parents.pop()?;
            if let PartKind::Map(_, entries) = &map.kind
                && let Some(index) = entries.iter().position(|one| {
                    // An absent key has an empty span, which others may share.
                    one.key.content == entry.key_span && one.key.span.end > one.key.span.start
                })
            {
                return Some(FoundEntry { parents, map, entries, index });
            }
        }
    }

    /// The parts that contain the innermost part at a byte, outermost first.
    fn parents(&self, at: usize) -> Option<Vec<&Part>> {
        let contains = |span: Span| span.range().contains(&at);
        let document = self.documents.iter().find(|document| contains(document.root.span))?;
        let (mut parents, mut part) = (Vec::new(), &document.root);
        while let Some(child) = part.children().into_iter().find(|child| contains(child.span)) {
            parents.push(part);
            part = child;
        }
        Some(parents)
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.source.text().get(span.range()).unwrap_or_default()
    }

    /// Whether a mapping has a merge key.
    pub(super) fn has_merge(&self, entries: &[EntryPart]) -> bool {
        let is_merge = |key: &Part| {
            matches!(key.kind, PartKind::Scalar(ScalarStyle::Plain))
                && self.text(key.content) == MERGE_KEY
        };
        entries.iter().any(|entry| is_merge(&entry.key))
    }

    /// Whether a span contains a comment, in part or whole.
    pub fn has_comment(&self, span: Span) -> bool {
        let next = self.comments.partition_point(|comment| comment.end <= span.start);
        self.comments.get(next).is_some_and(|comment| comment.start < span.end)
    }

    /// The comments that begin in a span.
    pub fn comments_in(&self, span: Span) -> &[Span] {
        let first = self.comments.partition_point(|comment| comment.start < span.start);
        let rest = &self.comments[first..];
        &rest[..rest.partition_point(|comment| comment.start < span.end)]
    }

    /// The comment that begins at a byte.
    pub fn comment_at(&self, at: usize) -> Option<Span> {
        let index = self.comments.binary_search_by_key(&at, |comment| comment.start).ok()?;
        self.comments.get(index).copied()
    }

    /// The first byte of the line of a byte; a byte order mark is not part of the line.
    pub fn line_start(&self, at: usize) -> usize {
        let text = self.source.text();
        let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let has_mark = start == 0 && text.starts_with(BYTE_ORDER_MARK);
        start + if has_mark { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// The end of the line of a byte, before the line break.
    pub fn line_end(&self, at: usize) -> usize {
        let text = self.source.text();
        let end = text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |n| at + n);
        if end > at && text.as_bytes().get(end - 1) == Some(&b'\r') { end - 1 } else { end }
    }

    /// The first byte of the next line, or the end of the text.
    pub fn next_line(&self, at: usize) -> usize {
        let text = self.source.text();
        text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |n| at + n + 1)
    }

    /// The line of a byte, without its line break.
    pub fn line(&self, at: usize) -> Span {
        Span::new(self.line_start(at), self.line_end(at))
    }

    /// The comment that fills the line of a byte, apart from blanks.
    pub fn comment_line(&self, at: usize) -> Option<Span> {
        let line = self.line(at);
        let blanks = self.text(line).len() - self.text(line).trim_start_matches([' ', '\t']).len();
        self.comment_at(line.start + blanks)
    }

    /// The column of a byte, from 0, in characters.
    pub fn column(&self, at: usize) -> usize {
        self.text(Span::new(self.line_start(at), at)).chars().count()
    }

    /// Whether only spaces are before a byte on its line.
    pub fn begins_line(&self, at: usize) -> bool {
        self.text(Span::new(self.line_start(at), at)).bytes().all(|byte| byte == b' ')
    }

    /// The line break of the text.
    pub fn line_break(&self) -> &'static str {
        match self.source.text().split_once('\n') {
            Some((first, _)) if first.ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }
}
