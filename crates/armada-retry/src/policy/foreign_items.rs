//! Lists of documents without `apiVersion` and `kind`, as a service prints them. Each item is read as a document.

use super::documents::{ForeignKind, ForeignShape};
use document::{Document, Node};
use std::sync::Arc;

/// Whether a mapping has neither `apiVersion` nor `kind`.
pub(super) fn is_headless(root: &Node) -> bool {
    ["apiVersion", "kind"].iter().all(|key| root.entry_in_any_case(key).is_none())
}

/// The kinds that are recognized by fields.
pub(super) fn shapes(
    foreign: &'static [ForeignKind],
) -> impl Iterator<Item = (&'static str, &'static ForeignShape)> {
    foreign.iter().filter_map(|one| Some((one.kind, one.shape?)))
}

/// The items of a list of documents of one of these kinds, each as a document; a document of any other kind is returned
/// unchanged.
pub(super) fn foreign_items(document: Document, foreign: &'static [ForeignKind]) -> Vec<Document> {
    let root = &document.root;
    let list = || shapes(foreign).find_map(|(_, shape)| root.get(shape.list));
    let Some(list) = list().filter(|list| is_headless(root) && !list.items().is_empty()) else {
        return vec![document];
    };
    let item = |node: &Node| Document { source: Arc::clone(&document.source), root: node.clone() };
    list.items().iter().map(item).collect()
}
