//! An object of a list or a stream of pods, in JSON or in YAML.

use crate::history::sources::elements::Piece;
use crate::history::sources::json;
use crate::history::sources::sink::Fault;
use document::diag::Diagnostic;
use serde::de::DeserializeOwned;

/// An object of a list or a stream, in the form that its text has.
pub(super) trait Element {
    /// The line it begins on.
    fn line(&self) -> usize;
    /// It as a struct.
    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault>;
    /// A finding about it as a whole.
    fn fault(&self, message: String) -> Diagnostic;
}

impl Element for Piece<'_> {
    fn line(&self) -> usize {
        self.line
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        json::read(self.text, || self.source())
    }

    fn fault(&self, message: String) -> Diagnostic {
        Piece::fault(self, message)
    }
}
