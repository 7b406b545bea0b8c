//! The beginning of a simulation's tables: the notes, then a sentence on each variant of `--variant`.

use super::simulation::several;
use super::table::Layout;
use super::variants::swept;
use crate::diag::printable;
use crate::simulate::{NoteReport, NoteSeverity, SimulationReport, VariantReport};
use std::fmt::Write;

/// Writes the notes, and a sentence on each variant if there are several; nothing if there are none.
pub(super) fn head(out: &mut String, report: &SimulationReport, layout: &Layout) {
    for note in &report.notes {
        let _ = writeln!(out, "{}", line(note, layout));
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    // A sweep gets no sentences: its columns form a series, for which the table is enough.
    if let Some(variants) = report.variants.as_deref().filter(|all| swept(all).is_none()) {
        for variant in variants {
            let _ = writeln!(out, "{}", printable(&sentence(variant)));
        }
        out.push('\n');
    }
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

/// A variant's name with its engine: `lax (v1beta1)`.
pub(super) fn title(variant: &VariantReport) -> String {
    format!("{} ({})", variant.name, variant.engine)
}

fn sentence(variant: &VariantReport) -> String {
    let summary = &variant.summary;
    let outcomes: Vec<String> =
        summary.outcomes.iter().map(|(name, jobs)| format!("{jobs} {name}")).collect();
    let colon = if outcomes.is_empty() { "" } else { ": " };
    let retries = match summary.retries {
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    };
    let jobs = several(summary.jobs, "job");
    format!("{}: {jobs}{colon}{}; {retries} granted", title(variant), outcomes.join(", "))
}
