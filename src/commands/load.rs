//! Reads the files that arguments name.

use crate::cli::Refusal;
use crate::diag::{Diagnostic, Findings, Severity, Source, plural, printable};
use crate::document::{Limits, join_templates};
use crate::input::{self, Endings};
use crate::policy::{self, Documents, SchedulerSettings};
use crate::ui::Ui;
use anyhow::Result;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Refuses a second `-`: standard input can be read once.
pub(super) fn refuse_second_stdin<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| path.as_os_str() == "-").count() < 2 {
        return Ok(());
    }
    Err(Refusal::usage("`-` is given twice, but standard input can be read only once").into())
}

/// The endings of files that are read from directories.
const ENDINGS: Endings = Endings::Plain(&["yaml", "yml", "json"]);

/// The texts of policy files.
pub(super) fn sources(paths: &[PathBuf], findings: &mut Findings) -> Vec<Arc<Source>> {
    let files = input::expand(paths, ENDINGS, findings);
    let path_set: HashSet<&PathBuf> = paths.iter().collect();
    let directories: Vec<&PathBuf> = paths.iter().filter(|path| path.is_dir()).collect();
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    findings.order_files(names.iter().map(String::as_str));
    let mut sources = Vec::with_capacity(files.len());
    for file in &files {
        let Some(source) = input::read_text(file, Limits::POLICY, findings) else { continue };
        let in_walk = !path_set.contains(file)
            && directories.iter().any(|directory| file.starts_with(directory));
        sources.push(if in_walk { source.found_in_walk() } else { source });
    }
    sources
}

/// Reads policies and queues; errors in any of them stop the command.
pub(super) fn policies(ui: &mut Ui, paths: &[PathBuf]) -> Result<Documents> {
    let mut findings = Findings::new();
    let sources = sources(paths, &mut findings);
    let (documents, more) = policy::read(&sources);
    findings.extend(more);
    refuse_errors(ui, findings)?;
    other_documents(&documents).try_for_each(|message| ui.note(&format!("note: {message}")))?;
    Ok(documents)
}

/// Notes on documents that are neither policies nor queues.
pub(super) fn other_documents(documents: &Documents) -> impl Iterator<Item = String> {
    let others = documents.others.iter().map(|other| {
        let place = other.document.place(other.document.root.span);
        format!("skipped the {} in {place}", other.kind)
    });
    others.chain(other_kinds(documents))
}

/// Prints which documents of other kinds are ignored: those of named files each by its place, those
/// of directories by their count.
pub(super) fn note_ignored_documents(ui: &mut Ui, documents: &Documents) -> Result<()> {
    for (kind, place) in &documents.unread {
        if !place.source.is_in_walk() {
            ui.note_at(place, "skipped", &format!("a {kind}"))?;
        }
    }
    let counts = other_kinds(documents);
    counts.iter().try_for_each(|message| Ok(ui.note(&format!("note: {message}"))?))
}

/// Limit of files that a note about documents of other kinds names: a note is one line.
const MAX_FILES: usize = 3;

/// The note on documents of other kinds in directories; `None` if there are none.
fn other_kinds(documents: &Documents) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<String> = Vec::new();
    for (kind, place) in documents.unread.iter().filter(|(_, place)| place.source.is_in_walk()) {
        *counts.entry(kind).or_default() += 1;
        let name = printable(place.source.name()).into_owned();
        if files.last() != Some(&name) {
            files.push(name);
        }
    }
    let total: usize = counts.values().sum();
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let kinds = kinds.join(", ");
    let more = match files.len().saturating_sub(MAX_FILES) {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        more => format!(" and {more} more files"),
    };
    files.truncate(MAX_FILES);
    let files = files.join(", ");
    (total > 0).then(|| {
        let documents = plural(total, "document", "documents");
        format!("skipped {documents} of other kinds: {kinds} (in {files}{more})")
    })
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
    let has_errors = findings.has_errors();
    let sorted = join_templates(findings).sorted();
    if has_errors {
        return Err(Refusal::findings(sorted).into());
    }
    ui.diagnostics(&sorted)?;
    debug_assert!(sorted.iter().all(|finding| finding.severity == Severity::Warning));
    Ok(())
}
