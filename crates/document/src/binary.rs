//! `!!binary`: bytes in Base64, which no field accepts and Go's reader refuses.

use super::{Document, Node, NodeKind};
use crate::diag::{Code, Diagnostic, Findings, Place};
use granit_parser::Tag;

/// Whether a tag is YAML's `!!binary`.
pub(super) fn is_binary(tag: &Tag) -> bool {
    let (handle, suffix) = tag.parts();
    suffix.strip_prefix("tag:yaml.org,2002:").unwrap_or(suffix) == "binary"
        && matches!(handle, "" | "tag:yaml.org,2002:")
}

/// The finding about bytes at a place.
pub(super) fn binary_finding(place: Place) -> Diagnostic {
    Diagnostic::error(Code::WrongType, place, "`!!binary` marks bytes, not text")
        .help("remove the tag, and write the text itself")
}

/// Reports the bytes in a document of a file that was found in a directory. In other files they are
/// reported during parsing; here that would be too early, as the file may be unrelated to the command.
pub fn refuse_bytes(document: &Document, findings: &mut Findings) {
    refuse_in(document, &document.root, findings);
}

fn refuse_in(document: &Document, node: &Node, findings: &mut Findings) {
    match &node.kind {
        NodeKind::Scalar(scalar) if scalar.is_bytes() => {
            findings.push(binary_finding(document.place(node.span)));
        }
        NodeKind::Scalar(_) => {}
        NodeKind::List(items) => {
            for item in items {
                refuse_in(document, item, findings);
            }
        }
        NodeKind::Map(entries) => {
            for entry in entries {
                refuse_in(document, &entry.value, findings);
            }
        }
    }
}
