//! Faults in a configuration.

use document::diag::Diagnostic;

/// A fault in a part of a configuration, in the words with which the executor stops.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The executor's words.
    pub message: String,
    /// The finding, whose message may be the same.
    pub finding: Diagnostic,
}
