//! The traits through which commands use a system.

use super::convert::Conversion;
use super::description::Description;
use super::{Identity, Options};
use crate::diag::Findings;
use crate::document::Document;
use crate::history::{Member, PairFault, RecordFields, Run};
use crate::policy::RetryPolicy;
use crate::simulate::{Engine, RuleLabel};
use serde_json::Value;

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

/// Why the policies cannot judge a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedRecord {
    /// What is missing.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// A system: its engine, its description, and checks of its histories.
pub trait System: Engine {
    /// What texts call it and its parts, and which documents hold its policies.
    const DESCRIPTION: &'static Description;

    /// The bounds on records of a history without policies; `None` if only policies imply bounds.
    fn default_limits() -> Option<<Self::Fields as RecordFields>::Limits> {
        None
    }

    /// Findings about all members of a history.
    fn check_members(_members: &[Member<Self::Fields>]) -> Findings {
        Findings::new()
    }
}

/// A system whose engine is made of manifests alone: each but Armada, whose engine also depends on queues, on
/// the scheduler configuration and on reloads.
pub trait ManifestSystem: System {
    /// The contents of a manifest.
    type Manifest: Clone + Send + Sync;

    /// Reads a manifest; nothing if it has errors. The findings include all errors of its API server.
    fn read(
        document: &Document,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<Self::Manifest>;

    /// The unit of a manifest; its name is empty if the manifest has none, or applies to all units.
    fn unit(manifest: &Self::Manifest) -> Identity<'_>;

    /// The engine over some manifests. A unit is judged by the manifest of its namespace and name, or by the
    /// only one. A profile applies to all units: the first is used.
    fn engine(manifests: Vec<Self::Manifest>, options: &Options) -> Self;

    /// Further fields of the record of a failure of which these are given: the defaults of a unit.
    ///
    /// # Errors
    ///
    /// If a field without a default is missing.
    fn default_args(
        &self,
        _unit: &str,
        _given: &[(String, String)],
    ) -> Result<Vec<(String, String)>, PairFault> {
        Ok(Vec::new())
    }

    /// Why the manifests cannot judge some record, if there is one.
    fn unsupported_record(&self, members: &[Member<Self::Fields>]) -> Option<UnsupportedRecord>;

    /// Sets the retries that a unit had before the end of this run, the only one that is known. Nothing is
    /// presumed of its other members.
    fn with_retries_used(&self, state: &mut Self::State, run: &Run<Self::Fields>, retries: u32);

    /// All rules that are tried for the run of a member, in order, then the default; `state` is that of its
    /// unit before the run is judged.
    fn trace(
        &self,
        state: &Self::State,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
    ) -> Vec<Tried>;

    /// Whether a manifest grants a retry of any failure.
    fn can_retry(manifest: &Self::Manifest) -> bool;

    /// Converts a manifest to policies of Armada; `None` if no policy can have its name.
    fn to_v1(
        document: &Document,
        manifest: &Self::Manifest,
    ) -> Option<Conversion<Vec<RetryPolicy>>>;

    /// Converts a policy of Armada to a manifest.
    fn from_v1(policy: &RetryPolicy) -> Conversion<Value>;
}
