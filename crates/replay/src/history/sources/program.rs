//! A program whose output is a history: a row of the table of sources.

use super::record::SystemRecord;
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
    pub has_pods: bool,
    /// Whether the output is in time order, so that each run is passed on when it is read.
    pub is_in_time_order: bool,
    /// The fields of records, or values of them, that the output never has.
    pub lacks: &'static [Lack],
    /// Whether the first object of JSON has the keys of the output.
    pub(super) has_keys: fn(&Sketch) -> bool,
    /// Whether the first line, or the text that it begins, is of the output and not JSON.
    pub(super) has_lines: fn(first: &str, text: &str) -> bool,
    /// Reads the output.
    pub(super) read: Read,
}

/// The function that reads the output of a program; the first argument is its name in messages.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// Reads runs in Armada's terms.
    Runs(fn(&str, &mut dyn BufRead, &mut dyn SourceSink) -> io::Result<()>),
    /// Reads records of the system of this engine, which no other system has.
    Records {
        engine: &'static str,
        read: fn(&str, &mut dyn BufRead, &mut dyn SourceSink<SystemRecord>) -> io::Result<()>,
    },
}

impl Program {
    /// The engine of the one system whose records the output has; `None` if it is read in Armada's terms.
    pub fn engine(&self) -> Option<&'static str> {
        match self.read {
            Read::Runs(_) => None,
            Read::Records { engine, .. } => Some(engine),
        }
    }
}

/// Fields of records that the output of a program never has.
#[derive(Debug, PartialEq, Eq)]
pub struct Lack {
    /// The fields by their paths: `containers[].message`.
    pub fields: &'static [&'static str],
    /// The values that the fields never have; empty for all.
    pub values: &'static [&'static str],
    /// The reason, as a sentence.
    pub why: &'static str,
    /// The way to records that have them; empty if there is none.
    pub help: &'static str,
}

impl Lack {
    /// Whether the fields are without this one, or without these values of it.
    pub fn covers(&self, field: &str, values: &[String]) -> bool {
        let lacks = |value: &String| self.values.contains(&value.as_str());
        self.fields.contains(&field)
            && (self.values.is_empty() || !values.is_empty() && values.iter().all(lacks))
    }
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
