//! Spellings of keys, choices and whole numbers that the shape has.

use super::formatted::Formatted;
use crate::diag::{Findings, Span};
use crate::edit::{double_quoted, single_quoted};
use crate::{
    Document, KeyCase, Kind, Node, NodeKind, Scalar, ScalarStyle, ScalarTag, Shape, canonical_keys,
    settle_whole_numbers,
};
use std::collections::HashMap;

/// A document in canonical spelling.
pub(super) struct Canonical {
    /// The values.
    pub(super) root: Node,
    /// The new texts of keys and scalars, by the start of the old ones.
    pub(super) spellings: HashMap<usize, String>,
}

pub(super) fn canonical(document: &Document, kind: Formatted) -> Canonical {
    let mut root = document.root.clone();
    if kind.keys == KeyCase::Folded {
        settle_whole_numbers(&document.source, &mut root, kind.shape, &mut Findings::new());
        canonical_keys(&mut root, kind.shape);
    }
    settle_choices(&mut root, kind.shape, is_json(document));
    let mut spellings = HashMap::new();
    collect(document.source.text(), &document.root, &root, &mut spellings);
    Canonical { root, spellings }
}

/// Whether a document is written as JSON, in which a word needs quotes.
fn is_json(document: &Document) -> bool {
    let text = document.source.text();
    let begins = |at: usize, with: char| text.get(at..).is_some_and(|rest| rest.starts_with(with));
    let first = document.root.entries().first();
    begins(document.root.span.start, '{') && first.is_some_and(|it| begins(it.key_span.start, '"'))
}

/// Writes choices in the first of their spellings.
fn settle_choices(node: &mut Node, shape: &'static Shape, is_json: bool) {
    let NodeKind::Map(entries) = &mut node.kind else { return };
    for entry in entries {
        if let Some(field) = shape.field(&entry.key) {
            settle_choice(&mut entry.value, &field.kind, is_json);
        }
    }
}

fn settle_choice(node: &mut Node, kind: &'static Kind, is_json: bool) {
    match (kind, &mut node.kind) {
        (Kind::Object(shape) | Kind::ShareOr(shape), NodeKind::Map(_)) => {
            settle_choices(node, shape, is_json);
        }
        (Kind::List { item, .. } | Kind::Pair(item), NodeKind::List(items)) => {
            for node in items {
                settle_choice(node, item, is_json);
            }
        }
        (Kind::Map(value), NodeKind::Map(entries)) => {
            for entry in entries {
                settle_choice(&mut entry.value, value, is_json);
            }
        }
        (Kind::OneOf(choices), NodeKind::Scalar(scalar)) => {
            if let Some(choice) = choices.find(&scalar.text)
                && choice.value != scalar.text
            {
                choice.value.clone_into(&mut scalar.text);
                // JSON has no plain texts.
                if is_json {
                    scalar.style = ScalarStyle::Double;
                }
            }
        }
        _ => {}
    }
}

/// Collects the texts that differ.
fn collect(text: &str, old: &Node, new: &Node, spellings: &mut HashMap<usize, String>) {
    match (&old.kind, &new.kind) {
        (NodeKind::Scalar(old_scalar), NodeKind::Scalar(scalar))
            if old_scalar.text != scalar.text =>
        {
            spellings.insert(old.span.start, quoted(scalar));
        }
        (NodeKind::List(old), NodeKind::List(new)) => {
            old.iter().zip(new).for_each(|(old, new)| collect(text, old, new, spellings));
        }
        (NodeKind::Map(old), NodeKind::Map(new)) => {
            for (old, new) in old.iter().zip(new) {
                if old.key != new.key {
                    let style = style_of(text, old.key_span);
                    let key = Scalar { text: new.key.clone(), style, tag: ScalarTag::None };
                    spellings.insert(old.key_span.start, quoted(&key));
                }
                collect(text, &old.value, &new.value, spellings);
            }
        }
        _ => {}
    }
}

fn style_of(text: &str, span: Span) -> ScalarStyle {
    match text.as_bytes().get(span.start) {
        Some(b'"') => ScalarStyle::Double,
        Some(b'\'') => ScalarStyle::Single,
        _ => ScalarStyle::Plain,
    }
}

/// A word of the shape in the quotes that the old one has.
fn quoted(scalar: &Scalar) -> String {
    let text = scalar.text.as_str();
    match scalar.style {
        ScalarStyle::Single => single_quoted(text).unwrap_or_else(|| double_quoted(text)),
        ScalarStyle::Double => double_quoted(text),
        _ => text.to_owned(),
    }
}
