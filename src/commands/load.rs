//! Arguments that name inputs, and the reading of them.

use crate::cli::Refusal;
use crate::diag::{Diagnostic, Findings, Severity, Source};
use crate::document::Limits;
use crate::input::{self, Endings};
use crate::policy::{self, Documents, SchedulerSettings};
use crate::ui::Ui;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Standard input can be read once: `-` must not stand twice.
pub(super) fn one_stdin<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| path.as_os_str() == "-").count() < 2 {
        return Ok(());
    }
    Err(Refusal::usage("`-` is given twice, and standard input can be read once").into())
}

/// What a directory is searched for.
const ENDINGS: Endings = Endings::Plain(&["yaml", "yml", "json"]);

/// The texts of policy files.
pub(super) fn sources(paths: &[PathBuf], findings: &mut Findings) -> Vec<Arc<Source>> {
    let files = input::expand(paths, ENDINGS, findings);
    files.iter().filter_map(|file| input::read_text(file, Limits::POLICY, findings)).collect()
}

/// Valid policies and queues; everything that is wrong with any of them stops the command.
pub(super) fn policies(ui: &mut Ui, paths: &[PathBuf]) -> Result<Documents> {
    let mut findings = Findings::new();
    let sources = sources(paths, &mut findings);
    let (documents, more) = policy::read(&sources);
    findings.extend(more);
    refuse_errors(ui, findings)?;
    other_documents(&documents).try_for_each(|message| ui.note(&format!("note: {message}")))?;
    Ok(documents)
}

/// What to report about the documents that are neither policies nor queues.
pub(super) fn other_documents(documents: &Documents) -> impl Iterator<Item = String> {
    documents.others.iter().map(|other| {
        let place = other.document.place(other.document.root.span);
        format!("passed over the {} in {place}", other.kind)
    })
}

/// Says which documents beside manifests were passed over.
pub(super) fn passed_over(ui: &mut Ui, documents: &Documents) -> Result<()> {
    for (kind, place) in &documents.passed_over {
        ui.note_at(place, "passed over", &format!("a {kind}"))?;
    }
    Ok(())
}

/// The settings of a scheduler configuration file, or those without one, and its warnings. Errors
/// stop the command.
pub(super) fn scheduler(path: Option<&Path>) -> Result<(SchedulerSettings, Vec<Diagnostic>)> {
    let Some(path) = path else { return Ok((SchedulerSettings::default(), Vec::new())) };
    let mut findings = Findings::new();
    let source = input::read_text(path, Limits::POLICY, &mut findings);
    let settings = source.and_then(|source| {
        let (settings, more) = policy::read_scheduler_config(&source);
        findings.extend(more);
        settings
    });
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    match settings {
        Some(settings) => Ok((settings, findings.sorted())),
        None => Err(Refusal::input(format!("cannot read `{}`", path.display())).into()),
    }
}

/// Prints warnings; stops the command if there are errors.
pub(super) fn refuse_errors(ui: &mut Ui, findings: Findings) -> Result<()> {
    let errors = findings.has_errors();
    let sorted = findings.sorted();
    if errors {
        return Err(Refusal::findings(sorted).into());
    }
    ui.diagnostics(&sorted)?;
    debug_assert!(sorted.iter().all(|finding| finding.severity == Severity::Warning));
    Ok(())
}
