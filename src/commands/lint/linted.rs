//! The result of linting.

use crate::analysis::suppression::SuppressedFinding;
use crate::cli::Exit;
use crate::commands::check::Checked;
use document::diag::{Diagnostic, Severity};

/// The result of linting some texts.
pub(super) struct Linted {
    pub(super) checked: Checked,
    /// The reported findings, by place.
    pub(super) items: Vec<Diagnostic>,
    /// The suppressed findings.
    pub(super) suppressed: Vec<SuppressedFinding>,
    /// The number of findings that are in the baseline.
    pub(super) in_baseline: usize,
}

impl Linted {
    /// Whether a document cannot be used.
    pub(super) fn has_errors(&self) -> bool {
        self.items.iter().any(is_document_error)
    }

    /// The exit code: 3 if a document has an error, 1 if there is a finding at or above the level.
    pub(super) fn exit(&self, fail_on: Severity) -> Exit {
        if self.has_errors() {
            Exit::Input
        } else if self.items.iter().any(|item| item.severity <= fail_on) {
            Exit::No
        } else {
            Exit::Done
        }
    }
}

/// Whether a finding is that a document cannot be used.
pub(super) fn is_document_error(item: &Diagnostic) -> bool {
    item.severity == Severity::Error && item.code.is_about_documents()
}
