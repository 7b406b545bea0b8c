//! The flow of `test`: reads the test files, runs their tests and prints the results.

use super::args::TestArgs;
use super::files;
use super::session::{Session, compile};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::report_files::Reports;
use crate::report::{self, CiReport, CoverageReport, TestReport, TestResults};
use crate::ui::ErrorFormat;
use anyhow::Result;
use document::diag::{Code, Diagnostic, Place, Severity};
use std::collections::BTreeSet;

/// Reads the files and runs the tests.
pub(super) fn run_tests(args: &TestArgs) -> Result<Session> {
    let patterns = compile(&args.patterns).map_err(|(pattern, error)| {
        let message = format!("`--run {pattern}` is not a pattern: {error}");
        Refusal::usage(message).help("patterns are in Go's dialect, as those of policies")
    })?;
    let mut session = Session { patterns, ..Session::default() };
    for document in files::test_documents(&args.files, &mut session) {
        files::run_document(&document, &mut session);
    }
    Ok(session)
}

/// Prints the results; an error if something is wrong with the files.
pub(super) fn report(
    context: &mut Context<'_>,
    (args, reports): (&TestArgs, &Reports),
    output: Output,
    mut session: Session,
) -> Result<Exit> {
    let found = std::mem::take(&mut session.findings);
    let has_errors = found.has_errors();
    // Several test files may name the same policies.
    let mut seen = BTreeSet::new();
    let mut found = found.sorted();
    found.retain(|finding| seen.insert(finding_key(finding)));
    if has_errors {
        let nothing = TestReport::new(
            Vec::new(),
            CoverageReport::new(&session.coverage, args.coverage_threshold),
            session.summary(),
        );
        write_reports(context, reports, (&found, &[]), &nothing)?;
        return Err(Refusal::findings(found).with_count("no test was run").into());
    }
    context.ui.diagnostics(&found)?;
    let coverage = CoverageReport::new(&session.coverage, args.coverage_threshold);
    let summary = session.summary();
    let exit = if summary.tests == 0 || summary.failed > 0 || coverage.is_too_low() {
        Exit::No
    } else {
        Exit::Done
    };
    // Failed tests are given as tests, so that only the rest are findings.
    let mut others = session.as_findings(&coverage);
    others.retain(|finding| finding.code != Code::FailedTest);
    found.extend(others);
    let items = session.results.iter().map(|test| test.item.clone()).collect();
    let report = TestReport::new(items, coverage, summary);
    let covered = session.coverage.counted().filter(|entry| entry.is_covered);
    let covered: Vec<Place> = covered.map(|entry| entry.target.place.clone()).collect();
    let written = write_reports(context, reports, (&found, &covered), &report);
    match output {
        _ if reports.has_stdout() => {}
        Output::Json => context.ui.data(&report::json(&report))?,
        Output::Yaml => context.ui.data(&report::yaml(&report)?)?,
        Output::Table | Output::Wide | Output::Csv | Output::Name => {
            print(context, &session, &report.coverage)?;
        }
    }
    written?;
    if summary.tests == 0 {
        report_no_tests(context, summary.not_selected)?;
    }
    Ok(exit)
}

/// Prints why no test was run.
fn report_no_tests(context: &mut Context<'_>, not_selected: usize) -> Result<()> {
    context.ui.flush()?;
    let (message, help) = match not_selected {
        0 => ("no tests: the files have none", "write a `kind: RetryPolicyTest` document"),
        _ => ("no tests: --run matches none", "leave out --run, or add -v to see the names"),
    };
    Ok(context.ui.error(message, Some(help))?)
}

/// Writes the reports of `--report`.
fn write_reports(
    context: &mut Context<'_>,
    reports: &Reports,
    (findings, covered): (&[Diagnostic], &[Place]),
    report: &TestReport,
) -> Result<()> {
    let mut files: Vec<String> = report.items.iter().map(|item| item.file.clone()).collect();
    files.dedup();
    let reported = CiReport {
        command: "test",
        findings,
        tests: &report.items,
        covered,
        coverage: Some(&report.coverage),
        comparison: None,
        files: &files,
        json: report::json(report),
        fail_on: Severity::Error,
    };
    reports.write(context.ui, &reported)
}

/// Prints the results as text.
fn print(context: &mut Context<'_>, session: &Session, coverage: &CoverageReport) -> Result<()> {
    let results = TestResults { tests: &session.results, coverage, summary: session.summary() };
    let (quiet, verbose) = (context.globals.quiet, context.globals.server.verbose);
    let layout = context.layout(false);
    let format = context.globals.error_format.unwrap_or_default();
    if format != ErrorFormat::Human {
        let shown = session.as_findings(coverage);
        let shown: Vec<Diagnostic> =
            shown.into_iter().filter(|it| !quiet || it.severity != Severity::Info).collect();
        context.ui.findings(&shown)?;
        if !quiet && format != ErrorFormat::Json {
            context.ui.data(&results.summary())?;
        }
        return Ok(());
    }
    let mut text = results.failures(&layout);
    if !quiet {
        text += &results.passes(verbose, &layout);
    }
    if session.results.is_empty() {
        context.ui.data(&text)?;
        return Ok(());
    }
    if !quiet || coverage.is_too_low() {
        text += &results.coverage(verbose, &layout);
    }
    if !quiet {
        text += &results.summary();
    }
    context.ui.data(&text)?;
    Ok(())
}

/// The key by which two findings are the same: the place and the message.
fn finding_key(finding: &Diagnostic) -> (Option<String>, String) {
    (finding.place.as_ref().map(ToString::to_string), finding.message.clone())
}
