//! How much of a document is read before it is refused.

use crate::diag::{Code, Diagnostic, Place, Source, Span};
use std::sync::Arc;

/// Bounds on one text, so that no input can make reading it hang or fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a text.
    pub bytes: usize,
    /// Collections inside one another.
    pub depth: usize,
    /// Nodes that aliases and merge keys may add to a text, all together.
    pub copied_nodes: usize,
}

impl Limits {
    /// Findings of one text or document that are reported. Nobody reads more, and a text of many
    /// megabytes that is no policy at all would have one for each of its values.
    pub const FINDINGS: usize = 1000;
    /// For what people write by hand: policies, queues, configuration, tests.
    pub const POLICY: Self = Self { bytes: 8 << 20, depth: 64, copied_nodes: 100_000 };
    /// For recorded histories in one document. More than this belongs in JSON Lines.
    pub const HISTORY: Self = Self { bytes: 64 << 20, depth: 64, copied_nodes: 1_000_000 };
}

/// What is said at the finding after the last.
pub fn too_many_findings(place: Place) -> Diagnostic {
    let message = format!("more than {} findings; the rest is not reported", Limits::FINDINGS);
    Diagnostic::error(Code::TooMuch, place, message)
        .help("mend these first, or check that this is the right file")
}

/// The finding about a text of more bytes than are read.
pub(super) fn too_large(source: &Arc<Source>, limits: Limits) -> Diagnostic {
    let message = format!(
        "the text has {} bytes; at most {} MiB are read",
        source.text().len(),
        limits.bytes >> 20
    );
    Diagnostic::error(Code::TooMuch, Place::new(source, Span::new(0, 0)), message)
        .help("split it into several files")
}
