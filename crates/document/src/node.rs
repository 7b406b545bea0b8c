//! The located tree: the values of a text, each with its span. It has no checks.

use super::Resolved;
use crate::diag::{Place, Source, Span};
use std::sync::Arc;

/// One document of a text.
#[derive(Debug, Clone)]
pub struct Document {
    /// The text that contains the document.
    pub source: Arc<Source>,
    /// The top-level value.
    pub root: Node,
}

impl Document {
    /// Whether `node` is an alias without an anchor. Parsing has reported it.
    pub fn is_broken_alias(&self, node: &Node) -> bool {
        node.is_broken_alias(self.source.text())
    }

    /// A place in this document.
    pub fn place(&self, span: Span) -> Place {
        Place::new(&self.source, span)
    }
}

/// A value and its span.
#[derive(Debug, Clone)]
pub struct Node {
    /// The extent of a scalar or flow collection; the first line of a block collection.
    pub span: Span,
    /// The value.
    pub kind: NodeKind,
}

/// The three kinds of YAML node; aliases and merge keys are resolved.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// A single value.
    Scalar(Scalar),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the text. Keys may repeat.
    Map(Vec<Entry>),
}

/// The key whose value is merged into its mapping.
pub(super) const MERGE_KEY: &str = "<<";

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The key's span.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarStyle {
    /// No quotes: the scalar may be a number, a boolean or null.
    Plain,
    /// Single quotes: a text.
    Single,
    /// Double quotes: a text.
    Double,
    /// A literal block (`|`): a text.
    Literal,
    /// A folded block (`>`): a text.
    Folded,
}

/// A single value: its text without quotes and escapes.
#[derive(Debug, Clone)]
pub struct Scalar {
    /// The text.
    pub text: String,
    /// The notation of the source.
    pub style: ScalarStyle,
    /// The tag.
    pub tag: ScalarTag,
}

/// The tag of a scalar, if it changes the meaning of the scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarTag {
    /// No tag, or one without effect.
    None,
    /// `!!str`: a text in any notation.
    Text,
    /// `!!binary`: bytes, which no field accepts.
    Bytes,
}

impl Scalar {
    /// Whether the scalar has the tag `!!binary`. Parsing has reported it.
    pub fn is_bytes(&self) -> bool {
        self.tag == ScalarTag::Bytes
    }
}

impl Node {
    /// The value under a key; a null counts as absent.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value).filter(|value| !value.is_null())
    }

    /// The entry under a key, null or not.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entry under a key or, if there is none, under the key in another case, as Go's `encoding/json`
    /// finds it.
    pub fn entry_in_any_case(&self, key: &str) -> Option<&Entry> {
        let folded = || self.entries().iter().find(|entry| entry.key.eq_ignore_ascii_case(key));
        self.entry(key).or_else(folded)
    }

    /// The value under a key in any case, for changes.
    pub fn value_mut(&mut self, key: &str) -> Option<&mut Node> {
        let NodeKind::Map(entries) = &mut self.kind else { return None };
        let entry = entries.iter_mut().find(|entry| entry.key.eq_ignore_ascii_case(key));
        entry.map(|entry| &mut entry.value)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a mapping; empty for other nodes.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            NodeKind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; empty for other nodes.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            NodeKind::List(items) => items,
            _ => &[],
        }
    }

    /// The scalar; `None` for a list or mapping.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text; `None` if the node is not a scalar with a text.
    pub fn text(&self) -> Option<&str> {
        match self.scalar()?.resolve() {
            Resolved::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text; `None` if it is empty, or the node is not a text.
    pub fn some_text(&self) -> Option<&str> {
        self.text().filter(|text| !text.is_empty())
    }

    /// The boolean; `None` if the node is not one.
    pub fn boolean(&self) -> Option<bool> {
        match self.scalar()?.resolve() {
            Resolved::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The whole number; `None` if the node is not one.
    pub fn integer(&self) -> Option<i128> {
        match self.scalar()?.resolve() {
            Resolved::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The number, whole or not; `None` if the node is not one.
    #[expect(clippy::cast_precision_loss, reason = "asked for as a float")]
    pub fn number(&self) -> Option<f64> {
        match self.scalar()?.resolve() {
            Resolved::Integer(value) => Some(value as f64),
            Resolved::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the node is null, written or left out.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.resolve() == Resolved::Null)
    }

    /// Whether the node is an alias without an anchor in the text `source`. Such an alias is read as
    /// null, and no other null begins with an asterisk.
    pub(super) fn is_broken_alias(&self, source: &str) -> bool {
        self.is_null() && source[self.span.start..].starts_with('*')
    }

    /// A short description for messages, such as `a list`.
    pub fn describe(&self) -> String {
        match &self.kind {
            NodeKind::List(_) => "a list".to_owned(),
            NodeKind::Map(_) => "a mapping".to_owned(),
            NodeKind::Scalar(scalar) => match scalar.resolve() {
                Resolved::Text("") => "an empty string".to_owned(),
                // The number in the document's notation: `3.0` has the value 3, but its notation is the
                // mistake.
                Resolved::Integer(_) | Resolved::Float(_) => {
                    format!("the number `{}`", scalar.text)
                }
                Resolved::Boolean(_) => format!("the boolean `{}`", scalar.text),
                resolved => resolved.describe(),
            },
        }
    }

    /// The number of nodes, this one included.
    pub(super) fn weight(&self) -> usize {
        match &self.kind {
            NodeKind::Scalar(_) => 1,
            NodeKind::List(items) => 1 + items.iter().map(Node::weight).sum::<usize>(),
            NodeKind::Map(entries) => {
                1 + entries.iter().map(|entry| 1 + entry.value.weight()).sum::<usize>()
            }
        }
    }
}
