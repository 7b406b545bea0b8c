//! The results of a source: runs, bad records, warnings, and how many entries are not ended runs.

use super::record::SourceRecord;
use crate::disruption::Disruptions;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use document::diag::Diagnostic;
use std::ops::ControlFlow;

/// An error of a record.
pub(super) type Fault = Box<Diagnostic>;

/// Takes what a source reads: runs in Armada's terms, or in those of a system that judges pods itself or has a source of
/// its own. `Break` means that reading stops.
pub(super) trait SourceSink<R = SourceRecord> {
    /// Takes a run.
    fn record(&mut self, record: R) -> ControlFlow<()>;
    /// Takes the finding about a bad record, and its job if that is known.
    fn bad(&mut self, job: Option<&str>, fault: Fault) -> ControlFlow<()>;
    /// Takes a warning.
    fn warning(&mut self, finding: Diagnostic);
    /// The table by which disruptions are recognised.
    fn disruptions(&self) -> &Disruptions;
    /// Takes the outcome of a unit, after its records so far; none takes an earlier one back. A later record does so too
    /// if the unit was open.
    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>);
    /// Counts entries that were passed over; `[one, several]` are the nouns for them.
    fn skipped_entries(&mut self, kind: SkippedKind, count: usize, words: [&'static str; 2]);
}
