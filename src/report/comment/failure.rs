//! The section of a command that an error ended before it had a report.

use super::block::{Block, fit};
use super::text::command;
use crate::report::report_paths::{ReportPaths, is_absolute};
use crate::report::reported::file_of;
use crate::report::short_paths::ShortPaths;
use document::diag::Diagnostic;

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
