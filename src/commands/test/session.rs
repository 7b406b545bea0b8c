//! The results of a run so far.

use crate::analysis::unit_test::{Case, CaseOutcome, Coverage, Mismatch, TargetIndex};
use crate::report::test_results::message;
use crate::report::{CoverageReport, TestItem, TestOutcome, TestResult, TestSummary};
use document::diag::{Code, Diagnostic, Findings, Place, Severity};
use document::pattern::Pattern;
use regex_automata::meta::Regex;
use std::collections::BTreeSet;
use std::path::PathBuf;
use systems::Description;

/// The results of a run so far.
#[derive(Default)]
pub(super) struct Session {
    /// All that is wrong with the files.
    pub(super) findings: Findings,
    /// The tests that were run.
    pub(super) results: Vec<TestResult>,
    /// Coverage by these tests.
    pub(super) coverage: Coverage,
    /// Test files with tests.
    pub(super) files: BTreeSet<String>,
    /// Tests that were not selected.
    pub(super) not_selected: usize,
    /// All files that the tests depend on.
    pub(super) inputs: BTreeSet<PathBuf>,
    /// Whether the tests are only checked.
    pub(super) is_check: bool,
    /// The patterns of the tests that are run; empty for all.
    pub(super) patterns: Vec<Regex>,
}

impl Session {
    /// Whether a test is run.
    pub(super) fn selects(&self, name: &str) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.is_match(name))
    }

    /// Adds the outcome of a case.
    pub(super) fn add(
        &mut self,
        case: &Case<'_>,
        outcome: CaseOutcome,
        system: &'static Description,
        targets: &TargetIndex<'_>,
    ) {
        let CaseOutcome { mismatches, decided } = outcome;
        self.coverage.add_decisions(&case.name, targets, &decided);
        let has_passed = mismatches.is_empty();
        let item = TestItem {
            file: case.place.source.name().to_owned(),
            name: case.name.clone(),
            line: case.place.start().line,
            outcome: if has_passed { TestOutcome::Passed } else { TestOutcome::Failed },
            message: (!has_passed).then(|| message(&mismatches, system)),
        };
        self.results.push(TestResult { item, mismatches, system });
    }

    /// How many tests there are.
    pub(super) fn summary(&self) -> TestSummary {
        let passed = self.results.iter();
        let passed = passed.filter(|test| test.item.outcome == TestOutcome::Passed).count();
        TestSummary {
            files: self.files.len(),
            tests: self.results.len(),
            passed,
            failed: self.results.len() - passed,
            not_selected: self.not_selected,
        }
    }

    /// The expectations that do not hold, and what is not covered, as findings.
    pub(super) fn as_findings(&self, coverage: &CoverageReport) -> Vec<Diagnostic> {
        let mut findings = Findings::new();
        for test in &self.results {
            findings.extend(test.mismatches.iter().map(|it| failed_test(&test.item.name, it)));
        }
        let severity = if coverage.is_too_low() { Severity::Warning } else { Severity::Info };
        for entry in self.coverage.counted().filter(|entry| !entry.is_covered) {
            let item = crate::report::CoverageItem::from(entry);
            let place: Place = entry.target.place.clone();
            let reason = item.reason.as_deref().unwrap_or("is not covered");
            let message = format!("{} {reason}", item.label());
            let finding = Diagnostic::warning(Code::Untested, place, message);
            findings.push(Diagnostic { severity, ..finding });
        }
        findings.sorted()
    }
}

/// The finding that an expectation of a test does not hold.
fn failed_test(name: &str, mismatch: &Mismatch) -> Diagnostic {
    let fields = mismatch.fields.iter();
    let fields = fields.map(|it| format!("{} is {}, not {}", it.field, it.got, it.expected));
    let fields: Vec<String> = fields.collect();
    let what = if fields.is_empty() { mismatch.reason.clone() } else { fields.join("; ") };
    let message = format!("test `{name}`, {}: {what}", mismatch.subject);
    let finding = Diagnostic::error(Code::FailedTest, mismatch.place.clone(), message);
    let reason = (!fields.is_empty()).then(|| mismatch.reason.clone());
    finding.maybe_help(reason.filter(|reason| !reason.is_empty()))
}

/// Compiles the patterns of `--run`.
///
/// # Errors
///
/// The pattern that Go would refuse, and why.
pub(super) fn compile(patterns: &[String]) -> Result<Vec<Regex>, (String, String)> {
    let compile = |text: &String| {
        let pattern = Pattern::parse(text).map_err(|error| (text.clone(), error.to_string()))?;
        pattern.regex().map_err(|_| (text.clone(), "it is too large".to_owned()))
    };
    patterns.iter().map(compile).collect()
}
