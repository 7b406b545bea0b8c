//! The answer about a simulated cluster, first on a screen: a headline, the figures of each variant, findings, queues
//! (docs/answer.md). At most 20 lines of 80 columns.

use super::sections::{Section, section};
use super::summary::{run_line, share_line};
use super::verdict::all_findings;
use super::{details, headline, queues, table};
use crate::report::answer::sweep;
use crate::report::assertions;
use crate::report::layout::{Layout, prose, wrap};
use crate::report::notes;
use cluster::report::{ClusterReport, Figures};
use document::diag::printable;
use replay::simulate::NoteSeverity;
use std::fmt::Write;

/// The lines of an answer at 80 columns. The table of queues has those that are left.
const LINES: usize = 20;

/// The width from which on an answer has at most these lines; on a narrower screen lines are broken.
const WIDTH: usize = 80;

/// The most findings on a screen.
const FINDINGS: usize = 3;

/// Writes the answer, the sections that are named, and where the rest is.
pub fn answer(report: &ClusterReport, sections: &[Section], layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    figures(&mut out, report, layout);
    let remarks = remarks(report, layout);
    let room = |out: &str| LINES.saturating_sub(out.lines().count() + remarks.lines().count());
    let of_findings = room(&out);
    findings(&mut out, report, of_findings, layout);
    if headline::values(&report.answer).is_none() && headline::grid(&report.answer).is_none() {
        let is_narrow = layout.width.is_some_and(|width| width < WIDTH);
        let room = if is_narrow { LINES } else { room(&out) };
        queues::on_screen(&mut out, report, room, layout);
    }
    for section in sections {
        self::section(&mut out, report, *section, layout);
    }
    out.push_str(&remarks);
    assertions::lines(&mut out, &report.assertions, layout);
    out
}

/// Writes the answer and every table.
pub fn wide(report: &ClusterReport, layout: &Layout) -> String {
    let mut out = quiet(report, layout);
    figures(&mut out, report, layout);
    out.push('\n');
    details::tables(&mut out, report, layout);
    let mut notes = String::new();
    notes::write(&mut notes, &report.notes, NoteSeverity::Note, layout);
    if !notes.is_empty() {
        let _ = write!(out, "\n{notes}");
    }
    assertions::lines(&mut out, &report.assertions, layout);
    out
}

/// Writes the warnings and the headline alone.
pub fn quiet(report: &ClusterReport, layout: &Layout) -> String {
    let mut out = String::new();
    notes::write(&mut out, &report.notes, NoteSeverity::Warning, layout);
    let width = layout.width.unwrap_or(usize::MAX);
    let _ = writeln!(out, "{}", wrap(&printable(&headline::text(report)), width, 0));
    out
}

/// Writes the table of figures; of a sweep that of its values.
fn figures(out: &mut String, report: &ClusterReport, layout: &Layout) {
    let answer = &report.answer;
    if let Some(grid) = headline::grid(answer) {
        return grid.write(out, answer, layout);
    }
    let Some(values) = headline::values(answer) else {
        return table::on_screen(out, report, layout);
    };
    let wait = |column| table::wait_p95(answer, column);
    sweep::write(out, answer, &values, Some((table::WAIT_P95, &wait)), layout);
}

/// Writes the first findings after an empty line: at least one, and as many of three as there is room for.
fn findings(out: &mut String, report: &ClusterReport, room: usize, layout: &Layout) {
    let all = all_findings(report);
    let mut used = 1;
    let has_room = |(at, sentence): &(usize, &String)| {
        used += prose(sentence, layout).lines().count();
        *at == 0 || used < room
    };
    let shown = all.iter().take(FINDINGS).enumerate().take_while(has_room).count();
    details::write_lines(out, &all[..shown], layout);
    if all.len() > shown {
        let _ = writeln!(out, "(and {} more: --show findings)", all.len() - shown);
    }
}

/// The shares of the cluster, the run, the flags that show more, and the notes.
fn remarks(report: &ClusterReport, layout: &Layout) -> String {
    let mut out = "\n".to_owned();
    if let Some(line) = share_line(report) {
        let _ = writeln!(out, "{}", prose(&line, layout));
    }
    let run = format!("{} {}", run_line(report), more(report));
    let _ = writeln!(out, "{}", prose(&run, layout));
    notes::write(&mut out, &report.notes, NoteSeverity::Note, layout);
    out
}

/// The flags that show more: the main tables that there are.
fn more(report: &ClusterReport) -> String {
    let has = |of: fn(&Figures) -> bool| report.variants.iter().any(|it| of(&it.figures));
    let tables = [
        ("waits", true),
        ("queues", true),
        ("failures", has(|figures| !figures.causes.is_empty())),
        ("rules", has(|figures| !figures.rules.is_empty())),
    ];
    let tables = tables.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
    format!("More: --show {}; -o wide|json", tables.collect::<Vec<_>>().join(","))
}
