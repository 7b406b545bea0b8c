//! The page of `validate`, `lint`, `test` and `compare`: findings and covered lines beside the text of the files.

use super::model::{Line, Page, Part, Section};
use super::table::{Cell, ColumnKind, PageTable, more};
use crate::findings::DiagnosticCounts;
use crate::report::ci_report::{CiReport, RunFacts, failure_of, file_of, message_of};
use crate::report::figures::{count, several};
use crate::report::{CoverageReport, ShortPaths, TestItem, TestOutcome};
use document::diag::{Diagnostic, Severity, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most files with their text.
const FILES: usize = 40;
/// The most characters of all lines and remarks, so that a page has at most 200 KB with their markup.
const ROOM: usize = 60_000;
/// The characters that the markup of a line counts for.
const MARKUP: usize = 60;
/// The most characters of a remark or a message.
const REMARK: usize = 300;
/// The most characters of a line.
const CHARACTERS: usize = 200;
/// Lines around one with a remark, in a file that is too long to be shown whole.
const AROUND: usize = 3;
/// The most lines of a file that is shown whole.
const WHOLE: usize = 120;
/// The most failed tests.
const TESTS: usize = 60;
/// The most remarks at one line.
const REMARKS: usize = 5;

/// The page.
pub(in crate::report) fn findings(reported: &CiReport<'_>, run: &RunFacts) -> Page {
    let files = reported.files.iter().map(String::as_str);
    let files = files.chain(reported.findings.iter().filter_map(file_of));
    let files = files.chain(reported.tests.iter().map(|test| test.file.as_str()));
    let names = ShortPaths::new(run.paths.clone(), files);
    let mut page = Page {
        context: format!("armadactl {}", reported.command),
        headline: headline(reported),
        second_headline: reported.coverage.map(coverage).unwrap_or_default(),
        ..Page::default()
    };
    page.sections.extend(failed_tests(reported.tests, &names));
    page.sections.extend(without_text(reported.findings, &names));
    page.sections.extend(listings(reported, &names));
    let version = format!("armadactl {}", env!("CARGO_PKG_VERSION"));
    page.sources = vec![("Made by".to_owned(), vec![version])];
    page
}

/// The counts, the worst first.
fn headline(reported: &CiReport<'_>) -> String {
    if let Some(report) = reported.comparison {
        return report.sentences().join(" ");
    }
    let counts = DiagnosticCounts::of(reported.findings);
    let found = [(counts.errors, "error"), (counts.warnings, "warning"), (counts.infos, "finding")];
    let found = found.into_iter().filter(|(number, _)| *number > 0);
    let found: Vec<String> = found.map(|(number, noun)| several(number as u64, noun)).collect();
    let files = several(reported.files.len() as u64, "file");
    let found = match found.as_slice() {
        [] => format!("No findings in {files}"),
        found => format!("{} in {files}", found.join(", ")),
    };
    if reported.tests.is_empty() {
        return found;
    }
    let passed = reported.tests.iter().filter(|test| test.outcome == TestOutcome::Passed).count();
    let (passed, all) = (passed as u64, reported.tests.len() as u64);
    let tests = if passed == all {
        format!("All {} pass", several(all, "test"))
    } else {
        format!("{} of {} fail", count(all - passed), several(all, "test"))
    };
    format!("{tests}. {found}.")
}

/// How much of the policies the tests check.
fn coverage(report: &CoverageReport) -> String {
    let CoverageReport { percent, covered, total, threshold, .. } = report;
    let threshold = threshold.map(|least| format!("; at least {least} % are required"));
    format!(
        "The tests check {} of {} rules, defaults and limits ({percent:.1} %), marked at their lines{}.",
        count(*covered as u64),
        count(*total as u64),
        threshold.unwrap_or_default()
    )
}

fn failed_tests(tests: &[TestItem], names: &ShortPaths) -> Option<Section> {
    let failed: Vec<&TestItem> =
        tests.iter().filter(|test| test.outcome == TestOutcome::Failed).collect();
    let mut table = PageTable::new("Failed tests")
        .column("Test", ColumnKind::Text)
        .column("Place", ColumnKind::Text)
        .column("Message", ColumnKind::Text);
    for test in failed.iter().take(TESTS) {
        let place = format!("{}:{}", names.name(&test.file), test.line);
        let message = names.text(failure_of(test));
        let message: Vec<&str> = message.lines().map(str::trim).collect();
        table.row([
            Cell::text(&test.name),
            Cell::code(place),
            Cell::text(message.join(" · ").chars().take(REMARK).collect::<String>()),
        ]);
    }
    table.more = more(failed.len().saturating_sub(TESTS), "test");
    let parts = (!failed.is_empty()).then_some(Part::Table(table));
    Section::new("Failed tests", "", parts)
}

/// The findings about whole files.
fn without_text(findings: &[Diagnostic], names: &ShortPaths) -> Option<Section> {
    let mut table = PageTable::new("Findings without a place")
        .column("Finding", ColumnKind::Text)
        .column("Message", ColumnKind::Text);
    let all = findings.iter().filter(|finding| finding.place.is_none());
    table.more = more(all.clone().count().saturating_sub(TESTS), "finding");
    for finding in all.take(TESTS) {
        table.row([
            Cell::code(finding.code.id()),
            Cell::text(names.text(&message_of(finding)).replace('\n', " · ")),
        ]);
    }
    let parts = (!table.rows.is_empty()).then_some(Part::Table(table));
    Section::new("Findings about whole files", "", parts)
}

/// A file with the remarks at its lines.
struct Remarks {
    source: Arc<Source>,
    /// By line, from 1.
    lines: BTreeMap<usize, (Option<bool>, Vec<String>)>,
    is_bad: bool,
}

/// A section for each file with remarks: those with findings first.
fn listings(reported: &CiReport<'_>, names: &ShortPaths) -> Vec<Section> {
    let mut files: BTreeMap<String, Remarks> = BTreeMap::new();
    let mut at =
        |source: &Arc<Source>, line: usize, is_good: Option<bool>, text: Option<String>| {
            let file = files.entry(source.name().to_owned()).or_insert_with(|| Remarks {
                source: Arc::clone(source),
                lines: BTreeMap::new(),
                is_bad: false,
            });
            file.is_bad |= is_good == Some(false);
            let entry = file.lines.entry(line).or_default();
            // A warning is worth more than that the line is covered, and an info less.
            if entry.0 != Some(false) {
                entry.0 = is_good.or(entry.0);
            }
            entry.1.extend(text);
        };
    for place in reported.covered {
        at(&place.source, place.start().line, Some(true), None);
    }
    for finding in reported.findings {
        let Some(place) = &finding.place else { continue };
        let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        let (severity, code) = (finding.severity.as_str(), finding.code.id());
        let text = names.text(&format!("{severity} `{code}`: {}{help}", finding.message));
        let text = text.chars().take(REMARK).collect();
        let is_good = (finding.severity != Severity::Info).then_some(false);
        at(&place.source, place.start().line, is_good, Some(text));
    }
    let mut files: Vec<Remarks> = files.into_values().collect();
    // Those with something wrong first: the room of a page may not do for all.
    files.sort_by_key(|file| !file.is_bad);
    let left = files.len().saturating_sub(FILES);
    let (mut room, mut sections) = (ROOM, Vec::new());
    for file in files.iter().take(FILES) {
        let lines = visible_lines(file, &mut room);
        let title = format!("`{}`", names.name(file.source.name()));
        sections.extend(Section::new(title, "", [Part::Listing(lines)]));
    }
    if left > 0 || room == 0 {
        let text = "The page has a limit: the output of the command has all findings.";
        sections.extend(Section::new("More", "", [Part::Sentence(text.to_owned())]));
    }
    sections
}

/// The lines of a file that are shown.
fn visible_lines(file: &Remarks, room: &mut usize) -> Vec<Line> {
    let texts: Vec<&str> = file.source.text().lines().collect();
    let first = file.source.first_line();
    let is_whole = texts.len() <= WHOLE;
    let is_near = |number: usize| {
        let near = number.saturating_sub(AROUND)..=number + AROUND;
        is_whole || file.lines.range(near).next().is_some()
    };
    let mut lines = Vec::new();
    let numbered = texts.iter().zip(first..).filter(|(_, number)| is_near(*number));
    for (text, number) in numbered {
        let (is_good, all) = file.lines.get(&number).cloned().unwrap_or_default();
        let text: String = text.chars().take(CHARACTERS).collect();
        let left = all.len().saturating_sub(REMARKS) as u64;
        let mut remarks: Vec<String> = all.into_iter().take(REMARKS).collect();
        remarks.extend((left > 0).then(|| format!("and {} more", count(left))));
        let size = text.len() + remarks.iter().map(String::len).sum::<usize>();
        let size = size + MARKUP * (1 + remarks.len());
        if size > *room {
            *room = 0;
            break;
        }
        *room -= size;
        lines.push(Line { number, text, is_good, remarks });
    }
    lines
}
