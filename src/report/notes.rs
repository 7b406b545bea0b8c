//! Notes on a simulation.

use super::layout::{Layout, prose};
use document::diag::printable;
use replay::simulate::{NoteReport, NoteSeverity};
use std::fmt::Write;

/// The most sets of policies that a note names: a grid has up to 100.
const MAX_NAMES: usize = 6;

/// Writes the notes of a severity. A warning changes how the figures are read and comes before them; a note tells what
/// they are of, and comes after them.
pub(super) fn write(
    out: &mut String,
    notes: &[NoteReport],
    severity: NoteSeverity,
    layout: &Layout,
) {
    for note in notes.iter().filter(|note| note.severity == severity) {
        let _ = writeln!(out, "{}", prose(&line(note, layout), layout));
    }
}

/// A note with its severity.
pub(super) fn line(note: &NoteReport, layout: &Layout) -> String {
    let severity = match note.severity {
        NoteSeverity::Warning => layout.paint("warning", Some(false)),
        NoteSeverity::Note => "note".to_owned(),
    };
    let variants = match note.variants.as_deref() {
        Some(names) if names.len() > MAX_NAMES + 1 => {
            let (first, others) = names.split_at(MAX_NAMES);
            format!("{} and {} others: ", first.join(", "), others.len())
        }
        Some(names) => format!("{}: ", names.join(", ")),
        None => String::new(),
    };
    format!("{severity}: {}{}", printable(&variants), printable(&note.message))
}
