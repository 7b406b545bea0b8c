//! Notes on a simulation.

use super::layout::Layout;
use super::wrap::prose;
use crate::diag::printable;
use crate::simulate::{NoteReport, NoteSeverity};

/// A note with its severity, wrapped to the width of the terminal.
pub(super) fn line(note: &NoteReport, layout: &Layout) -> String {
    let severity = match note.severity {
        NoteSeverity::Warning => layout.paint("warning", Some(false)),
        NoteSeverity::Note => "note".to_owned(),
    };
    let variants = match note.variants.as_deref() {
        Some(names) => format!("{}: ", names.join(", ")),
        None => String::new(),
    };
    let text = format!("{severity}: {}{}", printable(&variants), printable(&note.message));
    prose(&text, layout)
}
