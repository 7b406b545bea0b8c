//! The common shape of `RetryProfile` documents: the fields around a policy of a system that has no manifest
//! of its own.
//!
//! `spec.system` names the system. Each of those systems has its own shape, made of the fields here and its
//! fields of `spec`.

use document::{Document, Field, Kind, Node, Shape, required, shapes};

/// The kind of these documents.
pub const KIND: &str = "RetryProfile";
/// The version of these documents.
pub const VERSION: &str = "armadaproject.io/v1";

/// A system's `RetryProfile`.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The value of `spec.system`.
    pub system: &'static str,
    /// The system, in a sentence.
    pub doc: &'static str,
    /// The shape of the document.
    pub shape: &'static Shape,
}

/// The field `apiVersion`.
pub const API_VERSION: Field =
    required("apiVersion", Kind::Exactly(VERSION), "The form: armadaproject.io/v1.");
/// The field `kind`.
pub const KIND_FIELD: Field = required("kind", Kind::Exactly(KIND), "The kind: RetryProfile.");
/// The field `metadata`.
pub const METADATA: Field =
    required("metadata", Kind::Object(&METADATA_SHAPE), "The profile's name.");

shapes! {
    #[doc = "What identifies the profile."]
    static METADATA_SHAPE = "metadata" {
        /// The name in reports: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.
        required name: Kind::Name,
        /// Anything; it is ignored.
        optional labels: Kind::Map(&Kind::Text),
        /// Anything; it is ignored.
        optional annotations: Kind::Map(&Kind::Text),
    }
}

/// Returns the system that a document names, if any.
pub fn system(document: &Document) -> Option<&str> {
    document.root.at(&["spec", "system"]).and_then(Node::text)
}

/// Returns the name of a document; empty if absent.
pub fn name(document: &Document) -> &str {
    document.root.at(&["metadata", "name"]).and_then(Node::text).unwrap_or_default()
}
