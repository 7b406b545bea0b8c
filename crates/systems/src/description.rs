//! The description of a system: the names of it and its parts in texts, and the documents with its policies.

use super::decision_fields::{DecisionColumn, DecisionField};
use super::profile::{self, Profile};
use armada_retry::policy::{ForeignKind, OtherDocument};
use document::{Document, Node};
use schemars::{Schema, SchemaGenerator};

/// A system in texts and documents.
#[derive(Debug)]
pub struct Description {
    /// Its name where users choose a system: `iris`.
    pub id: &'static str,
    /// The names of its engines in reports, without profiles: `v1` and `v1beta1`, `iris` of `iris/seed`. The first
    /// one is the system's in partial results.
    pub engines: &'static [&'static str],
    /// The name in conversions: `Job`, `the BEP-1053 draft`.
    pub name: &'static str,
    /// The documents with its policies.
    pub documents: PolicyDocuments,
    /// The name of such a document: `Job`, `RetryProfile of iris`.
    pub manifest: &'static str,
    /// The policy with which a history without policies is replayed; `None` if the engine needs none.
    pub placeholder_policy: Option<&'static str>,
    /// The possessive of its units in the name of a history: `a Job's`.
    pub possessive: &'static str,
    /// The name of a unit: `Job`.
    pub unit: &'static str,
    /// The name of a unit at the beginning of a timeline: `Job`, `Iris job`.
    pub title: &'static str,
    /// The name of a unit's members: `pods`.
    pub members: &'static str,
    /// Whether a policy is a list of rules, of which one or a default decides.
    pub has_rules: bool,
    /// Whether several policies can apply to one unit, so that rules are named with their policies.
    pub combines_policies: bool,
    /// The fields that its decisions have beside those of all systems, as tests expect them.
    pub decision_fields: &'static [DecisionField],
    /// The schema of these fields in reports.
    pub decision_schema: fn(&mut SchemaGenerator) -> Schema,
    /// The columns that its timelines have beside those of all systems.
    pub columns: &'static [DecisionColumn],
    /// Whether columns that other systems' timelines omit if all their cells are empty stay, such as `AVOID` and `POD`.
    pub keeps_empty_columns: bool,
    /// The names of disruptions in its policies.
    pub disruptions: DisruptionMatchers,
    /// The draft that its engine follows, if no release implements it.
    pub draft: Option<Draft>,
    /// The inputs of a delay for which [`guessed_wait`](replay::simulate::DecisionFacts::guessed_wait) is
    /// true; empty if it never is.
    pub substituted_ids: &'static str,
    /// The parts of failures that records lack where [`lacks_facts`](replay::simulate::DecisionFacts::lacks_facts) is
    /// true; empty if it never is.
    pub missing_facts: &'static str,
    /// Fields by which a document with a history is recognized as this system's.
    pub history_fields: &'static [&'static str],
    /// The words in its decisions.
    pub words: Words,
    /// The conversions; `None` for Armada, whose forms all conversions use.
    pub conversions: Option<Conversions>,
}

/// The names of disruptions in the policies of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisruptionMatchers {
    /// Conditions of runs: `Evicted`.
    Conditions,
    /// Conditions of pods: `DisruptionTarget`.
    PodConditions,
    /// None.
    None,
}

/// The words in the decisions of a system, which tests of policies expect.
#[derive(Debug)]
pub struct Words {
    /// The action that `explain decision` paints as good, and all others as bad; without one it paints none.
    pub retry: Option<&'static str>,
    /// The actions.
    pub actions: &'static [&'static str],
    /// The codes.
    pub decisions: &'static [&'static str],
    /// Where limits come from.
    pub limit_sources: &'static [&'static str],
}

/// A draft that no release implements.
#[derive(Debug, Clone, Copy)]
pub struct Draft {
    /// The name: `BEP-1053 draft`.
    pub name: &'static str,
    /// The name and its state, in a sentence.
    pub sentence: &'static str,
}

/// The documents with a system's policies.
#[derive(Debug, Clone, Copy)]
pub enum PolicyDocuments {
    /// Armada's policies, which [`armada_retry::policy`] reads.
    Policies,
    /// Manifests of Kubernetes, of one or several kinds.
    Manifests(&'static [ForeignKind]),
    /// [`Profile`]s.
    Profiles(Profile),
    /// Documents of a service that have no `apiVersion` and no `kind`.
    Definitions(&'static [ForeignKind]),
}

/// The conversions of a system's policies.
#[derive(Debug)]
pub struct Conversions {
    /// The system as a target on the command line: `jobset`.
    pub target: &'static str,
    /// A description of the target.
    pub help: &'static str,
    /// The reason why `v1beta1` is not converted to the system.
    pub from_v1beta1: &'static str,
    /// The reason why the system is not converted to `v1beta1`.
    pub to_v1beta1: &'static str,
    /// The reasons why the system is not converted to others, by target, if they are more specific than that
    /// all conversions use `v1`.
    pub to_others: &'static [(&'static str, Obstacle)],
}

/// The reason why a conversion between two systems is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No conversion is needed.
    Unneeded(&'static str),
    /// The systems differ too much; a conversion by way of `v1` keeps a part.
    Difference(&'static str),
}

impl Description {
    /// Returns whether a document is a policy of the system. Armada's own are never foreign documents.
    pub fn has_document(&self, other: &OtherDocument) -> bool {
        match self.documents {
            PolicyDocuments::Policies => false,
            PolicyDocuments::Manifests(kinds) | PolicyDocuments::Definitions(kinds) => {
                kinds.iter().any(|it| it.kind == other.kind)
            }
            PolicyDocuments::Profiles(known) => {
                other.kind == profile::KIND
                    && profile::system(&other.document) == Some(known.system)
            }
        }
    }

    /// Returns whether the policies are manifests of Kubernetes.
    pub fn is_of_kubernetes(&self) -> bool {
        matches!(self.documents, PolicyDocuments::Manifests(_))
    }

    /// Returns whether one document applies to all units, whatever its name.
    pub fn applies_to_all_units(&self) -> bool {
        matches!(self.documents, PolicyDocuments::Profiles(_) | PolicyDocuments::Definitions(_))
    }

    /// Returns the node with the name of a document.
    pub fn name_node<'d>(&self, document: &'d Document) -> Option<&'d Node> {
        if let PolicyDocuments::Definitions([ForeignKind { shape: Some(shape), .. }, ..]) =
            self.documents
        {
            return shape.name.iter().find_map(|key| document.root.get(key));
        }
        let metadata = document.root.get("metadata")?;
        metadata.get("name").or_else(|| metadata.get("generateName"))
    }

    /// Returns the kind of the documents, of several the first.
    pub fn kind(&self) -> &'static str {
        match self.documents {
            PolicyDocuments::Policies => "RetryPolicy",
            PolicyDocuments::Manifests(kinds) | PolicyDocuments::Definitions(kinds) => {
                kinds.first().map_or(self.manifest, |it| it.kind)
            }
            PolicyDocuments::Profiles(_) => profile::KIND,
        }
    }

    /// Returns the `RetryProfile`, if the system has no manifest of its own.
    pub const fn profile(&self) -> Option<Profile> {
        match self.documents {
            PolicyDocuments::Profiles(profile) => Some(profile),
            _ => None,
        }
    }

    /// Returns the name of an engine for the heading of a timeline.
    pub fn engine_title(&self, engine: &str) -> String {
        match self.draft {
            Some(draft) => format!("{engine}: {}", draft.name),
            None => engine.to_owned(),
        }
    }
}
