//! Expansion of paths, directories and patterns to files, and the texts of files.

use super::encoding::{NotUtf8, decode};
use super::exclude::Exclusions;
use super::globs;
use super::unreadable::{display_name, unreadable};
use super::walk::{Endings, Walk};
use document::Limits;
use document::diag::{Code, Diagnostic, Findings, Source};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Expands paths to files:
///
/// - a file to itself, and `-` to itself
/// - a directory to its files with one of these endings, recursively, sorted by name, without hidden files and
///   directories
/// - a pattern such as `logs/*.jsonl` to its matches, unless a file has exactly that name
///
/// A file that several paths lead to is returned once.
pub fn expand(paths: &[PathBuf], endings: Endings, findings: &mut Findings) -> Vec<PathBuf> {
    expand_without(paths, endings, &Exclusions::default(), findings)
}

/// Expands paths to files as [`expand`] does, without the excluded files of directories and patterns.
pub fn expand_without(
    paths: &[PathBuf],
    endings: Endings,
    exclusions: &Exclusions,
    findings: &mut Findings,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut walk = Walk::without(exclusions);
    for path in paths {
        let mut matched = match_pattern(path, findings);
        if let Some(matched) = &mut matched {
            matched.retain(|path| !exclusions.excludes_file(path));
        }
        for path in matched.as_deref().unwrap_or(std::slice::from_ref(path)) {
            if !path.is_dir() {
                files.push(path.clone());
            } else if !walk.files(path, endings, &mut files, findings) {
                let besides = if exclusions.is_empty() { "" } else { " that is not excluded" };
                let (endings, name) = (endings.list(), display_name(path));
                let message = format!("there is no {endings} file in `{name}`{besides}");
                findings.push(Diagnostic::without_place(Code::Unreadable, message));
            }
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    files
}

/// The paths that a pattern matches, sorted by name; `None` if the path is not a pattern.
fn match_pattern(path: &Path, findings: &mut Findings) -> Option<Vec<PathBuf>> {
    let pattern = path.to_str().filter(|text| globs::is_pattern(text))?;
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let before = findings.len();
    let paths = globs::matches(pattern, findings);
    let message = match &paths {
        Ok(paths) if paths.is_empty() && findings.len() == before => {
            format!("nothing matches `{pattern}`")
        }
        Ok(_) => return paths.ok(),
        Err(error) => format!("`{pattern}` is neither a file nor a pattern: {}", error.msg),
    };
    findings.push(Diagnostic::without_place(Code::Unreadable, message));
    Some(Vec::new())
}

/// The text of a file, or of standard input for `-`.
pub fn read_text(path: &Path, limits: Limits, findings: &mut Findings) -> Option<Arc<Source>> {
    let mut bytes = Vec::new();
    let most = limits.bytes as u64 + 1;
    let read = open_bytes(path).and_then(decode);
    if let Err(error) = read.and_then(|(text, _)| text.take(most).read_to_end(&mut bytes)) {
        findings.push(unreadable(path, &error));
        return None;
    }
    let name = display_name(path);
    if bytes.len() > limits.bytes {
        let message =
            format!("`{name}` is larger than the {} MiB that are read", limits.bytes >> 20);
        findings.push(Diagnostic::without_place(Code::TooMuch, message));
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(Source::new(name, text)),
        Err(error) => {
            let bad = NotUtf8::new(error.as_bytes(), error.utf8_error());
            findings.push(bad.finding(name));
            None
        }
    }
}

/// The bytes of a file, or of standard input for `-`.
pub(super) fn open_bytes(path: &Path) -> std::io::Result<Box<dyn BufRead + Send>> {
    Ok(if path.as_os_str() == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(path)?))
    })
}
