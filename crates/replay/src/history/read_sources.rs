//! The interface of what reads histories that are not lines.

use super::sources::Program;
use document::diag::Source;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Reads histories that are not lines. Names are those of findings.
pub trait ReadSources {
    /// Whether the limit of bad records is reached.
    fn is_full(&self) -> bool;

    /// Reads the documents of a text.
    fn text(&mut self, source: &Arc<Source>);

    /// Reads a stream of JSON values.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn json_values(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()>;

    /// Reads another program's output.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn source(&mut self, program: &Program, name: &str, bytes: &mut dyn BufRead) -> io::Result<()>;
}
