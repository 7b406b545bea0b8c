//! Limits on the size of documents.

use crate::diag::{Code, Diagnostic, Place, Source, Span};
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
