//! The policies of a replay, of any system.

use super::SimulateArgs;
use super::facts::UnitCounts;
use crate::cli::Refusal;
use ::systems::System;
use anyhow::Result;
use borsh::{BorshDeserialize, BorshSerialize};
use replay::history::{History, Member, RecordFields};
use replay::simulate::{
    NoteReport, Observe, RunTransform, SimulationReport, Units, UnmatchedUnits,
};

/// The policies of a replay: one variant or several, all of one system.
pub(super) trait Policies: Sync {
    /// The system's engine.
    type Engine: System<Fields: RecordFields<Limits = Self::Limits>>;
    /// The bounds on records.
    type Limits: Clone;

    /// The variants' names.
    fn names(&self) -> Vec<&str>;

    /// The bounds on records that the policies imply.
    fn limits(&self) -> Self::Limits;

    /// Whether units can be judged run by run.
    fn can_stream(&self) -> bool;

    /// An engine for each variant, over the queues and reloads of the history.
    fn engines(&mut self, history: &Records<Self>) -> Vec<Self::Engine>;

    /// Whether policies are parts of manifests that name units.
    const NAMES_UNITS: bool = true;

    /// Whether no manifest of a variant, by its number, names a unit.
    fn is_unmatched(&self, _variant: usize, _unit: &str) -> bool {
        false
    }

    /// Puts kinds of units into an order that does not depend on the threads that found them.
    fn sort_kinds(&self, _kinds: &mut [MemberOf<Self>]) {}

    /// The most runs of which timelines may be written.
    fn expect_timelines(&self, _runs: u64) {}

    /// The change of runs when they are read, if there is one.
    fn transform(&self) -> Option<&RunTransform<FieldsOf<Self>>> {
        None
    }

    /// The consumer of valid runs, if there is one.
    fn observe(&self) -> Option<&Observe<'_, FieldsOf<Self>>> {
        None
    }

    /// Checks the units that were read, or kinds of them: an error if the policies cannot judge one.
    fn check_units(&self, engines: &[Self::Engine], units: &[MemberOf<Self>]) -> Result<()>;

    /// Checks a history that was read into memory, or the part of a stream that was kept. Returns how many units have the
    /// name of no manifest of the first variant.
    fn check_history(
        &self,
        engines: &[Self::Engine],
        units: &UnitNames<'_>,
        history: &Records<Self>,
    ) -> Result<UnitCounts>;

    /// The notes on units that have the name of no manifest.
    fn unit_notes(&self, _units: UnitCounts) -> Vec<NoteReport> {
        Vec::new()
    }

    /// The facts that policies find in a part of a history beside the figures.
    type Facts: BorshSerialize + BorshDeserialize + Send;

    /// These facts of the history so far.
    fn facts(&self) -> Self::Facts;

    /// Adds those of another part of the history.
    fn add_facts(&self, facts: Self::Facts);

    /// The error that a unit of a stream has several members although its policies make one.
    fn refuse_several(&self, unit: &str) -> Refusal;

    /// Notes about the policies.
    fn notes(&self, engines: &[Self::Engine]) -> Result<Vec<NoteReport>>;

    /// Adds to a report what the policies find beside the figures.
    fn complete(&self, _args: &SimulateArgs, _report: &mut SimulationReport) {}
}

/// The fields of the records that policies judge.
pub(super) type FieldsOf<P> = <<P as Policies>::Engine as Units>::Fields;
/// A member of a unit that policies judge.
pub(super) type MemberOf<P> = Member<FieldsOf<P>>;
/// A history that policies judge.
pub(super) type Records<P> = History<FieldsOf<P>>;

/// The names of the units of a history.
pub(super) enum UnitNames<'u> {
    /// In memory: the unit of each member.
    Memory(Vec<&'u str>),
    /// A stream: how many units there were, and those that no manifest of a variant names.
    Stream(u64, &'u [UnmatchedUnits]),
}
