//! The facts of a history that a partial summary has beside its figures.

use super::super::facts::{HistoryFacts, UnitCounts};
use super::super::inputs::Sources;
use borsh::{BorshDeserialize, BorshSerialize};
use document::Shape;
use replay::history::{PROGRAMS, SkippedEntries, UnreadList};

/// The facts of a history, and those of its policies.
#[derive(Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct PartialFacts<P> {
    skipped: u64,
    skipped_entries: Vec<SkippedEntries>,
    unread: UnreadList,
    units: UnitCounts,
    has_records: bool,
    /// The names of the programs whose output was read, in their order.
    programs: Vec<String>,
    pub(super) policies: P,
}

impl<P> PartialFacts<P> {
    pub(super) fn new(history: HistoryFacts, sources: &Sources, policies: P) -> Self {
        // The outcomes of units are counted, and timelines are not written.
        let HistoryFacts { skipped, skipped_entries, outcomes: _, has_document: _, unread, units } =
            history;
        let mut programs: Vec<String> =
            sources.programs.iter().map(|program| program.name.to_owned()).collect();
        programs.sort_unstable();
        programs.dedup();
        Self {
            skipped: skipped as u64,
            skipped_entries,
            unread: unread.list(),
            units,
            has_records: sources.has_records,
            programs,
            policies,
        }
    }

    /// Adds them to those of other parts, for records of a shape. Returns the facts of the policies; `None` if this
    /// program did not write the part, which has this name.
    pub(super) fn add_to(
        self,
        (history, sources): (&mut HistoryFacts, &mut Sources),
        record: &'static Shape,
        name: &str,
    ) -> Option<P> {
        let Self { skipped, skipped_entries, unread, units, has_records, programs, policies } =
            self;
        history.skipped = history.skipped.checked_add(usize::try_from(skipped).ok()?)?;
        history.skipped_entries.extend(skipped_entries);
        history.units.add(units);
        sources.has_records |= has_records;
        for name in programs {
            sources.programs.push(PROGRAMS.iter().find(|program| program.name == name)?);
        }
        history.unread.add_list(&unread, record, name).then_some(policies)
    }
}
