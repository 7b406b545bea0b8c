//! Reads the files that arguments name.

use super::misplaced::{refuse_histories, refuse_inputs};
use crate::analysis::baseline::is_baseline;
use crate::analysis::lint_config::LINT_CONFIG_NAME;
use crate::cli::Refusal;
use crate::input::{self, Endings, Exclusions, resolve_path};
use anyhow::Result;
use document::Limits;
use document::diag::{Findings, Source};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Refuses a second `-`: standard input can be read once.
pub fn refuse_second_stdin<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| path.as_os_str() == "-").count() < 2 {
        return Ok(());
    }
    Err(Refusal::usage("`-` is given twice, but standard input can be read only once").into())
}

/// The endings of files that are read from directories.
const ENDINGS: Endings = Endings::Plain(&["yaml", "yml", "json"]);

/// The files that paths of policies stand for; a path that stands for none is left out.
pub fn policy_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let is_there = |path: &PathBuf| path.as_os_str() == "-" || path.exists();
    let mut files = input::expand(paths, ENDINGS, &mut Findings::new());
    files.retain(is_there);
    files
}

/// The texts of policy files, without the excluded ones. Histories and inputs of simulations are errors.
pub fn policy_texts(
    paths: &[PathBuf],
    exclusions: &Exclusions,
    findings: &mut Findings,
) -> Vec<Arc<Source>> {
    let sources = texts(paths, exclusions, findings);
    refuse_inputs(refuse_histories(sources, findings), findings)
}

/// Whether these paths stand for a file, or would if it existed. The path of the file is resolved.
pub fn reads(paths: &[PathBuf], exclusions: &Exclusions, file: &Path) -> bool {
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

/// The texts of the files that paths stand for, without the excluded ones.
pub fn texts(
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
        // `lint --baseline` alone reads baselines.
        if is_baseline(source.text()) {
            continue;
        }
        let in_walk = !path_set.contains(file)
            && directories.iter().any(|directory| file.starts_with(directory));
        sources.push(if in_walk { source.found_in_walk() } else { source });
    }
    sources
}
