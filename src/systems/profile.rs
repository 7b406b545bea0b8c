//! The common shape of `RetryProfile` documents: the fields around a policy of a system that has no manifest
//! of its own.
//!
//! `spec.system` names the system. Each of those systems has its own shape, made of the fields here and its
//! fields of `spec`. A document that names no known system is checked against the common fields only.

use super::SYSTEMS as REGISTRY;
use crate::diag::Findings;
use crate::document::{
    Choice, Choices, Document, Extra, Field, KeyCase, Kind, Node, Shape, check, choice, optional,
    required,
};

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

static METADATA_SHAPE: Shape = Shape {
    name: "metadata",
    doc: "What identifies the profile.",
    fields: &[
        required(
            "name",
            Kind::Name,
            "The name in reports: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.",
        ),
        optional("labels", Kind::Map(&Kind::Text), "Anything; it is ignored."),
        optional("annotations", Kind::Map(&Kind::Text), "Anything; it is ignored."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// The shape of a profile that names no known system.
static FRAME: Shape = Shape {
    name: KIND,
    doc: "The retry policy of a system that has no manifest of its own.",
    fields: &[
        API_VERSION,
        KIND_FIELD,
        METADATA,
        required("spec", Kind::Object(&SPEC), "The system, and its policy."),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC: Shape = Shape {
    name: "spec",
    doc: "The system, and its policy.",
    fields: &[required("system", Kind::OneOf(&SYSTEMS), "The system that the policy is for.")],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static SYSTEMS: Choices = Choices {
    name: "system",
    values: CHOICES.0.split_at(CHOICES.1).0,
    any_case: false,
    elsewhere: &[],
};

const NO_CHOICE: Choice = choice("", "");

/// The systems with profiles, and their number.
const CHOICES: &([Choice; REGISTRY.len()], usize) = &{
    let (mut choices, mut count, mut at) = ([NO_CHOICE; REGISTRY.len()], 0, 0);
    while at < REGISTRY.len() {
        if let Some(profile) = REGISTRY[at].1.profile() {
            choices[count] = choice(profile.system, profile.doc);
            count += 1;
        }
        at += 1;
    }
    (choices, count)
};

/// Returns the system that a document names, if any.
pub fn system(document: &Document) -> Option<&str> {
    document.root.at(&["spec", "system"]).and_then(Node::text)
}

/// Returns the name of a document; empty if absent.
pub fn name(document: &Document) -> &str {
    document.root.at(&["metadata", "name"]).and_then(Node::text).unwrap_or_default()
}

/// Reports the errors of a profile that names no known system. Others are skipped: their systems read them.
pub fn refuse_unknown(document: &Document, findings: &mut Findings) {
    let named = system(document);
    if super::profiles().all(|profile| named != Some(profile.system)) {
        check(&document.source, &document.root, &FRAME, KeyCase::Exact, findings);
    }
}
