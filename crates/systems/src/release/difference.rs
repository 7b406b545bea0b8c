//! The rows of the table: what a release decides otherwise than the one before.

use super::program::Program;
use super::version::Version;
use document::names;

names! {
    /// The kind of change that a row makes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DifferenceKind {
        /// A change of which failure is retried, how often, or after which wait.
        Decision = "decision",
        /// The fields that are accepted, refused, or dropped without an error.
        Validation = "validation",
        /// A reason, a record, or a rare course of events; decisions are the same.
        Note = "note",
    }
}

/// A difference between releases.
#[derive(Debug)]
pub struct Difference {
    /// The name of the row; it is unique.
    pub id: &'static str,
    /// The program.
    pub program: Program,
    /// The first version that has it.
    pub from: Version,
    /// The first version that does not have it any more.
    pub until: Option<Version>,
    /// The kind of change.
    pub kind: DifferenceKind,
    /// The difference in words: the versions of the row first, then those before it.
    pub sentence: &'static str,
    /// Where the rule was read: module, wheel or tag, file and function.
    pub source: &'static str,
    /// Effects of the versions before the row on fields that they do not have.
    pub effects: &'static [Effect],
    /// The fields that a document needs one of, beside those of `effects`, for the difference to concern it. If there are none and no
    /// effects, the row is compared for any document, and listed for none.
    pub needs: &'static [Needs],
    /// Failures that reach the difference, as fields of records.
    pub failures: &'static [&'static [&'static str]],
    /// Whether it changes waits only, and not which failure is retried.
    pub is_about_waits: bool,
    /// How the engines have it.
    pub model: Model,
}

impl Difference {
    /// A row of a program without effects, failures or a model, for the tables to complete.
    pub(super) const fn row_of(program: Program) -> Self {
        Self {
            id: "",
            program,
            from: Version::DESIGN,
            until: None,
            kind: DifferenceKind::Note,
            sentence: "",
            source: "",
            effects: &[],
            needs: &[],
            failures: &[],
            is_about_waits: false,
            model: Model::NotModelled("decisions are the same"),
        }
    }
}

impl Difference {
    /// Returns why a replay of a history does not have it, if it does not.
    pub fn reason_without_replay(&self) -> Option<&'static str> {
        match self.model {
            Model::Engine(_) => None,
            Model::InPlace(InPlace { reason, .. }) | Model::NotModelled(reason) => Some(reason),
        }
    }

    /// Returns whether it is about fields that one of the versions may refuse.
    pub(super) fn can_refuse(&self) -> bool {
        self.kind != DifferenceKind::Note && !(self.needs.is_empty() && self.effects.is_empty())
    }
}

/// Fields that a part of a document has all of.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// The part of the document that the paths begin in.
    pub of: Owner,
    /// The paths: `rules[].action`, `rules[].action=retry` for a value, `!rules` for a field that is absent.
    pub fields: &'static [&'static str],
}

impl Needs {
    /// Fields from the top of a document.
    pub(super) const fn in_document(fields: &'static [&'static str]) -> Self {
        Self { of: Owner::Document, fields }
    }

    /// Fields of the spec of a Job, alone or in a JobSet.
    pub(super) const fn in_job(fields: &'static [&'static str]) -> Self {
        Self { of: Owner::JobSpec, fields }
    }

    /// Fields of the spec of a JobSet.
    pub(super) const fn in_set(fields: &'static [&'static str]) -> Self {
        Self { of: Owner::SetSpec, fields }
    }
}

/// The effect of a version on a field that a later one has.
#[derive(Debug, Clone, Copy)]
pub struct Effect {
    /// The path of the field in a document of `of`; `[]` is every item of a list.
    pub path: &'static str,
    /// The documents that have it.
    pub of: Owner,
    /// The action.
    pub action: EffectAction,
}

/// The documents that a path begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The top of any document.
    Document,
    /// The spec of a Job, which a JobSet has for each replicated Job.
    JobSpec,
    /// The spec of a Job that is part of a JobSet.
    JobSpecOfSet,
    /// The spec of a JobSet.
    SetSpec,
}

/// An action on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectAction {
    /// It is removed without an error.
    Prune,
    /// One of these values is refused; any value if there are none.
    Refuse(&'static [&'static str]),
    /// It is refused if it has no key of this name.
    Require(&'static str),
}

/// How the engines have a difference.
#[derive(Debug, Clone, Copy)]
pub enum Model {
    /// The engines decide as the releases do: a policy whose decisions differ, its failures, and the decisions before and
    /// since.
    Engine(Example),
    /// An exit that the release before counts as a failed pod restarts its container in place. Histories do not have the exits in
    /// place, so that the comparison alone has them: the policy, the exit, and its decision before.
    InPlace(InPlace),
    /// They do not have it, for a reason.
    NotModelled(&'static str),
}

/// A policy and an exit that restarts a container in place.
#[derive(Debug, Clone, Copy)]
pub struct InPlace {
    /// The document.
    pub policy: &'static str,
    /// The exit, as fields of a record.
    pub exit: &'static str,
    /// The decision of the release before, or `refused`.
    pub before: &'static str,
    /// Why a replay of a history does not have it.
    pub reason: &'static str,
}

/// A policy and failures that two releases decide otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The document.
    pub policy: &'static str,
    /// The failures of its unit, as fields of records.
    pub failures: &'static [&'static str],
    /// The last decision of the release before.
    pub before: &'static str,
    /// The last decision of the first release that has the row.
    pub since: &'static str,
}

impl Difference {
    /// Returns whether a version has it.
    pub fn is_in(&self, version: Version) -> bool {
        version >= self.from && self.until.is_none_or(|until| version < until)
    }

    /// Returns pairs of neighbouring releases of the table of which one has it, the older first.
    pub fn boundaries(&self) -> impl Iterator<Item = (Version, Version)> {
        let program = self.program;
        [Some(self.from), self.until].into_iter().flatten().filter_map(move |version| {
            Some((program.release_before(version)?, program.release_since(version)?))
        })
    }
}
