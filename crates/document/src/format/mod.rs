//! The canonical layout of a document: indentation, order of keys, spellings. Values and comments stay.
//!
//! The layout:
//!
//! - 2 spaces for a level; the items of a list in the column of their key, as `get -o yaml` prints them
//! - keys in the order of the shape, those that it lacks after them
//! - `{a: b, c: [1, 2]}` in brackets on one line. A collection in brackets on several lines is joined if it has no comments
//!   and fits in `WIDTH` columns, and is written in block style otherwise
//! - at most one blank line between entries, and none at the start and end of a block
//! - keys in the case of the shape, and choices and whole numbers in the spelling of the shape
//! - quotes and the lines of block scalars stay as they are, and so does JSON apart from its line breaks
//!
//! A comment at the end of a line stays there. Comment lines belong to the entry below and move with it, except those that
//! are indented further than the entry above and belong to that, and those at the top of the document, which stay there.
//! Documents with anchors keep the order of their keys.
//!
//! Nothing is written that has not been compared: the new text has the same values and comments, or there is none.

mod brackets;
mod canonical;
mod children;
mod compare;
mod formatted;
mod gap;
mod print;
mod printer;
#[cfg(test)]
mod tests;

use super::{Document, Layout, Limits, parse};
use crate::diag::Source;
pub use formatted::Formatted;

use canonical::canonical;
use compare::is_same;
use print::print;
use std::sync::Arc;

/// The text with those documents in the canonical layout for which `kind_of` returns a kind. Other documents stay as they
/// are, byte for byte. `kind_of` is called with the documents in reverse order.
///
/// # Errors
///
/// The documents that cannot be changed safely, and the text without changes of them.
pub fn format(
    source: &Arc<Source>,
    mut kind_of: impl FnMut(&Document) -> Option<Formatted>,
) -> (String, Vec<Document>) {
    let (documents, findings) = parse(source, Limits::POLICY);
    let Some(layout) = Layout::of(source, Limits::POLICY).filter(|_| !findings.has_errors()) else {
        return (source.text().to_owned(), documents);
    };
    let mut text = source.text().to_owned();
    let mut unsafe_documents = Vec::new();
    // From the last document to the first, so that the places of the others stay.
    for document in documents.iter().rev() {
        let Some(kind) = kind_of(document) else { continue };
        let at = document.root.span.start;
        let place = layout.documents.iter().find(|one| one.span.range().contains(&at));
        let canonical = canonical(document, kind);
        let new =
            place.and_then(|place| Some((place, print(&layout, place, kind.shape, &canonical)?)));
        match new {
            Some((place, new)) if is_same(&layout, place, &canonical.root, &new) => {
                text.replace_range(place.span.range(), &new);
            }
            _ => unsafe_documents.push(document.clone()),
        }
    }
    unsafe_documents.reverse();
    (text, unsafe_documents)
}
