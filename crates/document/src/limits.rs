//! Limits on the size of documents.

use crate::diag::{
    Code, Diagnostic, Findings, Place, Severity, Source, Span, with_thousands_separators,
};
use std::sync::Arc;

/// Limits for one text, so that no input can make its parsing run for very long or fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum length of a text, in bytes.
    pub bytes: usize,
    /// The maximum depth of nested collections.
    pub depth: usize,
    /// The maximum of nodes that all aliases and merge keys of a text add.
    pub copied_nodes: usize,
}

impl Limits {
    /// The maximum of findings per text or document: a text of many megabytes that is not a policy
    /// would have one for each of its values.
    pub const FINDINGS: usize = 1000;
    /// The limits of documents that people write by hand: policies, queues, configuration, tests.
    pub const POLICY: Self = Self { bytes: 8 << 20, depth: 64, copied_nodes: 100_000 };
    /// The limits of recorded histories in one document. Larger ones belong in JSON Lines, which are
    /// streamed.
    pub const HISTORY: Self = Self { bytes: 64 << 20, depth: 64, copied_nodes: 1_000_000 };
}

/// The finding that the limit of findings is reached.
pub fn too_many_findings(place: Place) -> Diagnostic {
    let message = format!("more than {} findings; the rest is not reported", Limits::FINDINGS);
    Diagnostic::error(Code::TooMuch, place, message)
        .help("fix these first, or check that this is the right file")
}

/// Findings about any number of documents that are counted and not kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct OmittedFindings {
    number: usize,
    has_errors: bool,
}

impl OmittedFindings {
    /// Adds the findings about a document to all, unless those are as many as [`Limits::FINDINGS`].
    pub fn keep_or_count(&mut self, of_document: Findings, all: &mut Findings) {
        if all.len() < Limits::FINDINGS {
            all.extend(of_document);
        } else {
            self.number += of_document.len();
            self.has_errors |= of_document.has_errors();
        }
    }

    /// Returns the finding with the number of those that were counted since the last call.
    pub fn take(&mut self) -> Option<Diagnostic> {
        let Self { number, has_errors } = std::mem::take(self);
        let count = with_thousands_separators(number as u64);
        let message = format!("{count} more findings about documents are not reported");
        let severity = if has_errors { Severity::Error } else { Severity::Warning };
        let finding = Diagnostic { severity, ..Diagnostic::without_place(Code::TooMuch, message) };
        (number > 0)
            .then(|| finding.help("fix the others first, or check that these are the right files"))
    }
}

/// The finding that a text is larger than its limit.
pub(super) fn too_large(source: &Arc<Source>, limits: Limits) -> Diagnostic {
    let message = format!(
        "the text has {} bytes; at most {} MiB are read",
        source.text().len(),
        limits.bytes >> 20
    );
    Diagnostic::error(Code::TooMuch, Place::new(source, Span::new(0, 0)), message)
        .help("split it into several files")
}
