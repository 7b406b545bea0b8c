//! What all `RetryProfile` documents have in common: the frame around a policy of a system that has
//! no manifest of its own.
//!
//! `spec.system` says whose policy it is; each of those systems describes a document of its own,
//! out of the fields here and what stands under `spec`. A document that names no system is
//! nobody's, and is held against the frame alone.

use super::PROFILES;
use crate::diag::Findings;
use crate::document::{
    Choices, Document, Extra, Field, KeyCase, Kind, Node, Shape, check, choice, optional, required,
};

/// The kind of these documents.
pub const KIND: &str = "RetryProfile";
/// Their version.
pub const VERSION: &str = "armadaproject.io/v1";

/// A system's `RetryProfile`.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The value of `spec.system`.
    pub system: &'static str,
    /// The document.
    pub shape: &'static Shape,
}

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

/// What can be said of a profile of no known system.
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
    fields: &[required("system", Kind::OneOf(&SYSTEMS), "The system whose policy it is.")],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static SYSTEMS: Choices = Choices {
    name: "system",
    values: &[
        choice("iris", "Iris, the job system of Marin: jobs of tasks with two budgets each."),
        choice(
            "backendai",
            "The BEP-1053 draft of session retry for Backend.AI, which was not built.",
        ),
        choice("airflow", "Apache Airflow: task instances that are tried again."),
    ],
    any_case: false,
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

/// Says what is wrong with a profile that is of no known system. Of others it says nothing: those
/// are read by their systems.
pub fn refuse_unknown(document: &Document, findings: &mut Findings) {
    let named = system(document);
    if PROFILES.iter().all(|profile| named != Some(profile.system)) {
        check(&document.source, &document.root, &FRAME, KeyCase::Exact, findings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_names_the_systems_that_are_read() {
        let named: Vec<&str> = SYSTEMS.values.iter().map(|choice| choice.value).collect();
        let read: Vec<&str> = PROFILES.iter().map(|profile| profile.system).collect();
        assert_eq!(named, read);
    }
}
