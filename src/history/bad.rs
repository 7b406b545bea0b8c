//! What becomes of bad records, whoever finds them: errors, or left out and counted.

use crate::diag::Findings;

/// What becomes of a bad record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadRecord {
    /// It is an error; reading stops after 20.
    #[default]
    Error,
    /// It is an error, and all of them are found.
    ErrorToTheEnd,
    /// It is left out and counted.
    Skip,
}

/// After how many bad records reading stops.
const MOST_BAD: usize = 20;

/// The bad records so far.
#[derive(Debug)]
pub(super) struct BadRecords {
    on_bad: OnBadRecord,
    errors: usize,
    /// How many were left out.
    pub(super) skipped: usize,
}

impl BadRecords {
    /// None yet.
    pub(super) fn new(on_bad: OnBadRecord) -> Self {
        Self { on_bad, errors: 0, skipped: 0 }
    }

    /// Whether there are so many that reading on helps nobody.
    pub(super) fn is_full(&self) -> bool {
        self.on_bad == OnBadRecord::Error && self.errors >= MOST_BAD
    }

    /// Whether they are left out, so that nobody asks what is wrong with them.
    pub(super) fn are_left_out(&self) -> bool {
        self.on_bad == OnBadRecord::Skip
    }

    /// Takes one, and adds what is wrong with it to all that was found if anybody wants to know.
    pub(super) fn take(&mut self, wrong: Findings, findings: &mut Findings) {
        match self.on_bad {
            OnBadRecord::Skip => self.skipped += 1,
            OnBadRecord::Error | OnBadRecord::ErrorToTheEnd => {
                self.errors += 1;
                findings.extend(wrong);
            }
        }
    }
}
