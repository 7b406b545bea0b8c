//! The beginning of a simulation's tables: the notes, then the verdict.

use super::layout::Layout;
use super::verdict;
use crate::diag::printable;
use crate::simulate::{NoteReport, NoteSeverity, SimulationReport};
use std::fmt::Write;

/// Writes the notes, and a sentence on each set of policies.
pub(super) fn head(out: &mut String, report: &SimulationReport, layout: &Layout) {
    for note in &report.notes {
        let _ = writeln!(out, "{}", line(note, layout));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    verdict::sentences(out, report, layout);
}

/// A note with its severity.
pub(super) fn line(note: &NoteReport, layout: &Layout) -> String {
    let severity = match note.severity {
        NoteSeverity::Warning => layout.paint("warning", Some(false)),
        NoteSeverity::Note => "note".to_owned(),
    };
    let variants = match note.variants.as_deref() {
        Some(names) => format!("{}: ", names.join(", ")),
        None => String::new(),
    };
    format!("{severity}: {}{}", printable(&variants), printable(&note.message))
}
