//! How bad records are handled: as errors, or skipped and counted.

use document::diag::Findings;

/// How to handle a bad record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadRecord {
    /// It is an error; reading stops after [`MAX_BAD`].
    #[default]
    Error,
    /// It is an error; reading continues to the end.
    ErrorToTheEnd,
    /// It is skipped and counted.
    Skip,
}

/// Bad records after which reading stops: by then the file is probably not what was meant, and more findings
/// do not help.
pub const MAX_BAD: usize = 20;

/// The bad records so far.
#[derive(Debug)]
pub(super) struct BadRecords {
    on_bad: OnBadRecord,
    errors: usize,
    pub(super) skipped: usize,
}

impl BadRecords {
    /// No bad records yet.
    pub(super) fn new(on_bad: OnBadRecord) -> Self {
        Self { on_bad, errors: 0, skipped: 0 }
    }

    /// Whether the limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.on_bad == OnBadRecord::Error && self.errors >= MAX_BAD
    }

    /// Whether bad records are skipped, so that their findings are not needed.
    pub(super) fn are_skipped(&self) -> bool {
        self.on_bad == OnBadRecord::Skip
    }

    /// Counts a bad record; adds its findings to all `findings` unless it is skipped.
    pub(super) fn take(&mut self, of_record: Findings, findings: &mut Findings) {
        match self.on_bad {
            OnBadRecord::Skip => self.skipped += 1,
            OnBadRecord::Error | OnBadRecord::ErrorToTheEnd => {
                self.errors += 1;
                findings.extend(of_record);
            }
        }
    }
}
