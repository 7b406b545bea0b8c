//! The answer of a replay, first on a screen: a headline, the figures of the record and of each set of policies, and
//! the reasons (docs/answer.md). At most 20 lines of 80 columns.

pub(super) mod advice;
pub(super) mod cells;
pub(super) mod failing;
pub(super) mod frame;
pub(super) mod grid;
pub(super) mod headline;
mod reasons;
mod record;
mod remarks;
mod rules;
pub(super) mod sweep;
pub(super) mod table;
#[cfg(test)]
mod tests;

pub use headline::sentences;
pub(super) use remarks::{releases_text, without_advice as other_remarks};
pub(super) use table::days;

use super::layout::{Layout, prose, wrap};
use super::simulation::Section;
use super::{assertions, notes, simulation, timeline};
use document::diag::printable;
use replay::simulate::{NoteSeverity, SimulationReport};
use std::fmt::Write;

/// The lines of an answer at 80 columns. The table of reasons or rules has those that are left.
const LINES: usize = 20;

/// The width from which on an answer has at most these lines; on a narrower screen lines are broken.
const WIDTH: usize = 80;

/// Writes the answer, the sections that are named, and where the rest is.
pub fn answer(report: &SimulationReport, sections: &[Section], layout: &Layout) -> String {
    let (mut out, mut end) = (quiet(report, layout), String::new());
    if report.answer.runs > 0 {
        remarks(&mut end, report, layout);
    }
    notes_and_assertions(&mut end, report, layout);
    if report.answer.runs > 0 {
        figures(&mut out, report, sections, layout);
        let is_narrow = layout.width.is_some_and(|width| width < WIDTH);
        let used = if is_narrow { 0 } else { out.lines().count() + end.lines().count() };
        let has_kinds = sections.contains(&Section::Kinds);
        let room = if has_kinds { usize::MAX } else { LINES.saturating_sub(used) };
        causes(&mut out, report, (room, has_kinds), layout);
        for section in sections {
            let mut table = String::new();
            self::section(&mut table, report, *section, layout);
            out.push_str(&head(report, *section, table.is_empty(), sections.len()));
            out.push_str(&table);
        }
    }
    out + &end
}

/// The line before a table that `--show` names beside others: that there is none, or of several sets of policies the one that
/// it is about.
fn head(report: &SimulationReport, section: Section, is_empty: bool, named: usize) -> String {
    let name = Section::ALL.iter().find(|(_, it)| *it == section).map_or("", |(name, _)| name);
    // The rows and the reasons are above; all tables are named by `all`.
    let is_above = matches!(section, Section::Record | Section::Kinds);
    if is_empty && !is_above && named < Section::ALL.len() {
        return format!("\n--show {name}: there is nothing to show.\n");
    }
    let first = report.answer.columns.get(1).filter(|_| report.variants.is_some());
    match first {
        Some(first) if !is_empty && !is_above && section != Section::Changes => {
            format!("\nUnder `{}`:\n", printable(&first.label))
        }
        _ => String::new(),
    }
}

/// Writes the answer and every table.
pub fn wide(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    if report.answer.runs > 0 {
        figures(&mut out, report, &[], layout);
        causes(&mut out, report, (LINES, !report.has_policies()), layout);
    }
    let answer = &report.answer;
    let advice = advice::texts(answer);
    if !advice.is_empty() {
        out.push('\n');
    }
    for text in advice {
        let _ = writeln!(out, "{}", prose(&text, layout));
    }
    if report.has_policies() {
        let _ = write!(out, "\n{}", simulation::tables(report, layout));
    } else {
        for section in record::SECTIONS {
            record::write(&mut out, answer, section, layout);
        }
    }
    notes_and_assertions(&mut out, report, layout);
    out
}

/// Writes the answer about one job: its end, and every run on record; of several sets of policies the differences too.
pub fn job(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    out.push('\n');
    if report.variants.is_some() {
        out.push_str(&simulation::tables(report, layout));
    } else {
        out.push_str(&timelines(report, layout));
        for job in report.jobs.iter().flatten() {
            timeline::explain(&mut out, job, layout);
        }
        simulation::assumption(&mut out, &report.summary, layout);
    }
    notes_and_assertions(&mut out, report, layout);
    out
}

/// Writes the table of figures, with all rows if they are named; of a sweep that of its values.
fn figures(out: &mut String, report: &SimulationReport, sections: &[Section], layout: &Layout) {
    let answer = &report.answer;
    if let Some(values) = sweep::values(report) {
        return sweep::write(out, answer, &values, None, layout);
    }
    if let Some(grid) = grid::in_report(report) {
        return grid.write(out, answer, layout);
    }
    let is_whole = sections.contains(&Section::Record);
    let rows = if is_whole { table::Rows::all(answer) } else { table::Rows::screen(answer) };
    table::write(out, answer, &rows, layout);
    failing::write(out, report, layout);
}

/// Writes the largest rules or reasons for the differences, in at most `room` lines but with one row at least; all
/// reasons if they are named.
fn causes(
    out: &mut String,
    report: &SimulationReport,
    (room, is_whole): (usize, bool),
    layout: &Layout,
) {
    // An empty line, the headers, and how many are left out.
    let rows = room.saturating_sub(3).max(1);
    if grid::is_sweep(report) {
    } else if report.answer.columns.len() > 2 {
        rules::write(out, report, rows.min(rules::ON_SCREEN), layout);
    } else {
        let most = if is_whole { usize::MAX } else { rows.min(reasons::ON_SCREEN) };
        reasons::write(out, &report.answer, most, layout);
    }
}

fn section(out: &mut String, report: &SimulationReport, section: Section, layout: &Layout) {
    let answer = &report.answer;
    let is_sweep = grid::is_sweep(report);
    match section {
        // The other screens have them above.
        Section::Record if is_sweep => {
            table::write(out, answer, &table::Rows::all(answer), layout);
        }
        Section::Kinds if is_sweep || answer.columns.len() > 2 => {
            reasons::write(out, answer, usize::MAX, layout);
        }
        _ => {}
    }
    if report.has_policies() {
        simulation::section(out, report, section, layout);
    } else {
        record::write(out, answer, section, layout);
    }
}

/// Writes the notes and the headline alone.
pub fn quiet(report: &SimulationReport, layout: &Layout) -> String {
    let mut out = String::new();
    notes::write(&mut out, &report.notes, NoteSeverity::Warning, layout);
    let width = layout.width.unwrap_or(usize::MAX);
    let headline = report.answer.sentences.join(" ");
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

/// Writes the releases that decided, the notes that are no warnings, and the assertions.
fn notes_and_assertions(out: &mut String, report: &SimulationReport, layout: &Layout) {
    if let Some(text) = releases_text(report) {
        let _ = writeln!(out, "{}", prose(&printable(&text), layout));
    }
    notes::write(out, &report.notes, NoteSeverity::Note, layout);
    assertions::lines(out, &report.assertions, layout);
}

/// Writes the assumption, rules that never matched, contradictions, and the flags that show more.
fn remarks(out: &mut String, report: &SimulationReport, layout: &Layout) {
    out.push('\n');
    for remark in self::remarks::texts(report) {
        let _ = writeln!(out, "{}", prose(&remark, layout));
    }
    let _ = writeln!(out, "{}", prose(&more(report), layout));
}

/// The longest id of a job on a screen: a UUID has 36 characters.
const LONGEST_ID: usize = 36;

/// The flags that show more. A job that fails here and succeeded on record is the one to look at.
fn more(report: &SimulationReport) -> String {
    if !report.has_policies() {
        return "More: --show kinds,retries,nodes,queues,days; -f POLICY replays it; -o wide|json"
            .to_owned();
    }
    let mut jobs = report.answer.samples.iter().flat_map(|sample| &sample.jobs);
    let is_word =
        |job: &str| job.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    let job = jobs.find(|job| job.len() <= LONGEST_ID && is_word(job)).map_or("ID", String::as_str);
    format!("More: --show rules,kinds,retries,nodes,queues,days; --job {job}; -o wide|json")
}
