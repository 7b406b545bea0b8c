//! The files of directories, selected by the endings of their names.

use super::exclude::Exclusions;
use super::unreadable::unreadable;
use document::diag::Findings;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The endings of the files that a walk returns, without the dot.
#[derive(Debug, Clone, Copy)]
pub enum Endings {
    /// Exactly these endings.
    Plain(&'static [&'static str]),
    /// These endings, alone or followed by `.gz` or `.zst`.
    OrCompressed(&'static [&'static str]),
}

impl Endings {
    /// Whether a name has one of these endings. The name need not be UTF-8.
    fn matches(self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let (endings, name) = match self {
            Self::Plain(endings) => (endings, name),
            Self::OrCompressed(endings) => {
                let plain = name.strip_suffix(b".gz").or_else(|| name.strip_suffix(b".zst"));
                (endings, plain.unwrap_or(name))
            }
        };
        endings.iter().any(|ending| {
            let stem = name.strip_suffix(ending.as_bytes());
            // A name that consists of the ending only, such as `.json`, has no ending.
            stem.and_then(|stem| stem.strip_suffix(b".")).is_some_and(|stem| !stem.is_empty())
        })
    }

    /// Whether a walk from a directory returns a file with this path below it.
    pub fn select(self, below: &Path) -> bool {
        self.matches(below) && !below.iter().any(|name| is_hidden(Path::new(name)))
    }

    /// The endings for messages: ".yaml, .yml or .json".
    pub(super) fn list(self) -> String {
        let (Self::Plain(endings) | Self::OrCompressed(endings)) = self;
        let dotted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        match dotted.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => dotted.concat(),
        }
    }
}

/// The identity of a directory, which is equal for all paths to it, through links too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    #[cfg(not(unix))]
    Canonical(PathBuf),
}

/// The identity of the directory that a path leads to.
#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().map(|data| Identity::Inode(data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Identity> {
    path.canonicalize().map(Identity::Canonical)
}

/// A walk through directories. It visits each one once, even if several links lead to it.
#[derive(Default)]
pub(super) struct Walk {
    /// By visited directory: whether there is a file below it.
    visited: HashMap<Identity, bool>,
    /// Paths that are left out.
    exclusions: Exclusions,
}

impl Walk {
    /// A walk that leaves out some files and directories.
    pub(super) fn without(exclusions: &Exclusions) -> Self {
        Self { exclusions: exclusions.clone(), ..Self::default() }
    }

    /// Adds the files of a directory and of the directories below it, sorted by name, without hidden ones.
    /// Returns whether it has any, which an earlier visit may have added.
    pub(super) fn files(
        &mut self,
        path: &Path,
        endings: Endings,
        files: &mut Vec<PathBuf>,
        findings: &mut Findings,
    ) -> bool {
        let Some(identity) = identify(path, findings) else { return true };
        if let Some(has_files) = self.visited.get(&identity) {
            return *has_files;
        }
        // Known before its entries are read, so that a link back to it ends the walk.
        self.visited.insert(identity.clone(), false);
        let mut has_files = false;
        for path in entries(path, findings) {
            let is_directory = path.is_dir();
            if is_hidden(&path) || self.exclusions.excludes(&path, is_directory) {
                continue;
            }
            if is_directory {
                has_files |= self.files(&path, endings, files, findings);
            } else if endings.matches(&path) {
                files.push(path);
                has_files = true;
            }
        }
        self.visited.insert(identity, has_files);
        has_files
    }

    /// Adds a directory and those below it that have not been visited and are not hidden.
    pub(super) fn directories(
        &mut self,
        path: &Path,
        directories: &mut Vec<PathBuf>,
        findings: &mut Findings,
    ) {
        let Some(identity) = identify(path, findings) else { return };
        if self.visited.insert(identity, true).is_some() {
            return;
        }
        directories.push(path.to_owned());
        for path in entries(path, findings) {
            if path.is_dir() && !is_hidden(&path) {
                self.directories(&path, directories, findings);
            }
        }
    }
}

/// The identity of a directory. If it has none, adds a finding.
fn identify(path: &Path, findings: &mut Findings) -> Option<Identity> {
    // An empty path is the start of a relative pattern.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    identity(path).map_err(|error| findings.push(unreadable(path, &error))).ok()
}

/// Whether a walk skips a file or directory: `.git`, `.github`, `.gitlab-ci.yml` and similar ones contain YAML of
/// other programs, and `.name.yaml.X` is a file that an editor or a copy has not finished. One that the command
/// line names is not skipped.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The entries of a directory, sorted by name.
pub(super) fn entries(path: &Path, findings: &mut Findings) -> Vec<PathBuf> {
    let directory = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            findings.push(unreadable(directory, &error));
            return Vec::new();
        }
    };
    let mut names = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => names.push(entry.file_name()),
            Err(error) => findings.push(unreadable(directory, &error)),
        }
    }
    names.sort();
    names.iter().map(|name| path.join::<&OsStr>(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_in_one_of_the_endings() {
        let endings = Endings::OrCompressed(&["yaml", "jsonl"]);
        for name in ["a.yaml", "a.b.jsonl.gz", "..yaml", "d/a.yaml.zst"] {
            assert!(endings.matches(Path::new(name)), "{name}");
        }
        for name in [".yaml", "yaml", "a.yaml.bz2", "a.gz", ".jsonl.gz", "a.xyaml", ""] {
            assert!(!endings.matches(Path::new(name)), "{name}");
        }
        assert!(!Endings::Plain(&["yaml"]).matches(Path::new("a.yaml.gz")));
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_utf8_are_escaped() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(OsStr::from_bytes(b"logs/\xff\xe9\xc3\xa9.jsonl"));
        assert_eq!(super::super::unreadable::display_name(path), "logs/\\xff\\xe9\u{e9}.jsonl");
        assert!(Endings::Plain(&["jsonl"]).matches(path));
    }
}
