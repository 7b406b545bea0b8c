//! Whether a formatted document has the values and comments of the old one.

use crate::diag::Source;
use crate::{DocumentLayout, Entry, Layout, Limits, Node, NodeKind, parse};

/// Compares a new text of a document with the values that it must have, and its comments with those of the old text.
pub(super) fn is_same(layout: &Layout, old: &DocumentLayout, values: &Node, new: &str) -> bool {
    let source = Source::new("", new);
    let (documents, findings) = parse(&source, Limits::POLICY);
    let Some(new_layout) = Layout::of(&source, Limits::POLICY) else { return false };
    let old_comments = layout.comments_in(old.span).iter().map(|span| layout.text(*span));
    let new_comments = new_layout.comments.iter().map(|span| new_layout.text(*span));
    let sorted = |comments: Vec<&str>| {
        // Sorted, as comments move with their entries.
        let mut trimmed: Vec<String> = comments.iter().map(|it| it.trim_end().to_owned()).collect();
        trimmed.sort();
        trimmed
    };
    let [document] = documents.as_slice() else { return false };
    findings.is_empty()
        && new_layout.documents.len() == 1
        && has_values(&document.root, values)
        && sorted(old_comments.collect()) == sorted(new_comments.collect())
}

/// Whether two trees are equal, except for the order of keys and quotes.
fn has_values(one: &Node, other: &Node) -> bool {
    match (&one.kind, &other.kind) {
        (NodeKind::Scalar(one), NodeKind::Scalar(other)) => {
            one.text == other.text && one.tag == other.tag && one.style == other.style
        }
        (NodeKind::List(one), NodeKind::List(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| has_values(one, other))
        }
        (NodeKind::Map(one), NodeKind::Map(other)) => {
            let (one, other) = (by_key(one), by_key(other));
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| {
                    one.key == other.key && has_values(&one.value, &other.value)
                })
        }
        _ => false,
    }
}

/// The entries by key; the order of equal keys stays.
fn by_key(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|one, other| one.key.cmp(&other.key));
    sorted
}
