//! Lists of documents without `apiVersion` and `kind`, as a service prints them. Each item is read as a document.

use super::documents::{ForeignKind, ForeignShape, Selection};
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Node, NodeKind};
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

/// The items of a list of documents of one of these kinds that are read, each as a document; a document of any other kind
/// is returned unchanged. Adds what is skipped, and why, to the findings.
pub(super) fn foreign_items(
    document: Document,
    foreign: &'static [ForeignKind],
    findings: &mut Findings,
) -> Vec<Document> {
    let root = &document.root;
    let list = || shapes(foreign).find_map(|(_, shape)| Some((shape, root.get(shape.list)?)));
    let is_list = |list: &Node| matches!(list.kind, NodeKind::List(_));
    let Some((shape, list)) = list().filter(|(_, list)| is_headless(root) && is_list(list)) else {
        return vec![document];
    };
    let place = |node: &Node| document.place(node.span.first_line(document.source.text()));
    let Selection { read, skipped, refusal } = (shape.select)(list.items());
    for (number, message, help) in skipped {
        let node = list.items().get(number).unwrap_or(list);
        let finding = Diagnostic::info(Code::DuplicateDocument, place(node), message);
        findings.push(finding.help(help));
    }
    if let Some([message, help]) = refusal {
        findings.push(Diagnostic::error(Code::NoDocument, place(list), message).help(help));
    }
    let items = read.into_iter().filter_map(|number| list.items().get(number));
    items
        .map(|node| Document { source: Arc::clone(&document.source), root: node.clone() })
        .collect()
}
