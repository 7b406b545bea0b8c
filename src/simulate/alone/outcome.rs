//! What a stream of units came to.

use crate::diag::Findings;
use crate::history::{MemberHistory, OwnFields};
use crate::simulate::Summary;

/// What a stream came to.
pub struct AloneOutcome<F: OwnFields> {
    /// A summary an engine, of the units that were judged run by run.
    pub summaries: Vec<Summary>,
    /// The units that were kept whole, and what was left out of the stream.
    pub kept: MemberHistory<F>,
    /// What was found in the stream.
    pub findings: Findings,
    /// How many units there are.
    pub units: u64,
    /// Those that are strange to each engine.
    pub strangers: Vec<Strangers>,
    /// The first unit that has records of a second member.
    pub several: Option<String>,
}

/// Units that are strange to an engine's policies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strangers {
    /// How many they are.
    pub count: u64,
    /// The first of them in the stream, and where it stands there.
    pub first: Option<(u64, String)>,
}

impl Strangers {
    /// Counts another, that stands here.
    pub(super) fn add(&mut self, place: u64, id: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (place, id.to_owned()));
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = first(self.first.take(), other.first);
    }
}

/// A unit, and where its record stands in the stream.
pub(super) type Found = Option<(u64, String)>;

/// The one that stands first.
pub(super) fn first(one: Found, other: Found) -> Found {
    one.into_iter().chain(other).min()
}
