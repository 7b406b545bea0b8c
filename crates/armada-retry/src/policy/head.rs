//! The kind and form of a document.

use super::Form;

/// The kind and form of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) kind: &'static str,
    pub(super) form: Form,
    /// Whether the document has both. If not, the form is the most likely one, and an error has been reported.
    pub(super) is_valid: bool,
}
