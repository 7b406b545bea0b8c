//! The fields of a block of a context, with keys in any case, as Armada's own tool reads them.

use super::ConfigError;
use document::{Document, Entry, Node};

/// The error of a block.
pub(super) fn invalid_block(
    document: &Document,
    entry: &Entry,
    problem: impl Into<String>,
) -> ConfigError {
    ConfigError::BadAuth {
        place: document.place(entry.key_span).to_string(),
        block: entry.key.clone(),
        problem: problem.into(),
    }
}

/// The text of a scalar of any YAML type: a password may look like a number.
pub(super) fn scalar(node: &Node) -> Option<String> {
    node.scalar().filter(|_| !node.is_null()).map(|scalar| scalar.text.clone())
}

/// The text under a key in any case.
pub(super) fn text(node: &Node, key: &str) -> Option<String> {
    scalar(&node.entry_in_any_case(key)?.value)
}

/// Whether a key has a true value, as Armada reads one.
pub(super) fn is_true(node: &Node, key: &str) -> bool {
    text(node, key).is_some_and(|text| is_true_text(&text))
}

/// Whether a text is a true value.
pub(super) fn is_true_text(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "true" | "1")
}

/// The items of a list; none if the key has no list.
pub(super) fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.entry_in_any_case(key).map_or(&[], |entry| entry.value.items())
}
