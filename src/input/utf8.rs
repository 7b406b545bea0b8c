//! Bytes that have to be UTF-8.

use crate::diag::{Code, Diagnostic, Place, Source, Span};

/// Bytes that are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUtf8 {
    /// What can be read of them; the rest is replaced by U+FFFD.
    pub text: String,
    /// The byte of `text` at which they go wrong.
    pub at: usize,
}

impl NotUtf8 {
    /// What `bytes` are that went wrong in this way.
    pub(super) fn new(bytes: &[u8], error: std::str::Utf8Error) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { text, at: error.valid_up_to() }
    }

    /// The finding about a whole file.
    pub(super) fn finding(self, name: String) -> Diagnostic {
        let source = Source::new(name, self.text);
        let place = Place::new(&source, Span::new(self.at, self.at + 1));
        Diagnostic::error(Code::NotUtf8, place, "the text is not UTF-8")
            .help("save the file as UTF-8")
    }
}
