//! What must hold of any texts that are linted: nothing panics, every finding has a place in its text, no comment loses
//! a finding without a trace, and corrections keep a valid text valid.

use armada_retry::policy::{read_scheduler_config, read_with_foreign};
use armadactl::internals::analysis::lint::{LintInput, SchedulerConfig, lint};
use armadactl::internals::analysis::lint_config::read_lint_config;
use armadactl::internals::analysis::{formatted_kind, suppression};
use armadactl::internals::findings::{Style, human};
use document::diag::{Diagnostic, Findings, Fix, Source};
use document::{Limits, apply_fixes, format, parse};
use jiff::civil::date;
use std::sync::Arc;
use systems::{Bounds, foreign_kinds};

/// The line between policies, the scheduler's configuration and the settings of lints.
const SEPARATOR: &str = "\n%%%\n";

/// Lints the policies of the first text. Returns the number of findings that remain.
pub fn lint_texts(input: &str) -> usize {
    let mut texts = input.splitn(3, SEPARATOR);
    let mut source = |name: &str| Source::new(name, texts.next().unwrap_or_default());
    let policies = source("policies.yaml");
    let scheduler = source("scheduler.yaml");
    let settings = source(".armadactl-lint.yaml");
    check(&read_lint_config(&settings).1.sorted());
    let findings = found(&policies, &scheduler);
    check(&findings);
    let sources = [Arc::clone(&policies), scheduler];
    let before = findings.len();
    let today = date(2026, 7, 1);
    let applied = suppression::apply(&sources, findings.clone(), today, |_| true);
    assert!(applied.findings.len() + applied.suppressed.len() >= before, "{applied:?}");
    check(&applied.findings);
    correct(&policies, &findings);
    let (formatted, _) = format(&policies, formatted_kind);
    let (again, _) = format(&Source::new("policies.yaml", formatted.as_str()), formatted_kind);
    assert_eq!(formatted, again, "{:?}", policies.text());
    applied.findings.len()
}

/// All findings about policies and the configuration of their scheduler.
fn found(policies: &Arc<Source>, scheduler: &Arc<Source>) -> Vec<Diagnostic> {
    let (documents, mut findings) = read_with_foreign(&[Arc::clone(policies)], foreign_kinds());
    let (settings, more) = read_scheduler_config(scheduler);
    findings.extend(more);
    let (all, _) = parse(scheduler, Limits::POLICY);
    let config = settings.as_ref().zip(all.first());
    let input = LintInput {
        documents: &documents,
        scheduler: config.map(|(settings, document)| SchedulerConfig { settings, document }),
        executors: None,
        queue_policies: None,
        history: None,
        bounds: Bounds::default(),
        partial_queues: Vec::new(),
        knows_all_policies: true,
    };
    findings.extend(lint(&input, |_| true));
    findings.sorted()
}

/// Applies the corrections of the policies: a text without errors has none afterwards.
fn correct(policies: &Arc<Source>, findings: &[Diagnostic]) {
    let fixes: Vec<&Fix> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    let is_own =
        |fix: &&&Fix| fix.edits.iter().all(|edit| Arc::ptr_eq(&edit.place.source, policies));
    let corrected = apply_fixes(policies.text(), fixes.iter().filter(is_own).copied());
    let text = corrected.text.as_str();
    let (_, after) = read_with_foreign(&[Source::new("corrected.yaml", text)], foreign_kinds());
    let had_errors = findings.iter().any(is_error);
    assert!(had_errors || !after.has_errors(), "{:?}\n{text}", after.sorted());
}

fn is_error(finding: &Diagnostic) -> bool {
    let mut findings = Findings::new();
    findings.push(finding.clone());
    findings.has_errors()
}

/// Each finding has a place in its text, and no control character is printed.
fn check(items: &[Diagnostic]) {
    for item in items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(place.source.text().get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    let rendered = human(items, Style::Plain, Some(100));
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!rendered.contains(is_control), "{rendered:?}");
}
