//! `--baseline`: reads and writes the findings that are not reported.

use super::linted::{Linted, is_document_error};
use crate::analysis::baseline::{Baseline, read_baseline};
use crate::cli::{Context, Exit, Refusal};
use crate::commands::output_file::OutputFile;
use crate::commands::reports;
use crate::input::{self, resolve_path};
use crate::project::{self, CheckInputs};
use crate::report::{self, BaselineDocument, ReportPaths, fingerprints};
use anyhow::Result;
use document::Limits;
use document::diag::{Code, Diagnostic, Findings, plural};
use std::path::Path;

/// Reads a baseline. Errors in it stop the command.
pub(super) fn read(context: &mut Context<'_>, path: &Path) -> Result<Baseline> {
    if !path.exists() {
        let message = format!("--baseline: there is no file `{}`", path.display());
        let help = "make it from the findings of today with --write-baseline";
        return Err(Refusal::input(message).help(help).into());
    }
    let mut findings = Findings::new();
    let baseline = input::read_text(path, Limits::HISTORY, &mut findings).and_then(|source| {
        let (baseline, more) = read_baseline(&source);
        findings.extend(more);
        baseline
    });
    project::refuse_errors(context.ui, findings)?;
    Ok(baseline.unwrap_or_default())
}

/// Refuses a baseline that the command reads as a document: it would be overwritten.
pub(super) fn refuse_input(path: &Path, inputs: &CheckInputs<'_>) -> Result<()> {
    if !inputs.reads(&resolve_path(path)) {
        return Ok(());
    }
    let message = format!("--baseline: `{}` is also an input", path.display());
    let help = "begin its name with a dot, or leave it out of the inputs with --exclude";
    Err(Refusal::usage(message).help(help).into())
}

/// The paths of files from the root of the repository that the baseline is in, from whatever directory the command runs.
fn paths(baseline: &Path) -> ReportPaths {
    let resolved = resolve_path(baseline);
    reports::paths_in_repository(resolved.parent().unwrap_or(Path::new("/")))
}

/// Takes the findings of a baseline out of those that are reported. Errors of documents stay, since
/// such a document cannot be used. Notes findings that are gone.
pub(super) fn apply(
    context: &mut Context<'_>,
    (baseline, path): (&Baseline, &Path),
    (linted, files): (&mut Linted, &[String]),
    is_active: impl Fn(Code) -> bool,
) -> Result<()> {
    let paths = paths(path);
    let items = std::mem::take(&mut linted.items);
    let found = fingerprints(&items, &paths);
    let read: Vec<String> = files.iter().map(|name| paths.path(name)).collect();
    // The others may be found by another command line.
    let is_gone = |code, file: &String| is_active(code) && read.contains(file);
    let missing = baseline.missing(&found);
    let gone = missing.filter(|known| is_gone(known.code, &known.file)).count();
    let is_known = |(item, fingerprint): &(Diagnostic, String)| {
        !is_document_error(item) && baseline.has(fingerprint)
    };
    let all = items.len();
    let new = items.into_iter().zip(found).filter(|item| !is_known(item));
    linted.items = new.map(|(item, _)| item).collect();
    linted.in_baseline = all - linted.items.len();
    if gone > 0 {
        let findings = plural(gone, "finding of the baseline is", "findings of the baseline are");
        let path = path.display();
        context
            .ui
            .note(&format!("note: {findings} gone; write `{path}` again: --write-baseline"))?;
    }
    Ok(())
}

/// Writes the findings as a baseline.
///
/// # Errors
///
/// If a document has an error.
pub(super) fn write(context: &mut Context<'_>, path: &Path, linted: Linted) -> Result<Exit> {
    if linted.has_errors() {
        let errors = linted.items.into_iter().filter(is_document_error).collect();
        return Err(Refusal::findings(errors).with_count("no baseline was written").into());
    }
    let document = BaselineDocument::new(&linted.items, &paths(path));
    let mut file = OutputFile::create(path)?;
    file.bytes(report::yaml(&document)?.as_bytes());
    file.finish()?;
    let findings = plural(linted.items.len(), "finding", "findings");
    context.ui.flush()?;
    context.ui.note(&format!("note: {findings} written to `{}`", path.display()))?;
    Ok(Exit::Done)
}
