//! The foot of a page: the sources of its figures, and what makes them again.

use super::model::Page;
use crate::findings::Style;
use crate::report::layout::Layout;
use crate::report::{Provenance, ShortPaths, assertions, notes};
use replay::simulate::{AnswerColumn, AssertionReport, NoteReport, NoteSeverity};

/// The most files of policies and configuration at the foot of a page.
// A page has at most 200 KB, so that no list grows with its input (docs/reports.md).
const FILES: usize = 30;
/// The most characters of a command line.
const COMMAND: usize = 4_000;

/// Sets the foot: the command line, the sources of the figures, the engines of the columns, the files of policies and
/// configuration with their hashes, and the program.
pub(super) fn set(
    page: &mut Page,
    figures: Vec<(String, String)>,
    columns: &[AnswerColumn],
    provenance: &Provenance,
) {
    page.command = match provenance.command.char_indices().nth(COMMAND) {
        Some((end, _)) => format!("{}..", &provenance.command[..end]),
        None => provenance.command.clone(),
    };
    page.sources = figures.into_iter().map(|(name, text)| (name, vec![text])).collect();
    let mut engines: Vec<&str> =
        columns.iter().filter_map(|column| column.engine.as_deref()).collect();
    engines.dedup();
    if !engines.is_empty() {
        page.sources.push(("Engine".to_owned(), vec![engines.join(", ")]));
    }
    let files = files(columns, provenance);
    if !files.is_empty() {
        page.sources.push(("Files".to_owned(), files));
    }
    let program = format!("armadactl {}", env!("CARGO_PKG_VERSION"));
    page.sources.push(("Made by".to_owned(), vec![program]));
}

/// The files, each with the label of its set of policies and its hash.
fn files(columns: &[AnswerColumn], provenance: &Provenance) -> Vec<String> {
    let files = provenance.inputs.iter().take(FILES).map(|file| {
        let column = columns.iter().find(|column| column.name == file.policies);
        let policies = match column.map_or(file.policies.as_str(), |column| &column.label) {
            "" => String::new(),
            label => format!("`{label}`: "),
        };
        let hash = file.sha256.as_ref().map(|hash| format!(", SHA-256 {hash}"));
        format!("{policies}{}{}", file.name, hash.unwrap_or_default())
    });
    let left = provenance.inputs.len().saturating_sub(FILES);
    let left = (left > 0).then(|| format!("{left} more files"));
    files.chain(left).collect()
}

const LAYOUT: Layout = Layout { wide: false, headers: true, width: None, style: Style::Plain };

/// The lines of the notes of a severity.
pub(super) fn note_lines(
    all: &[NoteReport],
    severity: NoteSeverity,
    names: &ShortPaths,
) -> Vec<String> {
    let some = all.iter().filter(|note| note.severity == severity);
    some.map(|note| names.text(&notes::line(note, &LAYOUT))).collect()
}

/// The lines of assertions, each with whether it holds.
pub(super) fn assertion_lines(all: &[AssertionReport]) -> Vec<(String, bool)> {
    all.iter().map(|it| (assertions::line(it, &LAYOUT), it.holds)).collect()
}
