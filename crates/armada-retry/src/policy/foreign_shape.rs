//! Documents without `apiVersion` and `kind`, which are recognized by their fields.
//!
//! A service such as AWS Batch takes documents that name no kind. Its system lists the fields by which they are
//! recognized ([`ForeignShape`]). Documents with an `apiVersion` or a `kind` are never recognized by fields.

use super::documents::{ForeignShape, OtherDocument};
use super::file::Reader;
use super::foreign_items::{is_headless, shapes};
use document::diag::{Code, Diagnostic};
use document::{Document, Node};

impl ForeignShape {
    fn has(&self, root: &Node) -> bool {
        self.fields.iter().any(|fields| fields.iter().all(|field| root.get(field).is_some()))
    }
}

impl Reader {
    /// Takes a document that is recognized by its fields; returns any other.
    pub(super) fn read_by_shape(&mut self, document: Document) -> Option<Document> {
        let root = &document.root;
        if !is_headless(root) {
            return Some(document);
        }
        let refusal = shapes(self.foreign).find_map(|(_, shape)| (shape.refusal)(root));
        if let Some([message, help]) = refusal {
            if self.may_skip(&document.source) {
                return Some(document);
            }
            let place = document.place(root.span.first_line(document.source.text()));
            let finding = Diagnostic::error(Code::UnknownDocument, place, message).help(help);
            self.findings.push(finding);
            return None;
        }
        let Some((kind, _)) = shapes(self.foreign).find(|(_, shape)| shape.has(root)) else {
            return Some(document);
        };
        self.documents.others.push(OtherDocument { kind, document });
        None
    }

    /// The foreign kinds that documents name.
    pub(super) fn named_kinds(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.foreign.iter().filter(|one| one.shape.is_none()).map(|one| one.kind)
    }
}
