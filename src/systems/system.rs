//! What commands need of a system, whichever it is.

use super::profile::{self, Profile};
use super::{Identity, Options, airflow, backendai, iris};
use crate::diag::Findings;
use crate::document::Document;
use crate::history::{Member, MemberRun, PairFault};
use crate::policy::{Foreign, Other};
use crate::simulate::{RuleLabel, Units};

/// The kinds of manifest there are.
pub const MANIFESTS: &[Foreign] = &[
    Foreign { kind: "JobSet", versions: &["jobset.x-k8s.io/v1alpha2"] },
    Foreign { kind: "Job", versions: &["batch/v1"] },
    Foreign { kind: profile::KIND, versions: &[profile::VERSION] },
];

/// The systems that have no manifest of their own, and their documents.
pub const PROFILES: &[Profile] = &[
    Profile { system: "iris", shape: &iris::PROFILE },
    Profile { system: "backendai", shape: &backendai::PROFILE },
    Profile { system: "airflow", shape: &airflow::PROFILE },
];

/// What people call the things of a system.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// What holds its policies: `Job`, or `RetryProfile of iris`.
    pub manifest: &'static str,
    /// Whose a history is: `a Job's`.
    pub whose: &'static str,
    /// A unit: `Job`.
    pub unit: &'static str,
    /// A unit's members: `pods`.
    pub members: &'static str,
}

/// A rule, tried against one failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The rule, or the default.
    pub rule: RuleLabel,
    /// Whether it matches.
    pub matched: bool,
    /// What matched, or what does not hold.
    pub why: String,
}

/// Why a record cannot be judged by the manifests that are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// What is missing.
    pub message: String,
    /// The way out.
    pub help: String,
}

/// A system: its manifests, and the engine that is made of them.
pub trait System: Units + Sized {
    /// What a manifest says.
    type Manifest: Clone + Send + Sync;

    /// The kind of its manifests.
    const KIND: &'static str;
    /// Which system it is among those that have a `RetryProfile`; none if it has manifests of its
    /// own.
    const PROFILE: Option<&'static str> = None;
    /// What people call its things.
    const WORDS: Words;

    /// What waits are made of that [`guesses`](crate::simulate::Described::guesses) tells of, as a
    /// note says it; empty where there are none such.
    const GUESSED: &'static str = "";

    /// Whether a document is a manifest of this system.
    fn holds(other: &Other) -> bool {
        let named = || profile::system(&other.document);
        other.kind == Self::KIND && Self::PROFILE.is_none_or(|system| named() == Some(system))
    }

    /// Reads a manifest, and says everything that the API server would refuse in it.
    fn read(
        document: &Document,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<Self::Manifest>;

    /// What the unit is called that a manifest is of; its name is empty if it has none, or if it is
    /// of every unit.
    fn unit(manifest: &Self::Manifest) -> Identity<'_>;

    /// The engine over some manifests. A unit is judged by the manifest of its namespace and name,
    /// or by the only one. A profile is of every unit: the first is taken.
    fn over(manifests: Vec<Self::Manifest>, options: &Options) -> Self;

    /// What is taken for granted of a unit's failure of which these pairs are given: more pairs.
    ///
    /// # Errors
    ///
    /// If something has to be said that is not.
    fn supposed(
        &self,
        _unit: &str,
        _given: &[(String, String)],
    ) -> Result<Vec<(String, String)>, PairFault> {
        Ok(Vec::new())
    }

    /// Why some record cannot be judged by the manifests, if one cannot.
    fn unjudged(&self, members: &[Member<Self::Own>]) -> Option<Unjudged>;

    /// Lets a unit have had so many retries before the end of this run, of which alone something is
    /// known: nothing is taken for granted of its other members.
    fn spend(&self, state: &mut Self::State, run: &MemberRun<Self::Own>, retries: u32);

    /// Every rule that is tried for the run of a member, in order, then the default; `state` is its
    /// unit's before the run is judged.
    fn trace(
        &self,
        state: &Self::State,
        member: &Member<Self::Own>,
        run: &MemberRun<Self::Own>,
    ) -> Vec<Tried>;
}
