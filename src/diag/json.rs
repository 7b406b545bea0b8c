//! Findings as data.

use super::{Diagnostic, Place, Severity};
use schemars::JsonSchema;
use serde::Serialize;

/// One finding, as reports and `--error-format json` give it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticItem {
    /// The stable id, which `explain` knows.
    pub id: String,
    /// `error` or `warning`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The file, or `-` for standard input; null where there is no text to point into.
    pub file: Option<String>,
    /// Line of the first character, from 1.
    pub line: Option<usize>,
    /// Column of the first character, from 1, in characters.
    pub column: Option<usize>,
    /// Line of the end.
    pub end_line: Option<usize>,
    /// Column one past the last character.
    pub end_column: Option<usize>,
    /// The way out, where there is one.
    pub help: Option<String>,
}

impl From<&Diagnostic> for DiagnosticItem {
    fn from(item: &Diagnostic) -> Self {
        let place = item.place.as_ref();
        let (start, end) = (place.map(Place::start), place.map(Place::end));
        Self {
            id: item.code.id().to_owned(),
            severity: item.severity.as_str().to_owned(),
            message: item.message.clone(),
            file: place.map(|place| place.source.name().to_owned()),
            line: start.map(|at| at.line),
            column: start.map(|at| at.column),
            end_line: end.map(|at| at.line),
            end_column: end.map(|at| at.column),
            help: item.help.clone(),
        }
    }
}

/// How many findings of each severity there are.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
pub struct DiagnosticCounts {
    /// Findings of severity `error`.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
}

impl DiagnosticCounts {
    /// Counts findings.
    pub fn of(items: &[Diagnostic]) -> Self {
        let errors = items.iter().filter(|item| item.severity == Severity::Error).count();
        Self { errors, warnings: items.len() - errors }
    }
}
