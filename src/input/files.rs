//! Which files a path stands for, and their texts.

use super::NotUtf8;
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Limits;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a directory is searched for: the endings of names, without the dot.
#[derive(Debug, Clone, Copy)]
pub enum Endings {
    /// These.
    Plain(&'static [&'static str]),
    /// These, also with `.gz` or `.zst` behind them.
    OrCompressed(&'static [&'static str]),
}

impl Endings {
    fn end(self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (endings, name) = match self {
            Self::Plain(endings) => (endings, name),
            Self::OrCompressed(endings) => {
                let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst"));
                (endings, plain.unwrap_or(name))
            }
        };
        // A name that is all ending, `.json`, has none.
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| endings.contains(&ending))
    }
}

/// The files that paths stand for: a file itself, a directory's files with one of these endings
/// (recursively, in the order of their names, hidden directories left out), what a pattern such as `logs/*.jsonl` matches if
/// there is no file of that very name, `-` for standard input. A file that two paths lead to
/// counts once.
pub fn expand(paths: &[PathBuf], endings: Endings, findings: &mut Findings) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        match matched(path, findings) {
            Some(matched) => {
                for path in &matched {
                    file_or_directory(path, endings, &mut files, findings);
                }
            }
            None => file_or_directory(path, endings, &mut files, findings),
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    files
}

fn file_or_directory(
    path: &Path,
    endings: Endings,
    files: &mut Vec<PathBuf>,
    findings: &mut Findings,
) {
    if !path.is_dir() {
        files.push(path.to_owned());
        return;
    }
    let before = files.len();
    directory(path, endings, files, findings, 0);
    if files.len() == before {
        let message = format!("there is no {} file in `{}`", listed(endings), path.display());
        findings.push(Diagnostic::placeless(Code::Unreadable, message));
    }
}

/// The paths that a pattern matches, in the order of their names; none if the path is no pattern.
fn matched(path: &Path, findings: &mut Findings) -> Option<Vec<PathBuf>> {
    let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let found = match glob::glob(pattern) {
        Ok(found) => found,
        Err(error) => {
            let message = format!("`{pattern}` is neither a file nor a pattern: {}", error.msg);
            findings.push(Diagnostic::placeless(Code::Unreadable, message));
            return Some(Vec::new());
        }
    };
    let mut paths = Vec::new();
    for entry in found {
        match entry {
            Ok(path) => paths.push(path),
            Err(error) => findings.push(unreadable(error.path(), error.error())),
        }
    }
    if paths.is_empty() {
        let message = format!("nothing matches `{pattern}`");
        findings.push(Diagnostic::placeless(Code::Unreadable, message));
    }
    Some(paths)
}

/// ".yaml, .yml or .json".
fn listed(endings: Endings) -> String {
    let (Endings::Plain(endings) | Endings::OrCompressed(endings)) = endings;
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
    endings: Endings,
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
        if path.is_dir() {
            if depth < DEEPEST && !is_hidden(&path) {
                directory(&path, endings, files, findings, depth + 1);
            }
        } else if endings.end(&path) {
            files.push(path);
        }
    }
}

/// Whether a directory is left out of a walk: `.git`, `.github` and the like hold YAML of other
/// programs. One that is named itself is read.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
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

/// A path that cannot be read.
pub fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read `{}`: {}", path.display(), reason(error));
    Diagnostic::placeless(Code::Unreadable, message)
}

/// The system's words without its number: "No such file or directory".
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
