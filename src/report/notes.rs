//! Notes on a simulation, a line each.

use super::layout::Layout;
use crate::diag::printable;
use crate::simulate::{NoteReport, NoteSeverity};

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
