//! The traits through which commands use a system.

use super::budget::{BudgetFailure, BudgetOptions, LayerBudget};
use super::compare::Treatment;
use super::convert::Conversion;
use super::coverage::{CoverageTarget, ExampleFailures};
use super::description::Description;
use super::limit::Limit;
use super::lint::Bounds;
use super::{Identity, Options};
use armada_retry::policy::RetryPolicy;
use document::Document;
use document::diag::Findings;
use document::units::Time;
use replay::history::{Member, PairFault, RecordFields, Run};
use replay::simulate::{Engine, RuleLabel, VariantEngine};
use serde_json::Value;

/// A rule that was compared with one failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The rule, or the default.
    pub rule: RuleLabel,
    /// Whether it matches.
    pub matched: bool,
    /// The matched parts, or why the rule does not match.
    pub why: String,
}

/// The reason why the policies cannot judge a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedRecord {
    /// The missing part.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// A system: its engine, its description, and checks of its histories.
pub trait System: Engine {
    /// The names of it and its parts in texts, and the documents with its policies.
    const DESCRIPTION: &'static Description;

    /// Returns the bounds on records of a history without policies; `None` if only policies imply bounds.
    fn default_limits() -> Option<<Self::Fields as RecordFields>::Limits> {
        None
    }

    /// Returns findings about all members of a history.
    fn check_members(_members: &[Member<Self::Fields>]) -> Findings {
        Findings::new()
    }

    /// Compares all rules with the run of a member, in order, then the default; `state` is that of its unit
    /// before the run is judged.
    fn trace(
        &self,
        state: &Self::State,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
    ) -> Vec<Tried>;
}

impl<E: System> System for VariantEngine<E> {
    const DESCRIPTION: &'static Description = E::DESCRIPTION;

    fn default_limits() -> Option<<Self::Fields as RecordFields>::Limits> {
        E::default_limits()
    }

    fn check_members(members: &[Member<Self::Fields>]) -> Findings {
        E::check_members(members)
    }

    /// Without retries no rule is compared.
    fn trace(
        &self,
        state: &Self::State,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
    ) -> Vec<Tried> {
        state.system().map_or_else(Vec::new, |state| self.system().trace(state, member, run))
    }
}

/// A system whose engine is made of manifests alone. This is every system except Armada, whose engine also
/// depends on queues, on the scheduler configuration and on reloads.
pub trait ManifestSystem: System {
    /// The contents of a manifest.
    type Manifest: Clone + Send + Sync;

    /// The limits that a sweep sets.
    const LIMITS: &'static [Limit] = &[];

    /// The correction of retries that never succeed, of a rule or without one.
    const FUTILE_RETRIES_HELP: &'static str = "lower the limit";

    /// Reads a manifest; `None` if it has errors. The findings include all errors that its API server
    /// reports.
    fn read(
        document: &Document,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<Self::Manifest>;

    /// Returns the findings about documents that some documents of the system refer to, and that are not among them.
    fn absent_documents(_documents: &[&Document]) -> Findings {
        Findings::new()
    }

    /// Returns the unit of a manifest; its name is empty if the manifest has none, or applies to all units.
    fn unit(manifest: &Self::Manifest) -> Identity<'_>;

    /// Returns the identity of the manifest that a recorded unit belongs to.
    fn identity_of_unit(unit: &str) -> Identity<'_> {
        Identity::from_unit(unit)
    }

    /// Creates the engine over some manifests. The manifest with a unit's namespace and name applies to it,
    /// or the only one. A profile applies to all units: the first is used.
    fn engine(manifests: Vec<Self::Manifest>, options: &Options) -> Self;

    /// Returns the defaults of a unit for fields that are missing in the record of a failure.
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

    /// Returns the values of a key of `--failure` that rules name.
    fn listed_values(&self, _key: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns why the manifests cannot judge some record, if there is one.
    fn unsupported_record(&self, members: &[Member<Self::Fields>]) -> Option<UnsupportedRecord>;

    /// Sets the retries of a unit before the end of this run, the only known one. Nothing is assumed about
    /// its other members.
    fn with_retries_used(&self, state: &mut Self::State, run: &Run<Self::Fields>, retries: u32);

    /// Returns whether a manifest grants a retry of any failure.
    fn can_retry(manifest: &Self::Manifest) -> bool;

    /// Returns the lints' findings about the rules of a manifest.
    fn lint(_document: &Document, _manifest: &Self::Manifest, _bounds: &Bounds) -> Findings {
        Findings::new()
    }

    /// Returns the budgets of the pods, or tries, of a manifest: the layers that retry a failure, or each failure that it
    /// decides differently. A system without them has none.
    fn budgets(
        _manifest: &Self::Manifest,
        _failure: Option<&BudgetFailure>,
        _options: &BudgetOptions,
    ) -> Vec<LayerBudget> {
        Vec::new()
    }

    /// Returns what tests cover of a manifest: its rules, defaults and limits, with their places.
    fn targets(document: &Document, manifest: &Self::Manifest) -> Vec<CoverageTarget>;

    /// Returns failures that reach them, for generated tests.
    fn examples(manifest: &Self::Manifest) -> Vec<ExampleFailures>;

    /// Returns failures that represent all failures: those that are treated as one of them in each version. Shorter texts and
    /// fewer fields come first.
    ///
    /// # Errors
    ///
    /// If there is no such list: the reason.
    fn representatives(_versions: [&Self; 2]) -> Result<Vec<Value>, String> {
        Err(format!("{} is not compared", Self::DESCRIPTION.name))
    }

    /// Returns how the only manifest treats a failure.
    fn treatment(&self, _run: &Run<Self::Fields>) -> Treatment {
        Treatment { rule: None, action: String::new(), is_counted: true }
    }

    /// Returns all on which decisions depend beside the treatment of failures: limits, waits, the profile. Versions with equal
    /// ones that treat all failures alike decide alike.
    fn parameters(&self) -> Value {
        Value::Null
    }

    /// Returns what differs between two versions and shows only in histories that the comparison leaves out, such as a deadline.
    fn incomparable(_versions: [&Self; 2]) -> Option<String> {
        None
    }

    /// Returns the part of the manifest that decides about all failures of a unit with a representative: a unit has failures of
    /// one part.
    fn part_of(_representative: &Value) -> String {
        String::new()
    }

    /// Returns what stays undecided between two versions with different parameters if no sequence of the representatives is
    /// decided otherwise: differences that show only in histories that the search leaves out.
    fn undecided(_versions: [&Self; 2]) -> Option<String> {
        None
    }

    /// Returns all in the state of a unit on which further decisions depend if its next run starts at a time, with counts that are
    /// cut off where they no longer matter; `None` if these are the numbers of failures by their treatment.
    fn progress(&self, _state: &Self::State, _time: Time) -> Option<Vec<u64>> {
        None
    }

    /// Returns what happens to the other members of a unit after a decision with this code; empty if the units of both versions
    /// have no others, or if they go on. It depends on both versions, so that equal decisions have equal consequences.
    fn others_after(_versions: [&Self; 2], _code: &str) -> &'static str {
        ""
    }

    /// Returns exits of containers that are restarted in place by fields of their own, so that their pod does not fail, as failures
    /// whose record a release without these fields would have.
    fn exits_in_place(_manifest: &Self::Manifest) -> Vec<Value> {
        Vec::new()
    }

    /// Converts a manifest to Armada policies; `None` if no policy can have its name.
    fn to_v1(
        document: &Document,
        manifest: &Self::Manifest,
    ) -> Option<Conversion<Vec<RetryPolicy>>>;

    /// Converts an Armada policy to a manifest.
    fn from_v1(policy: &RetryPolicy) -> Conversion<Value>;
}
