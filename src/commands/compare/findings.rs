//! `--report`: the differences as findings at the rules, for other programs.

use super::side::Version;
use crate::commands::report_files::Reports;
use crate::report::{
    self, CiReport, ComparedItem, ComparedRule, ComparisonReport, DifferenceGroup, ItemStatus,
    TestItem, TestOutcome, Unknown,
};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::engine::compare::DifferenceKind;
use document::diag::{Code, Diagnostic, Findings, Place, Severity};

/// Writes the reports.
pub(super) fn write(
    ui: &mut Ui,
    reports: &Reports,
    versions: &[Version; 2],
    report: &ComparisonReport,
) -> Result<()> {
    let mut findings = Findings::new();
    findings.order_files(versions[1].files());
    for item in report.items() {
        findings.extend(item.groups().iter().map(|group| difference(versions, item, group)));
        findings.extend(item.unknown().iter().map(|it| unknown(versions, item, it)));
        findings.extend(only_in_one(versions, item));
    }
    let findings = findings.sorted();
    let tests: Vec<TestItem> =
        report.items().iter().filter_map(|item| same(&versions[1], item)).collect();
    let files: Vec<String> = versions[1].files().map(str::to_owned).collect();
    let reported = CiReport {
        command: "compare",
        findings: &findings,
        tests: &tests,
        covered: &[],
        coverage: None,
        comparison: Some(report),
        files: &files,
        json: report::json(report),
        // The exit code is 1 for each of them.
        fail_on: Severity::Info,
    };
    reports.write(ui, &reported)
}

/// The finding about a difference, at the rule of the version after, else at that of the version before.
fn difference(versions: &[Version; 2], item: &ComparedItem, group: &DifferenceGroup) -> Diagnostic {
    let [before, after] = group.sides();
    // CI systems follow a case of a test by its message, which has no counts of histories for that reason.
    let message = format!(
        "{}{}; {}; before: {before}; after: {after}",
        prefix(item),
        group.headline(),
        group.example()
    );
    let severity = match group.kind() {
        Some(
            DifferenceKind::Wait
            | DifferenceKind::Nodes
            | DifferenceKind::Memory
            | DifferenceKind::PodNames,
        ) => Severity::Info,
        _ => Severity::Warning,
    };
    let finding = at_rules(versions, group.rules(), (Code::DecidedOtherwise, severity), message);
    let recorded = group.recorded().map(|text| format!("in history: {text}; ")).unwrap_or_default();
    finding.help(recorded + "if it is intended, keep it with `--as-tests`")
}

fn unknown(versions: &[Version; 2], item: &ComparedItem, unknown: &Unknown) -> Diagnostic {
    let pair = unknown.pair();
    let message = prefix(item) + &unknown.text();
    at_rules(versions, [&pair.old, &pair.new], (Code::NotCompared, Severity::Warning), message)
}

/// A finding at the rule of the version after, with that of the version before as a second place; without a rule at
/// no place.
fn at_rules(
    versions: &[Version; 2],
    rules: [&ComparedRule; 2],
    (code, severity): (Code, Severity),
    message: String,
) -> Diagnostic {
    let place = |side: usize| versions[side].place_at(rules[side].place.as_deref()?);
    let mut finding = Diagnostic { severity, ..Diagnostic::without_place(code, message) };
    match [place(0), place(1)] {
        [Some(old), Some(new)] => {
            finding.place = Some(new);
            finding = finding.also(old, "the rule before");
        }
        [old, new] => finding.place = new.or(old),
    }
    finding
}

/// The finding about an item that only one version has.
fn only_in_one(versions: &[Version; 2], item: &ComparedItem) -> Option<Diagnostic> {
    let (version, word) = match item.status() {
        ItemStatus::Added => (&versions[1], "after"),
        ItemStatus::Removed => (&versions[0], "before"),
        _ => return None,
    };
    let message = format!("{} is only in the version {word}", item.label());
    let finding = Diagnostic::without_place(Code::OnlyInOneVersion, message);
    Some(Diagnostic { severity: Severity::Info, place: place(version, item), ..finding })
}

/// The test of an item that both versions decide alike. It passes.
fn same(version: &Version, item: &ComparedItem) -> Option<TestItem> {
    let place = place(version, item).filter(|_| item.status() == ItemStatus::Same)?;
    Some(TestItem {
        file: place.source.name().to_owned(),
        name: item.label().replace('`', ""),
        line: place.start().line,
        outcome: TestOutcome::Passed,
        message: None,
    })
}

fn place(version: &Version, item: &ComparedItem) -> Option<Place> {
    match item.queue() {
        Some(queue) => version.place_of_queue(queue),
        None if item.is_armadas() => version.place(item.name(), None),
        None => version.place_of_manifest(item.kind(), item.name()),
    }
}

/// The name of a queue, whose rules do not tell it.
fn prefix(item: &ComparedItem) -> String {
    item.queue().map(|queue| format!("queue `{queue}`: ")).unwrap_or_default()
}
