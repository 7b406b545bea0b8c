//! Reads the files that arguments name.

use super::misplaced::{read_input, refuse_histories, refuse_inputs};
use crate::analysis::lint_config::LINT_CONFIG_NAME;
use crate::cli::Refusal;
use crate::commands::output_file::resolve_path;
use crate::input::{self, Endings, Exclusions};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{self, Documents, SchedulerSettings};
use cluster::read::InputKind;
use document::diag::{Diagnostic, Findings, Place, Source, plural, printable};
use document::{Limits, join_templates, unrendered};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systems::profile;

/// Refuses a second `-`: standard input can be read once.
pub(super) fn refuse_second_stdin<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| path.as_os_str() == "-").count() < 2 {
        return Ok(());
    }
    Err(Refusal::usage("`-` is given twice, but standard input can be read only once").into())
}

/// The endings of files that are read from directories.
const ENDINGS: Endings = Endings::Plain(&["yaml", "yml", "json"]);

/// The files that paths of policies stand for; a path that stands for none is left out.
pub(super) fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let is_there = |path: &PathBuf| path.as_os_str() == "-" || path.exists();
    let mut files = input::expand(paths, ENDINGS, &mut Findings::new());
    files.retain(is_there);
    files
}

/// The texts of policy files.
pub(super) fn sources(paths: &[PathBuf], findings: &mut Findings) -> Vec<Arc<Source>> {
    let sources = sources_without(paths, &Exclusions::default(), findings);
    refuse_inputs(refuse_histories(sources, findings), findings)
}

/// Whether these paths stand for a file, or would if it existed. The path of the file is resolved.
pub(super) fn reads(paths: &[PathBuf], exclusions: &Exclusions, file: &Path) -> bool {
    let mut findings = Findings::new();
    let is_below = |path: &PathBuf| {
        let directory = resolve_path(path);
        let below = file.strip_prefix(&directory).ok().filter(|_| path.is_dir());
        below.is_some_and(|below| ENDINGS.select(below) && !exclusions.excludes_file(file))
    };
    paths.iter().any(is_below)
        || input::expand_without(paths, ENDINGS, exclusions, &mut findings)
            .iter()
            .any(|found| resolve_path(found) == file)
}

/// The texts of policy files, without the excluded ones.
pub(super) fn sources_without(
    paths: &[PathBuf],
    exclusions: &Exclusions,
    findings: &mut Findings,
) -> Vec<Arc<Source>> {
    let mut files = input::expand_without(paths, ENDINGS, exclusions, findings);
    let path_set: HashSet<&PathBuf> = paths.iter().collect();
    // The settings of `lint` beside the documents are no document.
    let is_settings =
        |file: &PathBuf| file.file_name().is_some_and(|name| name == LINT_CONFIG_NAME);
    files.retain(|file| path_set.contains(file) || !is_settings(file));
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
pub(super) fn policies(
    ui: &mut Ui,
    paths: &[PathBuf],
    exclusions: &Exclusions,
) -> Result<Documents> {
    let mut findings = Findings::new();
    let sources = sources_without(paths, exclusions, &mut findings);
    let sources = refuse_inputs(refuse_histories(sources, &mut findings), &mut findings);
    let (documents, more) = policy::read(&sources);
    findings.extend(more);
    find_templates(&documents, &mut findings);
    refuse_errors(ui, findings)?;
    other_documents(&documents).try_for_each(|message| ui.note(&format!("note: {message}")))?;
    Ok(documents)
}

/// Reports documents with values that are templates. An evaluator embedded elsewhere takes such a value as a text.
pub(super) fn find_templates(documents: &Documents, findings: &mut Findings) {
    let policies = documents.policies.iter().map(|policy| &policy.document);
    let queues = documents.queues.iter().map(|queue| &queue.document);
    let profiles = documents.others.iter().filter(|other| other.kind == profile::KIND);
    let profiles = profiles.map(|other| &other.document);
    findings.extend(policies.chain(queues).chain(profiles).flat_map(unrendered));
}

/// Joins the findings of each template that is not rendered, and names the command that renders it.
pub(super) fn name_templates(findings: Findings) -> Findings {
    join_templates(findings, &|file| chart_of(Path::new(file)))
}

/// The directory of the Helm chart that has a file among its templates.
fn chart_of(file: &Path) -> Option<String> {
    let folders = file.ancestors().skip(1);
    let templates =
        folders.filter(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    let charts = templates.into_iter().filter_map(Path::parent);
    let chart = charts.into_iter().find(|chart| chart.join("Chart.yaml").is_file())?;
    let name = chart.to_str()?;
    Some(if name.is_empty() { "." } else { name }.to_owned())
}

/// Notes on documents that are neither policies nor queues.
pub(super) fn other_documents(documents: &Documents) -> impl Iterator<Item = String> {
    let others = documents.others.iter().map(|other| {
        let place = other.document.place(other.document.root.span);
        format!("skipped the {} in {place}", other.kind)
    });
    others.chain(other_kinds(&documents.unread))
}

/// Prints which documents of other kinds are ignored: those of named files each by its place, those
/// of directories by their count.
pub(super) fn note_ignored_documents(ui: &mut Ui, ignored: &[(String, Place)]) -> Result<()> {
    for (kind, place) in ignored {
        if !place.source.is_in_walk() {
            let what = match kind.as_str() {
                policy::WITHOUT_KIND => "a document without a kind".to_owned(),
                kind => format!("a {kind}"),
            };
            ui.note_at(place, "skipped", &what)?;
        }
    }
    let counts = other_kinds(ignored);
    counts.iter().try_for_each(|message| Ok(ui.note(&format!("note: {message}"))?))
}

/// Limit of files that a note about documents of other kinds names: a note is one line.
const MAX_FILES: usize = 3;

/// The note on documents of other kinds in directories; `None` if there are none.
fn other_kinds(ignored: &[(String, Place)]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<String> = Vec::new();
    for (kind, place) in ignored.iter().filter(|(_, place)| place.source.is_in_walk()) {
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
    let source = read_input(path, Limits::POLICY, InputKind::Scheduler, &mut findings);
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
    // A template is an error, also where the rest of its text has warnings alone.
    let findings = name_templates(findings);
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    Ok(ui.diagnostics(&findings.sorted())?)
}
