//! Findings as data.

use document::diag::{Diagnostic, Label, Place, Severity};
use schemars::JsonSchema;
use serde::Serialize;

/// One finding, as reports and `--error-format json` give it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticItem {
    /// The stable id, which `explain` knows.
    pub id: String,
    /// `error`, `warning` or `info`.
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
    /// Other places that the finding mentions, such as the rule that shadows another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPlace>,
}

/// Another place of a finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedPlace {
    /// What is there, in a few words.
    pub message: String,
    /// The file, or `-` for standard input.
    pub file: String,
    /// Line of the first character, from 1.
    pub line: usize,
    /// Column of the first character, from 1, in characters.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column one past the last character.
    pub end_column: usize,
}

impl From<&Label> for RelatedPlace {
    fn from(label: &Label) -> Self {
        let (start, end) = (label.place.start(), label.place.end());
        Self {
            message: label.text.clone(),
            file: label.place.source.name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
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
            related: item.others.iter().map(RelatedPlace::from).collect(),
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
    /// Findings of severity `info`.
    pub infos: usize,
}

impl DiagnosticCounts {
    /// Counts findings.
    pub fn of(items: &[Diagnostic]) -> Self {
        let count = |severity| items.iter().filter(|item| item.severity == severity).count();
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        }
    }
}
