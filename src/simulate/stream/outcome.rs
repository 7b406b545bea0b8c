//! The outcome of a stream.

use crate::diag::Findings;
use crate::history::{History, RecordFields};
use crate::simulate::Summary;

/// The outcome of a stream.
pub struct StreamOutcome<F: RecordFields> {
    /// A summary an engine, of the units that were judged run by run.
    pub summaries: Vec<Summary>,
    /// The history with the members that were kept.
    pub history: History<F>,
    /// The place of each of these members in the history. Nothing if all units were kept, whose order is enough,
    /// and if all records were lines, of which reports name the kept members first.
    pub places: Vec<u64>,
    /// Findings about the stream.
    pub findings: Findings,
    /// Number of units.
    pub units: u64,
    /// The units that no manifest of an engine names, engine by engine.
    pub unmatched: Vec<UnmatchedUnits>,
    /// The first unit with records of a second member, where units have one.
    pub several: Option<String>,
}

/// Units that no manifest of an engine names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmatchedUnits {
    /// How many.
    pub count: u64,
    /// The first of them, with its place in the stream.
    pub first: Option<(u64, String)>,
}

impl UnmatchedUnits {
    pub(super) fn add(&mut self, place: u64, id: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (place, id.to_owned()));
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = first(self.first.take(), other.first);
    }
}

/// A unit with its place in the stream.
pub(super) type Placed = Option<(u64, String)>;

/// The one that comes first.
pub(super) fn first(one: Placed, other: Placed) -> Placed {
    one.into_iter().chain(other).min()
}
