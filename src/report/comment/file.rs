//! A file with a section for each command. A section is between two lines, its marks; a command replaces its own, and
//! keeps the rest of the file.

use super::block::{Block, fit};
use super::text::command;
use crate::report::ci_report::file_of;
use crate::report::report_paths::{ReportPaths, is_absolute};
use crate::report::short_paths::ShortPaths;
use document::diag::Diagnostic;
use std::fmt;

/// The first line of a new file, by which a program finds a comment that it has posted.
const MARKER: &str = "<!-- armadactl report: policies -->\n";

/// The beginning of the first line, whatever its name is.
const MARKER_BEGIN: &str = "<!-- armadactl report: ";

/// The commands with a section, in the order of a file.
const ORDER: [&str; 5] = ["simulate", "compare", "lint", "test", "validate"];

/// The most characters of a comment on GitHub.
const MOST: usize = 65_536;

/// Why a section cannot be put into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// A section begins in this line, and does not end before the next section or the end of the file.
    Unended {
        /// The section.
        command: &'static str,
        /// The line, from 1.
        line: usize,
    },
    /// The file would have this many characters.
    TooLong(usize),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unended { command, line } => {
                write!(f, "the section that begins in line {line} has no end: `{}`", end(command))
            }
            Self::TooLong(characters) => {
                write!(f, "it would have {characters} characters, and a comment at most {MOST}")
            }
        }
    }
}

impl FileError {
    /// The way out.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unended { .. } => "write this line at its end, or delete the file",
            Self::TooLong(_) => {
                "shorten the text outside of the sections, or write to another file"
            }
        }
    }
}

/// A part of a file.
enum Part<'t> {
    /// The section of a command, by its number in [`ORDER`], with its marks.
    Section(usize, &'t str),
    /// A line outside of sections.
    Line(&'t str),
}

/// A new file with a section.
pub fn document(command: &str, section: &str) -> String {
    format!("{MARKER}{}", marked(command, section))
}

/// A file with the section of a command replaced; without one it is put before those that come after it. Further
/// sections of the command are removed.
pub fn merge(existing: &str, command: &str, section: &str) -> Result<String, FileError> {
    if existing.trim().is_empty() {
        return Ok(document(command, section));
    }
    let parts = parts(existing)?;
    let own = ORDER.iter().position(|name| *name == command).unwrap_or(ORDER.len());
    let is_own = |part: &Part<'_>| matches!(part, Part::Section(of, _) if *of == own);
    let is_later = |part: &Part<'_>| matches!(part, Part::Section(of, _) if *of > own);
    let place = parts.iter().position(is_own).or_else(|| parts.iter().position(is_later));
    let mut out = String::with_capacity(existing.len() + section.len());
    for (at, part) in parts.iter().enumerate() {
        if place == Some(at) {
            out.push_str(&marked(command, section));
        }
        match part {
            Part::Section(of, _) if *of == own => {}
            Part::Section(_, text) | Part::Line(text) => out.push_str(text),
        }
    }
    if place.is_none() {
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&marked(command, section));
    }
    match out.chars().count() {
        characters if characters > MOST => Err(FileError::TooLong(characters)),
        _ => Ok(out),
    }
}

/// Checks that a section can be put into a file.
pub fn check(existing: &str) -> Result<(), FileError> {
    parts(existing).map(|_| ())
}

/// Whether a file is a comment: it has the first line or a section of one.
pub fn is_comment(existing: &str) -> bool {
    let has_section = |parts: Vec<Part<'_>>| parts.iter().any(|it| matches!(it, Part::Section(..)));
    existing.starts_with(MARKER_BEGIN) || parts(existing).is_ok_and(has_section)
}

/// The parts of a file.
fn parts(text: &str) -> Result<Vec<Part<'_>>, FileError> {
    let mut parts = Vec::new();
    // The open section, with the line and the position of its first mark.
    let mut open: Option<(usize, usize, usize)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let mark = line.trim_end();
        let begun = ORDER.iter().position(|command| begin(command) == mark);
        match open {
            Some((own, _, start)) if mark == end(ORDER[own]) => {
                parts.push(Part::Section(own, &text[start..at + line.len()]));
                open = None;
            }
            Some((own, line, _)) if begun.is_some() => return Err(unended(own, line)),
            Some(_) => {}
            None => match begun {
                Some(own) => open = Some((own, number + 1, at)),
                None => parts.push(Part::Line(line)),
            },
        }
        at += line.len();
    }
    match open {
        Some((own, line, _)) => Err(unended(own, line)),
        None => Ok(parts),
    }
}

fn unended(own: usize, line: usize) -> FileError {
    FileError::Unended { command: ORDER[own], line }
}

fn marked(command: &str, section: &str) -> String {
    format!("{}\n{}\n\n{}\n", begin(command), section.trim_end(), end(command))
}

fn begin(command: &str) -> String {
    format!("<!-- armadactl:{command} -->")
}

fn end(command: &str) -> String {
    format!("<!-- /armadactl:{command} -->")
}

/// An error that ended a command.
#[derive(Debug)]
pub struct Failure<'f> {
    /// The command.
    pub command: &'static str,
    /// The exit code.
    pub exit: u8,
    /// The message, unless the findings have all of it.
    pub message: Option<&'f str>,
    /// The help.
    pub help: Option<&'f str>,
    /// The findings.
    pub findings: &'f [Diagnostic],
    /// The command line, without absolute paths.
    pub line: String,
}

impl Failure<'_> {
    /// Writes the section. Paths are relative to the root; those of other files have the names of [`ShortPaths`].
    pub fn markdown(&self, paths: &ReportPaths, files: &[String]) -> String {
        let quoted = self.message.into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
        let quoted = quoted.filter(|text| is_absolute(text));
        let names = files.iter().map(String::as_str).chain(quoted);
        let names = names.chain(self.findings.iter().filter_map(file_of));
        let names = ShortPaths::new(paths.clone(), names);
        let mut lines: Vec<String> = Vec::new();
        for finding in self.findings {
            lines.push(line(finding, &names));
            lines.extend(finding.help.iter().map(|help| format!("  help: {}", names.text(help))));
        }
        lines.extend(self.message.map(|text| format!("error: {}", names.text(text))));
        lines.extend(self.help.map(|text| format!("help: {}", names.text(text))));
        let headline =
            format!("### armadactl {}: failed with exit code {}", self.command, self.exit);
        let version = env!("CARGO_PKG_VERSION");
        let foot = format!("<sub>armadactl {version}. Command: {}</sub>", command(&self.line));
        fit(&[Block::paragraph(&headline), Block::fenced(&lines)], Some(&Block::paragraph(&foot)))
    }
}

/// A finding in one line.
fn line(finding: &Diagnostic, names: &ShortPaths) -> String {
    let place = finding.place.as_ref().map(|place| {
        let start = place.start();
        format!("{}:{}:{}: ", names.name(place.source.name()), start.line, start.column)
    });
    let (severity, code) = (finding.severity.as_str(), finding.code.id());
    let message = names.text(&finding.message);
    format!("{}{severity}[{code}]: {message}", place.unwrap_or_default())
}
