//! The configuration of Armada's scheduler.

use super::misplaced::read_input;
use crate::cli::Refusal;
use anyhow::Result;
use armada_retry::policy::{self, SchedulerSettings};
use cluster::read::InputKind;
use document::diag::{Diagnostic, Findings};
use document::{Document, Limits};
use std::path::Path;

/// The settings of a scheduler configuration file, or those without one, and its warnings. Errors
/// stop the command.
pub fn scheduler_settings(path: Option<&Path>) -> Result<(SchedulerSettings, Vec<Diagnostic>)> {
    let Some(path) = path else { return Ok((SchedulerSettings::default(), Vec::new())) };
    let mut findings = Findings::new();
    let (settings, _) = read(path, &mut findings);
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    match settings {
        Some(settings) => Ok((settings, findings.sorted())),
        None => Err(Refusal::input(format!("cannot read `{}`", path.display())).into()),
    }
}

/// The settings of a scheduler configuration file with their document; `None` if it is empty or has errors, which are
/// added.
pub fn read_scheduler_document(
    path: &Path,
    findings: &mut Findings,
) -> Option<(SchedulerSettings, Document)> {
    let (settings, document) = read(path, findings);
    settings.zip(document)
}

fn read(path: &Path, findings: &mut Findings) -> (Option<SchedulerSettings>, Option<Document>) {
    let source = read_input(path, Limits::POLICY, InputKind::Scheduler, findings);
    let Some(source) = source else { return (None, None) };
    let (settings, document, more) = policy::read_scheduler_document(&source);
    findings.extend(more);
    (settings, document)
}
