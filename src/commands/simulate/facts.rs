//! The facts of a history that are not about its members.

use super::SimulateArgs;
use super::notes::{self, WithoutRuns};
use anyhow::Result;
use borsh::{BorshDeserialize, BorshSerialize};
use replay::history::{History, RecordFields, SkippedEntries, UnitOutcomes, UnreadWords};
use replay::simulate::NoteReport;

/// The units of a history, and those that have the name of no manifest of the first variant.
#[derive(Debug, Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct UnitCounts {
    pub(super) all: u64,
    pub(super) unmatched: u64,
}

impl UnitCounts {
    /// Adds those of another part of the history.
    pub(super) fn add(&mut self, other: Self) {
        self.all += other.all;
        self.unmatched += other.unmatched;
    }
}

/// The facts of a history that are not about its members.
#[derive(Debug, Clone, Default)]
pub(super) struct HistoryFacts {
    pub(super) has_document: bool,
    pub(super) skipped: usize,
    pub(super) skipped_entries: Vec<SkippedEntries>,
    pub(super) outcomes: UnitOutcomes,
    pub(super) unread: UnreadWords,
    pub(super) units: UnitCounts,
}

impl HistoryFacts {
    pub(super) fn new<F: RecordFields>(history: &History<F>, units: UnitCounts) -> Self {
        Self {
            units,
            has_document: history.has_document,
            skipped: history.skipped,
            skipped_entries: history.skipped_entries.clone(),
            outcomes: history.outcomes.clone(),
            unread: history.unread.clone(),
        }
    }

    /// The reason that the history has no runs, if it has none.
    pub(super) fn without_runs(&self) -> WithoutRuns {
        notes::without_runs(self.skipped, &self.skipped_entries)
    }

    /// With `--strict-records` an error if records have keys or conditions that no field reads.
    pub(super) fn refuse_unread(&self, args: &SimulateArgs) -> Result<()> {
        if args.strict_records && !self.unread.is_empty() {
            return Err(notes::refuse_unread(&self.unread).into());
        }
        Ok(())
    }

    /// The notes about the history, with those on its units.
    pub(super) fn notes(&self, of_units: Vec<NoteReport>) -> Vec<NoteReport> {
        let mut all = notes::history_notes(self.skipped, &self.skipped_entries);
        all.extend(of_units);
        all.extend(notes::unread_words_note(&self.unread));
        all
    }
}
