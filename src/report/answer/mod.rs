//! The answer of a replay, first on a screen: a headline, the figures of the record and of each set of policies, and
//! the reasons (docs/answer.md). At most 20 lines of 80 columns.

mod cells;
mod headline;
mod reasons;
mod rules;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use super::layout::Layout;
use super::simulation::Section;
use super::wrap::{prose, wrap};
use super::{assertions, breakdown, notes, simulation, timeline};
use crate::diag::printable;
use crate::simulate::{NoteSeverity, SimulationReport};
use std::fmt::Write;

/// Writes the answer, the sections that are named, and where the rest is.
pub fn answer(report: &SimulationReport, sections: &[Section], layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    let answer = &report.answer;
    if answer.runs == 0 {
        more_notes(&mut out, report, layout);
        return out;
    }
    let values = sweep::values(report);
    if values.is_none() {
        table::write(&mut out, answer, &table::Rows::screen(answer), layout);
    }
    match values {
        Some(values) => sweep::write(&mut out, answer, &values, layout),
        None if answer.columns.len() > 2 => rules::write(&mut out, report, layout),
        None => reasons::write(&mut out, answer, reasons::ON_SCREEN, layout),
    }
    for section in sections {
        match section {
            Section::Record => table::write(&mut out, answer, &table::Rows::all(answer), layout),
            Section::Kinds => reasons::write(&mut out, answer, usize::MAX, layout),
            _ => {}
        }
        if report.has_policies() {
            simulation::section(&mut out, report, *section, layout);
        }
    }
    remarks(&mut out, report, layout);
    assertions::lines(&mut out, &report.assertions, layout);
    out
}

/// Writes the answer about some jobs: the end of each, and every run on record.
pub fn jobs(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    let _ = write!(out, "\n{}", timelines(report, layout));
    simulation::assumption(&mut out, &report.summary, layout);
    more_notes(&mut out, report, layout);
    assertions::lines(&mut out, &report.assertions, layout);
    out
}

/// Writes the notes and the headline alone.
pub fn quiet(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = String::new();
    // A warning changes how the figures are read; a note tells what they are of, and comes after them.
    let is_warning = |severity| severity == NoteSeverity::Warning;
    for note in report.notes.iter().filter(|note| is_warning(note.severity)) {
        let _ = writeln!(out, "{}", notes::line(note, layout));
    }
    let width = layout.width.unwrap_or(usize::MAX);
    let headline = headline::text(report);
    let _ = writeln!(out, "{}", wrap(&printable(&headline), width, 0));
    out
}

/// Writes the timeline of each job.
pub fn timelines(report: &SimulationReport, layout: &Layout) -> String {
    let timelines = report.jobs.iter().flatten().map(|job| {
        let mut out = String::new();
        timeline::timeline(&mut out, job, &report.engine, layout);
        out
    });
    timelines.collect::<Vec<_>>().join("\n")
}

/// Writes the notes that are no warnings.
fn more_notes(out: &mut String, report: &SimulationReport, layout: &Layout) {
    for note in report.notes.iter().filter(|note| note.severity == NoteSeverity::Note) {
        let _ = writeln!(out, "{}", notes::line(note, layout));
    }
}

/// Writes rules that never matched, contradictions, notes, and the flags that show more.
fn remarks(out: &mut String, report: &SimulationReport, layout: &Layout) {
    out.push('\n');
    let summary = &report.summary;
    let remarks = breakdown::never_matched_text(summary).into_iter();
    let remarks = remarks.chain(simulation::contradictions_text(summary));
    for remark in remarks.filter(|_| report.has_policies()) {
        let _ = writeln!(out, "{}", prose(&remark, layout));
    }
    more_notes(out, report, layout);
    let more = if report.has_policies() {
        "More: --show rules,kinds,retries,nodes,queues,days; --job ID; -o wide|json"
    } else {
        "More: --show record,kinds; -f POLICY replays it; -o json"
    };
    let _ = writeln!(out, "{}", prose(more, layout));
}
