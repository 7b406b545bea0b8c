//! The section of `validate`, `lint` and `test`: counts, findings and failed tests.

use super::block::{Block, fit, table};
use super::text::{inline, long};
use crate::findings::DiagnosticCounts;
use crate::report::ci_report::{CiReport, RunFacts, failure_of, file_of, message_of};
use crate::report::figures::{count, several};
use crate::report::short_paths::ShortPaths;
use crate::report::{ComparedItem, ComparisonReport, TestOutcome};
use document::diag::Diagnostic;

/// Renders the section.
pub(in crate::report) fn render(reported: &CiReport<'_>, run: &RunFacts) -> String {
    if let Some(report) = reported.comparison {
        return render_comparison(report, run);
    }
    let files = reported.files.iter().map(String::as_str);
    let files = files.chain(reported.findings.iter().filter_map(file_of));
    let files = files.chain(reported.tests.iter().map(|test| test.file.as_str()));
    let paths = ShortPaths::new(run.paths.clone(), files);
    let failed = reported.tests.iter().filter(|test| test.outcome == TestOutcome::Failed);
    let failed = failed.map(|test| {
        let place = format!("{}:{}", paths.name(&test.file), test.line);
        vec![place, test.name.clone(), paths.text(failure_of(test))]
    });
    let findings = reported.findings.iter().map(|finding| {
        let severity = finding.severity.as_str().to_owned();
        let code = finding.code.id().to_owned();
        vec![severity, code, place(finding, &paths), paths.text(&message_of(finding))]
    });
    let mut blocks = vec![Block::paragraph(&format!("### {}", headline(reported)))];
    blocks.extend(table(&["place", "test", "message"], "failed tests", failed));
    blocks.extend(table(&["severity", "rule", "place", "message"], "findings", findings));
    fit(&blocks, None)
}

/// The counts of a section.
fn headline(reported: &CiReport<'_>) -> String {
    let counts = DiagnosticCounts::of(reported.findings);
    let found = [
        several(counts.errors as u64, "error"),
        several(counts.warnings as u64, "warning"),
        several(counts.infos as u64, "info"),
    ];
    let files = several(reported.files.len() as u64, "file");
    if reported.command != "test" {
        return format!("armadactl {}: {} in {files}", reported.command, found.join(", "));
    }
    let failed = reported.tests.iter().filter(|test| test.outcome == TestOutcome::Failed).count();
    let passed = (reported.tests.len() - failed) as u64;
    let tests = format!("{} passed, {} failed in {files}", count(passed), count(failed as u64));
    match reported.findings {
        [] => format!("armadactl test: {tests}"),
        _ => format!("armadactl test: {tests}; {}", found.join(", ")),
    }
}

/// The place of a finding: its file and line, else its file.
fn place(finding: &Diagnostic, paths: &ShortPaths) -> String {
    let path = file_of(finding).map(|name| paths.name(name)).unwrap_or_default();
    match &finding.place {
        Some(place) => format!("{path}:{}", place.start().line),
        None => path,
    }
}

/// Renders the section.
fn render_comparison(report: &ComparisonReport, run: &RunFacts) -> String {
    let paths = ShortPaths::new(run.paths.clone(), report.files());
    let sentences = report.sentences();
    let mut blocks = Vec::new();
    if let Some((answer, others)) = sentences.split_first() {
        blocks.push(Block::paragraph(&format!("### armadactl compare: {}", long(answer))));
        blocks.extend(others.iter().map(|text| Block::paragraph(&long(text))));
    }
    let notes = report.notes().map(|note| inline(&note.message));
    blocks.extend(notes.map(|note| Block::list([note])));
    for item in report.items() {
        blocks.extend(differences(item, report.has_recorded(), &paths));
        let unknown: Vec<String> =
            item.unknown().iter().map(|it| long(&paths.text(&it.text()))).collect();
        blocks.extend((!unknown.is_empty()).then(|| Block::list(unknown)));
    }
    fit(&blocks, None)
}

/// The name of an item, and a table of its differences; none without differences.
fn differences(item: &ComparedItem, has_recorded: bool, paths: &ShortPaths) -> Vec<Block> {
    let mut headers = vec!["difference", "example", "before", "after"];
    headers.extend(has_recorded.then_some("in history"));
    let rows = item.groups().iter().map(|group| {
        let mut row = vec![group.headline(), group.example()];
        row.extend(group.sides().map(|side| paths.text(&side)));
        row.extend(group.recorded().filter(|_| has_recorded));
        row
    });
    let name = format!("**{}**", inline(&item.label()));
    let table = table(&headers, "differences", rows);
    table.into_iter().flat_map(|table| [Block::paragraph(&name), table]).collect()
}
