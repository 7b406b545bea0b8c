//! `JUnit`'s XML, as the Jenkins xunit plugin's `junit-10.xsd` has it.
//!
//! A file is a test suite. Its cases are its findings and its tests; a file without either has one case, which
//! passes. The schema has no file and line at a case: the file is at the suite, the line in the text.

use super::TestOutcome;
use super::ci_report::{CiReport, RunFacts, failure_of, file_of};
use document::diag::{Code, Diagnostic, is_unprintable};
use std::collections::HashMap;
use std::fmt::Write;

/// A test suite.
struct Suite {
    /// The path of the file.
    file: String,
    cases: Vec<Case>,
}

/// A test case.
struct Case {
    name: String,
    outcome: Outcome,
}

/// How a case ended.
enum Outcome {
    /// It passes; the text is its output.
    Passed(Option<String>),
    /// It fails.
    Failed(Problem),
    /// It could not be run.
    Error(Problem),
}

/// Why a case does not pass.
struct Problem {
    /// The id of the finding, or `FailedTest`.
    kind: &'static str,
    message: String,
    text: String,
}

/// Renders findings and tests.
pub(super) fn render(reported: &CiReport<'_>, run: &RunFacts) -> String {
    let suites = suites(reported, run);
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"armadactl {}\" {} time=\"{:.3}\">",
        reported.command,
        counts(all()),
        run.elapsed.as_secs_f64(),
    );
    for suite in &suites {
        let file = attribute(&suite.file);
        let counts = counts(suite.cases.iter());
        let _ = writeln!(out, "  <testsuite name=\"{file}\" file=\"{file}\" {counts}>");
        for case in &suite.cases {
            write_case(&mut out, case, &class_name(reported.command, &suite.file));
        }
        out.push_str("  </testsuite>\n");
    }
    out + "</testsuites>\n"
}

/// The suites: checked files in their order, then other files that findings name.
fn suites(reported: &CiReport<'_>, run: &RunFacts) -> Vec<Suite> {
    let mut suites: Vec<Suite> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut position_of = |suites: &mut Vec<Suite>, name: Option<&str>| {
        let file = name.map_or_else(|| ".".to_owned(), |name| run.paths.path(name));
        *positions.entry(file.clone()).or_insert_with(|| {
            suites.push(Suite { file, cases: Vec::new() });
            suites.len() - 1
        })
    };
    for file in reported.files {
        position_of(&mut suites, Some(file));
    }
    for finding in reported.findings {
        let at = position_of(&mut suites, file_of(finding));
        suites[at].cases.push(finding_case(reported, finding));
    }
    for test in reported.tests {
        let at = position_of(&mut suites, Some(&test.file));
        let message = failure_of(test);
        let problem = || Problem {
            kind: "FailedTest",
            message: message.lines().next().unwrap_or_default().to_owned(),
            text: format!("{}:{}: {}\n{message}", suites[at].file, test.line, test.name),
        };
        let outcome = match test.outcome {
            TestOutcome::Passed => Outcome::Passed(None),
            TestOutcome::Failed => Outcome::Failed(problem()),
        };
        suites[at].cases.push(Case { name: test.name.clone(), outcome });
    }
    for suite in &mut suites {
        complete(reported.command, &mut suite.cases);
    }
    suites
}

/// The case of a finding. It passes below the level of failures.
fn finding_case(reported: &CiReport<'_>, finding: &Diagnostic) -> Case {
    let id = finding.code.id();
    let text = document::diag::short(std::slice::from_ref(finding));
    let text = text.trim_end().to_owned();
    let problem = |text| Problem { kind: id, message: finding.message.clone(), text };
    let is_failure = finding.severity <= reported.fail_on;
    // A file that cannot be read is not tested, and neither is one of tests with a mistake.
    let is_error = reported.command == "test"
        || matches!(
            finding.code,
            Code::Syntax
                | Code::TooMuch
                | Code::NotUtf8
                | Code::NoDocument
                | Code::UnknownAlias
                | Code::Unreadable
        );
    let outcome = match (is_failure, is_error) {
        (true, true) => Outcome::Error(problem(text)),
        (true, false) => Outcome::Failed(problem(text)),
        (false, _) => Outcome::Passed(Some(text)),
    };
    Case { name: format!("{id}: {}", finding.message), outcome }
}

/// Adds the case of a file without any, and numbers cases of one name: CI systems follow a case over runs by
/// its name.
fn complete(command: &str, cases: &mut Vec<Case>) {
    if cases.is_empty() {
        cases.push(Case { name: command.to_owned(), outcome: Outcome::Passed(None) });
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for case in cases {
        let number = numbers.entry(case.name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            case.name = format!("{} ({number})", case.name);
        }
    }
}

/// The class of a file's cases. CI systems show what is before its last dot as the package, so the path has no
/// other dots.
fn class_name(command: &str, file: &str) -> String {
    let name = file.trim_start_matches(['.', '/']);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    attribute(&format!("armadactl.{command}.{}", stem.replace('.', "_")))
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case>) -> String {
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for case in cases {
        tests += 1;
        match case.outcome {
            Outcome::Passed(_) => {}
            Outcome::Failed(_) => failures += 1,
            Outcome::Error(_) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn write_case(out: &mut String, case: &Case, class: &str) {
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{}\"", attribute(&case.name));
    let (element, problem) = match &case.outcome {
        Outcome::Passed(None) => return out.push_str("/>\n"),
        Outcome::Passed(Some(text)) => {
            let _ = writeln!(
                out,
                ">\n      <system-out>{}</system-out>\n    </testcase>",
                content(text)
            );
            return;
        }
        Outcome::Failed(problem) => ("failure", problem),
        Outcome::Error(problem) => ("error", problem),
    };
    let _ = writeln!(
        out,
        ">\n      <{element} type=\"{}\" message=\"{}\">{}</{element}>\n    </testcase>",
        attribute(problem.kind),
        attribute(&problem.message),
        content(&problem.text),
    );
}

/// A text as the value of an attribute: a line break stays one.
fn attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;").replace('\n', "&#10;")
}

/// A text as the content of an element.
///
/// GitHub's runner takes a line of a program's output that begins with `::`, or has `##[`, for a command. A character
/// reference is the same text to a reader of XML, and no command.
fn content(text: &str) -> String {
    let line = |line: &str| {
        if line.trim_start().starts_with("::") {
            line.replacen(':', "&#58;", 1)
        } else {
            line.to_owned()
        }
    };
    let lines: Vec<String> = escape(text).split('\n').map(line).collect();
    lines.join("\n")
}

/// Escapes what XML gives a meaning. XML 1.0 has no form for most control characters and for two others: they
/// become `\u{..}`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A runner of GitHub takes `##[` for a command when the report goes to standard output (docs/reports.md).
            '[' if out.ends_with("##") => out.push_str("&#91;"),
            '\t' => out.push(' '),
            '\n' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c if is_unprintable(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::ci_report::samples;
    use super::*;
    use document::diag::Severity;

    #[test]
    fn files_are_suites_and_findings_and_tests_are_cases() {
        let (findings, tests) = (samples::findings(), samples::tests());
        let files = ["clean.v1.yaml".to_owned(), "a b/ü&<1>.yaml".to_owned()];
        let reported = CiReport { tests: &tests, files: &files, ..samples::reported(&findings) };
        insta::assert_snapshot!(render(&reported, &samples::run()));
    }

    #[test]
    fn texts_are_escaped() {
        let text = "a\u{0}\u{b}\r\t&<>\"'\n\u{fffe}\u{202e}é\u{1f600}";
        let escaped = "a\\u{0}\\u{b}\\u{d} &amp;&lt;&gt;\"'\n\\u{fffe}\\u{202e}é\u{1f600}";
        assert_eq!(content(text), escaped);
        assert_eq!(attribute("\"\n"), "&quot;&#10;");
        let commands = "a ::b\n::error::hi\n \t::warning::x ##[error]y";
        let escaped = "a ::b\n&#58;:error::hi\n  &#58;:warning::x ##&#91;error]y";
        assert_eq!(content(commands), escaped);
    }

    #[test]
    fn findings_below_the_level_pass() {
        let findings = samples::findings();
        let failed = |fail_on| {
            let reported = CiReport { fail_on, ..samples::reported(&findings) };
            let text = render(&reported, &samples::run());
            (text.matches("<failure ").count(), text.matches("<error ").count())
        };
        assert_eq!(Severity::ALL.map(failed), [(1, 2), (2, 2), (3, 2)]);
        let reported = CiReport { command: "test", ..samples::reported(&findings) };
        assert_eq!(render(&reported, &samples::run()).matches("<error ").count(), 3);
    }
}
