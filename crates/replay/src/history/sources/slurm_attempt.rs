//! An ended attempt of a job of Slurm's, with its signs of a disruption.

use super::record::SourceRecord;
use crate::disruption::{Disruptions, Evidence, Source};
use armada_retry::engine::Outcome;
use compact_str::CompactString;

pub(super) struct Ended {
    pub(super) record: SourceRecord,
    /// Its state, as the table of disruptions names it.
    pub(super) state: CompactString,
}

impl Evidence for Ended {
    fn exit_code(&self) -> Option<i64> {
        self.record.run.own.exit_code()
    }

    fn has(&self, name: &str, value: &str) -> bool {
        name == "State" && self.state == value
    }
}

impl Ended {
    /// Gives the attempt the outcome or the condition of its row in the table of disruptions.
    pub(super) fn disrupt(&mut self, table: &Disruptions) {
        let found = table.find(Source::Sacct, self);
        let own = &mut self.record.run.own;
        own.disruption = found;
        let Some(row) = found.map(|id| table.row(id)).filter(|row| row.enabled) else { return };
        own.disrupt(row);
        if matches!(own.outcome, Outcome::Preempted | Outcome::LeaseReturned) {
            // The outcome is what the state means.
            own.conditions.clear();
        }
    }
}
