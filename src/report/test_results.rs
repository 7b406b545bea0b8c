//! The results of unit tests of policies as text.

use super::TraceItem;
use super::explanation::{Deciding, trace};
use super::layout::{Layout, prose};
use super::table::{Table, columns};
use super::test_report::{CoverageItem, CoverageReport, TestItem, TestOutcome, TestSummary};
use crate::analysis::unit_test::{FieldDifference, Mismatch};
use crate::findings::Style;
use document::diag::{plural, printable};
use std::fmt::Write;
use systems::Description;

/// A test, with what does not hold.
#[derive(Debug)]
pub struct TestResult {
    /// The test.
    pub item: TestItem,
    /// The expectations that do not hold.
    pub mismatches: Vec<Mismatch>,
    /// The system of its policies.
    pub system: &'static Description,
}

/// All tests of a run.
#[derive(Debug)]
pub struct TestResults<'r> {
    /// The tests, in the order of the files.
    pub tests: &'r [TestResult],
    /// What they cover.
    pub coverage: &'r CoverageReport,
    /// How many there are.
    pub summary: TestSummary,
}

/// Blanks before the details of a test.
const INDENT: usize = 4;

/// What differs in a test, as plain text of any width: the message of its item.
pub fn message(mismatches: &[Mismatch], system: &Description) -> String {
    let layout = Layout { wide: false, headers: true, width: None, style: Style::Plain };
    let mut out = String::new();
    for mismatch in mismatches {
        write_mismatch(&mut out, mismatch, system, &layout);
    }
    out.trim_end().to_owned()
}

impl TestResults<'_> {
    /// The tests that failed, in full.
    pub fn failures(&self, layout: &Layout) -> String {
        let mut out = String::new();
        for test in self.tests.iter().filter(|test| test.item.outcome == TestOutcome::Failed) {
            let word = layout.paint("FAIL", Some(false));
            let TestItem { file, line, name, .. } = &test.item;
            let _ = writeln!(out, "{word}  {}:{line}  {}\n", printable(file), printable(name));
            let narrow =
                Layout { width: layout.width.map(|width| width.saturating_sub(INDENT)), ..*layout };
            let mut text = String::new();
            for mismatch in &test.mismatches {
                write_mismatch(&mut text, mismatch, test.system, &narrow);
            }
            for line in text.lines() {
                let indent = if line.is_empty() { 0 } else { INDENT };
                let _ = writeln!(out, "{}{line}", " ".repeat(indent));
            }
        }
        out
    }

    /// A line for each file, or for each test.
    pub fn passes(&self, is_verbose: bool, layout: &Layout) -> String {
        let mut out = String::new();
        for tests in self.tests.chunk_by(|one, other| one.item.file == other.item.file) {
            let passed =
                tests.iter().filter(|test| test.item.outcome == TestOutcome::Passed).count();
            if is_verbose {
                for TestItem { file, line, name, outcome, .. } in
                    tests.iter().map(|test| &test.item)
                {
                    let has_passed = *outcome == TestOutcome::Passed;
                    let word =
                        layout.paint(if has_passed { "PASS" } else { "FAIL" }, Some(has_passed));
                    let _ =
                        writeln!(out, "{word}  {}:{line}  {}", printable(file), printable(name));
                }
                continue;
            }
            let Some(first) = tests.first() else { continue };
            let is_good = passed == tests.len();
            let word = layout.paint(if is_good { "PASS" } else { "FAIL" }, Some(is_good));
            let tests = plural(tests.len(), "test", "tests");
            let count = if is_good { tests } else { format!("{passed} of {tests} passed") };
            let _ = writeln!(out, "{word}  {}  {count}", printable(&first.item.file));
        }
        out
    }

    /// The coverage: what is not covered, each with its place.
    pub fn coverage(&self, is_verbose: bool, layout: &Layout) -> String {
        let CoverageReport { percent, covered, total, items, .. } = self.coverage;
        let is_good = if covered == total {
            Some(true)
        } else {
            Some(false).filter(|_| self.coverage.is_too_low())
        };
        let share = layout.paint(&format!("{percent:.1} %"), is_good);
        let mut out =
            format!("Coverage: {share}, {covered} of {total} rules, defaults and limits\n");
        let narrow = narrowed(layout, 2);
        let mut line = |item: &CoverageItem, verb: &str| {
            let reason = item.reason.as_deref().unwrap_or_default();
            let text = format!("{}:{}: {} {verb}{reason}", item.file, item.line, item.label());
            let text = printable(&text).into_owned();
            let _ = writeln!(out, "{}", indented(&prose(&text, &narrow), 2).trim_end());
        };
        for item in items.iter().filter(|item| item.counted && !item.covered) {
            line(item, "");
        }
        let not_counted = || items.iter().filter(|item| !item.counted);
        let count = not_counted().count();
        if is_verbose {
            not_counted().for_each(|item| line(item, "is not counted: "));
        } else if count > 0 {
            let are = if count == 1 { "1 is" } else { &format!("{count} are") };
            let text = format!("{are} not counted, since no failure reaches it; -v shows why");
            let text = if count == 1 { text } else { text.replace("reaches it", "reaches them") };
            let _ = writeln!(out, "  {}", prose(&text, &narrow));
        }
        out
    }

    /// The last line.
    pub fn summary(&self) -> String {
        let TestSummary { files, tests, passed, failed, not_selected } = self.summary;
        let mut line = format!(
            "{} in {}: {passed} passed, {failed} failed",
            plural(tests, "test", "tests"),
            plural(files, "file", "files")
        );
        if not_selected > 0 {
            let _ = write!(line, ", {not_selected} not selected");
        }
        let _ = write!(line, "; coverage {:.1} %", self.coverage.percent);
        if let Some(threshold) = self.coverage.threshold {
            let relation = if self.coverage.is_too_low() { "below" } else { "meets" };
            let _ = write!(line, ", {relation} the threshold of {threshold} %");
        }
        line + "\n"
    }
}

fn narrowed(layout: &Layout, by: usize) -> Layout {
    Layout { width: layout.width.map(|width| width.saturating_sub(by)), ..*layout }
}

fn indented(text: &str, by: usize) -> String {
    text.lines()
        .map(
            |line| {
                if line.is_empty() {
                    "\n".to_owned()
                } else {
                    format!("{}{line}\n", " ".repeat(by))
                }
            },
        )
        .collect()
}

/// Writes what differs, expected beside got, and why the decision came as it did.
fn write_mismatch(out: &mut String, mismatch: &Mismatch, system: &Description, layout: &Layout) {
    let line = mismatch.place.start().line;
    let _ = writeln!(out, "line {line}, {}", printable(&mismatch.subject));
    if !mismatch.fields.is_empty() {
        let columns = columns![row in &FieldDifference;
            "FIELD" => row.field.clone(),
            "EXPECTED" => row.expected.clone(),
            "GOT" => row.got.clone(),
        ];
        let fields = Table::new(&mismatch.fields, &columns).whole();
        out.push_str(&indented(&fields.render(&narrowed(layout, 2)), 2));
    }
    let reason = printable(&mismatch.reason);
    let _ = writeln!(out, "{}\n", indented(&prose(&reason, &narrowed(layout, 2)), 2).trim_end());
    let Some((decision, tried)) = &mismatch.decision else { return };
    let items: Vec<TraceItem> = tried
        .iter()
        .map(|tried| TraceItem {
            policy: tried.rule.policy.clone(),
            rule_index: tried.rule.index,
            matched: tried.matched,
            why: tried.why.clone(),
        })
        .collect();
    if items.is_empty() {
        return;
    }
    let deciding = Deciding {
        rule: (decision.policy.as_deref(), decision.rule_index),
        decision: &decision.decision,
    };
    let text = trace(&items, &deciding, system, &narrowed(layout, 2));
    let _ = writeln!(out, "{}", indented(&text, 2));
}
