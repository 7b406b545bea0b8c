//! Which files a path stands for, and their texts.

use super::NotUtf8;
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Limits;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that paths stand for: a file itself, a directory's files with one of these endings
/// (recursively, in the order of their names), `-` for standard input. A file that two paths lead
/// to counts once.
pub fn expand(paths: &[PathBuf], endings: &[&str], findings: &mut Findings) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            directory(path, endings, &mut files, findings, 0);
            if files.len() == before {
                let message =
                    format!("there is no {} file in `{}`", listed(endings), path.display());
                findings.push(Diagnostic::placeless(Code::Unreadable, message));
            }
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    files
}

/// ".yaml, .yml or .json".
fn listed(endings: &[&str]) -> String {
    let dotted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    match dotted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => dotted.concat(),
    }
}

/// Links may lead in circles; nobody nests this deep on purpose.
const DEEPEST: usize = 64;

fn directory(
    path: &Path,
    endings: &[&str],
    files: &mut Vec<PathBuf>,
    findings: &mut Findings,
    depth: usize,
) {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return findings.push(unreadable(path, &error)),
    };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if path.is_dir() {
            if depth < DEEPEST {
                directory(&path, endings, files, findings, depth + 1);
            }
        } else if endings.contains(&ending) {
            files.push(path);
        }
    }
}

/// The text of a file, or of standard input for `-`.
pub fn read_text(path: &Path, limits: Limits, findings: &mut Findings) -> Option<Arc<Source>> {
    let mut bytes = Vec::new();
    let most = limits.bytes as u64 + 1;
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    if let Err(error) = read {
        findings.push(unreadable(path, &error));
        return None;
    }
    let name = path.display().to_string();
    if bytes.len() > limits.bytes {
        let message =
            format!("`{name}` is larger than the {} MiB that are read", limits.bytes >> 20);
        findings.push(Diagnostic::placeless(Code::TooMuch, message));
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

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read `{}`: {}", path.display(), reason(error));
    Diagnostic::placeless(Code::Unreadable, message)
}

/// The system's words without its number: "No such file or directory".
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
