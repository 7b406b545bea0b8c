//! What all `RetryProfile` documents have in common: the frame around a policy of a system that has
//! no manifest of its own.
//!
//! `spec.system` says whose policy it is; each of those systems describes a document of its own,
//! out of the fields here and what stands under `spec`.

use crate::document::{Document, Extra, Field, Kind, Node, Shape, optional, required};

/// The kind of these documents.
pub const KIND: &str = "RetryProfile";
/// Their version.
pub const VERSION: &str = "armadaproject.io/v1";

/// `apiVersion`.
pub const API_VERSION: Field =
    required("apiVersion", Kind::Exactly(VERSION), "The form: armadaproject.io/v1.");
/// `kind`.
pub const KIND_FIELD: Field = required("kind", Kind::Exactly(KIND), "The kind: RetryProfile.");
/// `metadata`.
pub const METADATA: Field =
    required("metadata", Kind::Object(&METADATA_SHAPE), "The profile's name.");

static METADATA_SHAPE: Shape = Shape {
    name: "metadata",
    doc: "What identifies the profile.",
    fields: &[
        required(
            "name",
            Kind::Name,
            "The name in reports: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.",
        ),
        optional("labels", Kind::Map(&Kind::Text), "Anything; it is not looked into."),
        optional("annotations", Kind::Map(&Kind::Text), "Anything; it is not looked into."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// The system that a document names; nothing if it names none.
pub fn system(document: &Document) -> Option<&str> {
    document.root.at(&["spec", "system"]).and_then(Node::text)
}

/// What a document is called; empty if it does not say.
pub fn name(document: &Document) -> &str {
    document.root.at(&["metadata", "name"]).and_then(Node::text).unwrap_or_default()
}
