//! The outcome of a stream.

use crate::history::{History, RecordFields};
use crate::simulate::answer::{PolicyCounts, RecordCounts};
use crate::simulate::{Changes, Summary};
use document::diag::Findings;

/// The outcome of a stream.
pub struct StreamOutcome<F: RecordFields> {
    /// One summary for each engine, of the units that were judged run by run.
    pub summaries: Vec<Summary>,
    /// The record of these units.
    pub record: RecordCounts,
    /// Their counts beside the record, engine by engine.
    pub columns: Vec<PolicyCounts>,
    /// The history with the members that were kept.
    pub history: History<F>,
    /// Whether some records were not lines.
    pub has_rows: bool,
    /// Findings about the stream.
    pub findings: Findings,
    /// Number of units.
    pub units: u64,
    /// The units that no manifest of an engine names, engine by engine.
    pub unmatched: Vec<UnmatchedUnits>,
    /// The first unit with records of several members, if units have one by the policies.
    pub unit_of_several: Option<String>,
    /// The changes under each engine but the first, of the units that were judged run by run; none unless engines
    /// are compared.
    pub changes: Vec<Changes>,
}

/// Units that no manifest of an engine names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmatchedUnits {
    /// How many.
    pub count: u64,
    /// The first of them, with its position in the stream.
    pub first: Option<(u64, String)>,
}

impl UnmatchedUnits {
    pub(super) fn add(&mut self, position: u64, id: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (position, id.to_owned()));
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = earlier(self.first.take(), other.first);
    }
}

/// The id of a unit, after its position in the stream.
pub(super) type UnitAt = Option<(u64, String)>;

/// The unit that is first in the stream.
pub(super) fn earlier(one: UnitAt, other: UnitAt) -> UnitAt {
    one.into_iter().chain(other).min()
}
