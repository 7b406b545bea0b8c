//! What a command found about files, for the renderers of `--report`.

use super::report_paths::ReportPaths;
use super::{ComparisonReport, CoverageReport, TestItem};
use document::diag::{Code, Diagnostic, Place, Severity};
use std::time::Duration;

/// The results of `validate`, `lint`, `test` or `compare`.
#[derive(Debug)]
pub struct CiReport<'r> {
    /// The command: `validate`, `lint`, `test` or `compare`.
    pub command: &'static str,
    /// The findings, by place.
    pub findings: &'r [Diagnostic],
    /// The tests that ran.
    pub tests: &'r [TestItem],
    /// The places of rules, defaults and limits that tests check.
    pub covered: &'r [Place],
    /// How much of the policies the tests check; `None` for other commands.
    pub coverage: Option<&'r CoverageReport>,
    /// The result of `compare`; `None` for other commands.
    pub comparison: Option<&'r ComparisonReport>,
    /// The names of the checked files. One without findings and tests passes.
    pub files: &'r [String],
    /// The command's own report as JSON, with a line break at its end.
    pub json: String,
    /// The least severity at which a finding is a failure.
    pub fail_on: Severity,
}

/// The circumstances of a run, which the renderers cannot see.
#[derive(Debug)]
pub struct RunFacts {
    /// The time since the start.
    pub elapsed: Duration,
    /// The directories that names of files are relative to.
    pub paths: ReportPaths,
}

/// The name of the file that a finding is about. A finding about a whole file without a text names it in its
/// message.
pub(super) fn file_of(finding: &Diagnostic) -> Option<&str> {
    if let Some(place) = &finding.place {
        return Some(place.source.name());
    }
    let is_about_file = matches!(finding.code, Code::Unreadable | Code::NotUtf8 | Code::TooMuch);
    finding.message.split('`').nth(1).filter(|_| is_about_file)
}

/// Why a test fails.
pub(super) fn failure_of(test: &TestItem) -> &str {
    test.message.as_deref().filter(|text| !text.trim().is_empty()).unwrap_or("the test fails")
}

/// The message of a finding with its help.
pub(super) fn message_of(finding: &Diagnostic) -> String {
    match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    }
}

#[cfg(test)]
pub(super) mod samples {
    use super::*;
    use crate::report::TestOutcome;
    use document::diag::{Edit, Fix, Place, Source, Span};

    /// The facts of a run in `/work/policies` of a repository at `/work`.
    pub fn run() -> RunFacts {
        let elapsed = Duration::from_millis(12);
        RunFacts { elapsed, paths: ReportPaths::new("/srv/policies", "/srv") }
    }

    /// Results of a command without files and tests.
    pub fn reported(findings: &[Diagnostic]) -> CiReport<'_> {
        let json = "{}\n".to_owned();
        let fail_on = Severity::Error;
        let (tests, covered, files) = (&[], &[], &[]);
        let (command, coverage, comparison) = ("validate", None, None);
        CiReport { command, findings, tests, covered, coverage, comparison, files, json, fail_on }
    }

    /// An error at the first occurrence of a word in a text.
    pub fn error_at(name: &str, text: &str, word: &str) -> Diagnostic {
        let place = place(name, text, word);
        Diagnostic::error(Code::UnknownField, place, format!("unknown field `{word}`"))
    }

    /// The place of a word in a text.
    pub fn place(name: &str, text: &str, word: &str) -> Place {
        let start = text.find(word).unwrap();
        Place::new(&Source::new(name, text), Span::new(start, start + word.len()))
    }

    /// A finding of each form: with a second place and a fix, with a message that needs escapes, of each
    /// severity, without a place.
    pub fn findings() -> Vec<Diagnostic> {
        let text = "a: 1\né: {x: 2}\nc: 3\n";
        let place = |word: &str| place("a b/ü&<1>.yaml", text, word);
        let edits = vec![Edit { place: place("c: 3\n"), text: String::new() }];
        vec![
            Diagnostic::without_place(Code::Unreadable, "cannot read `../no.yaml`: gone"),
            Diagnostic::error(
                Code::UnknownField,
                place("x"),
                "unknown \"field\" <x> & 100%\u{1b}[0m",
            )
            .help("did you mean `y`?")
            .also(place("a"), "first")
            .fixed_by(Some(Fix { title: "remove c".to_owned(), edits })),
            Diagnostic::error(Code::Syntax, place("é"), "a syntax error"),
            Diagnostic::warning(Code::OddSpelling, place("c"), "an odd spelling"),
            Diagnostic::info(Code::OddSpelling, place("c"), "an odd spelling"),
        ]
    }

    /// A passed and a failed test.
    pub fn tests() -> Vec<TestItem> {
        let item = |name: &str, line, outcome, message: Option<&str>| TestItem {
            file: "tests/gpu.yaml".to_owned(),
            name: name.to_owned(),
            line,
            outcome,
            message: message.map(str::to_owned),
        };
        vec![
            item("retried", 7, TestOutcome::Passed, None),
            item("100%, then: fails", 9, TestOutcome::Failed, Some("expected: Retry\ngot: Fail")),
        ]
    }
}
