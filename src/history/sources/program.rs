//! A program whose output is a history: a row of the table of sources.

use super::sink::SourceSink;
use super::sketch::Sketch;
use std::fmt;
use std::io::{self, BufRead};

/// A program whose output is a history.
pub struct Program {
    /// The value of `--format`.
    pub name: &'static str,
    /// The output, with the command that prints it.
    pub title: &'static str,
    /// Whether the output is JSON, or may be: lines before it are then reported.
    pub is_json: bool,
    /// Whether the output is pods, which some systems judge themselves.
    pub(super) has_pods: bool,
    /// Whether the first object of JSON has the keys of the output.
    pub(super) has_keys: fn(&Sketch) -> bool,
    /// Whether the first line, or the text that it begins, is of the output and not JSON.
    pub(super) has_lines: fn(first: &str, text: &str) -> bool,
    /// Reads the output; the first argument is its name in messages.
    pub(super) read: fn(&str, &mut dyn BufRead, &mut dyn SourceSink) -> io::Result<()>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Program {}
