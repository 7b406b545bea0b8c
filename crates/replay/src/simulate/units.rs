//! The units of a system: how its records form them.

use super::evaluation::ReportedPer;
use super::figures::IndexMismatch;
use crate::history::{Member, RecordFields, Run};

/// The units that policies apply to, the state that an engine keeps of one, and the decisions about it.
pub trait Units: Sync + Sized {
    /// The fields of its run records beyond the common ones.
    type Fields: RecordFields;
    /// The state of a unit between evaluations. A stream holds one for each unfinished unit, so it is small.
    type State: Clone + Send;
    /// A decision.
    type Decision: Send;

    /// The subject of one timeline in reports.
    const REPORTED_PER: ReportedPer;
    /// Whether the state before the first run, and whether a unit can stream, depend only on the queue and
    /// the fields of the unit, so that units alike can begin with a copy.
    const STATE_OF_KIND: bool = false;

    /// The bounds on records for replays through several engines at once.
    fn limits(engines: &[&Self]) -> <Self::Fields as RecordFields>::Limits;

    /// Members with the same key form one unit; a member without a key is a unit by itself.
    fn unit_key(&self, _member: &Member<Self::Fields>) -> Option<String> {
        None
    }

    /// Whether every unit has one member, as far as the policies determine it.
    fn has_single_members(&self) -> bool {
        true
    }

    /// Whether a unit can be judged run by run. `unit` has its first run alone. A unit that cannot is kept until
    /// all runs are read.
    fn can_stream(&self, _unit: &Member<Self::Fields>) -> bool {
        true
    }

    /// The state of a unit before its first run.
    fn begin(&self, members: &[&Member<Self::Fields>]) -> Self::State;

    /// Whether a run of a member is replayed as a member by itself: records of pods without an index do not identify
    /// the pod that a pod replaces.
    fn is_separate_run(&self, _member: &Member<Self::Fields>, _run: &Run<Self::Fields>) -> bool {
        false
    }

    /// Whether all runs of a unit that is judged run by run are of one member, whatever member their records name.
    fn has_one_member(&self, _unit: &str) -> bool {
        false
    }

    /// The mismatch of a record's index and its unit, if they do not fit.
    fn index_mismatch(
        &self,
        _state: &Self::State,
        _run: &Run<Self::Fields>,
    ) -> Option<IndexMismatch> {
        None
    }
}
