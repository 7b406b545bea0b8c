//! The description of a system: what texts call it and its parts, and which documents hold its policies.

use super::profile::{self, Profile};
use crate::policy::{ForeignKind, OtherDocument};

/// A system in texts and documents.
#[derive(Debug)]
pub struct Description {
    /// What its engines' names in reports begin with: `iris` of `iris/seed`.
    pub engine: &'static str,
    /// Its name in conversions: `Job`, `the BEP-1053 draft`.
    pub name: &'static str,
    /// The documents that hold its policies.
    pub documents: PolicyDocuments,
    /// What texts call such a document: `Job`, `RetryProfile of iris`.
    pub manifest: &'static str,
    /// The possessive of its units in the name of a history: `a Job's`.
    pub possessive: &'static str,
    /// A unit: `Job`.
    pub unit: &'static str,
    /// A unit at the beginning of a timeline: `Job`, `Iris job`.
    pub title: &'static str,
    /// A unit's members: `pods`.
    pub members: &'static str,
    /// Whether its policies are lists of rules, of which one or a default decides.
    pub has_rules: bool,
    /// The draft that its engine follows, if no release has it.
    pub draft: Option<Draft>,
    /// What waits are computed from where [`uses_substitute_id`](crate::simulate::Engine::uses_substitute_id)
    /// holds; empty if it never does.
    pub substituted_ids: &'static str,
    /// Fields by which a document with a history is recognized as this system's.
    pub history_fields: &'static [&'static str],
    /// Its conversions; none for Armada, whose forms all conversions go through.
    pub conversions: Option<Conversions>,
}

/// A draft that no release follows.
#[derive(Debug, Clone, Copy)]
pub struct Draft {
    /// Its name: `BEP-1053 draft`.
    pub name: &'static str,
    /// The name and its state, in a sentence.
    pub sentence: &'static str,
}

/// The documents that hold a system's policies.
#[derive(Debug, Clone, Copy)]
pub enum PolicyDocuments {
    /// Armada's own, which [`crate::policy`] reads.
    Policies,
    /// Manifests of Kubernetes.
    Manifests(ForeignKind),
    /// [`Profile`]s.
    Profiles(Profile),
}

/// The conversions of a system's policies.
#[derive(Debug)]
pub struct Conversions {
    /// The system as a target on the command line: `jobset`.
    pub target: &'static str,
    /// What the target is.
    pub help: &'static str,
    /// Why `v1beta1` is not converted to it.
    pub from_v1beta1: &'static str,
    /// Why it is not converted to `v1beta1`.
    pub to_v1beta1: &'static str,
    /// Why it is not converted to another system, by target, where there is a better reason than that all
    /// conversions go through `v1`.
    pub to_others: &'static [(&'static str, Obstacle)],
}

/// Why a conversion between two systems is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No conversion is needed.
    Unneeded(&'static str),
    /// The two differ too much; by way of `v1` something is left.
    Difference(&'static str),
}

impl Description {
    /// Whether its policies are Armada's.
    pub fn is_armada(&self) -> bool {
        matches!(self.documents, PolicyDocuments::Policies)
    }

    /// Whether a document holds a policy of the system. Armada's own are never foreign documents.
    pub fn has_document(&self, other: &OtherDocument) -> bool {
        match self.documents {
            PolicyDocuments::Policies => false,
            PolicyDocuments::Manifests(foreign) => other.kind == foreign.kind,
            PolicyDocuments::Profiles(known) => {
                other.kind == profile::KIND
                    && profile::system(&other.document) == Some(known.system)
            }
        }
    }

    /// Whether its policies are manifests of Kubernetes.
    pub fn is_of_kubernetes(&self) -> bool {
        matches!(self.documents, PolicyDocuments::Manifests(_))
    }

    /// The kind of its documents.
    pub fn kind(&self) -> &'static str {
        match self.documents {
            PolicyDocuments::Policies => "RetryPolicy",
            PolicyDocuments::Manifests(foreign) => foreign.kind,
            PolicyDocuments::Profiles(_) => profile::KIND,
        }
    }

    /// Its `RetryProfile`, if it has no manifest of its own.
    pub const fn profile(&self) -> Option<Profile> {
        match self.documents {
            PolicyDocuments::Profiles(profile) => Some(profile),
            _ => None,
        }
    }

    /// An engine of the system as the heading of a timeline names it.
    pub fn engine_title(&self, engine: &str) -> String {
        match self.draft {
            Some(draft) => format!("{engine}: {}", draft.name),
            None => engine.to_owned(),
        }
    }
}
