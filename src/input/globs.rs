//! Patterns of paths, such as `logs/**/*.jsonl`.
//!
//! Directories are searched by this module, and names are matched by the `glob` crate. The crate's own search
//! omits names that are not UTF-8 and follows links in circles.

use super::walk::{Walk, entries};
use document::diag::Findings;
use glob::{MatchOptions, Pattern, PatternError};
use std::path::{Component, Path, PathBuf};

/// A part of a pattern between two slashes.
enum Part {
    /// A plain name, a root or `..`.
    Name(PathBuf),
    /// A pattern of one name.
    Names(Pattern),
    /// `**`: any number of nested directories.
    Directories,
}

/// Whether a text has characters that make it a pattern.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that a pattern matches, in the order of their names.
pub(super) fn matches(text: &str, findings: &mut Findings) -> Result<Vec<PathBuf>, PatternError> {
    let mut parts = Vec::new();
    for component in Path::new(text).components() {
        let name = component.as_os_str().to_str().unwrap_or_default();
        parts.push(match component {
            Component::Normal(_) if name == "**" => Part::Directories,
            Component::Normal(_) if is_pattern(name) => Part::Names(Pattern::new(name)?),
            _ => Part::Name(component.as_os_str().into()),
        });
    }
    let mut paths = vec![PathBuf::new()];
    for part in &parts {
        paths = extend_paths(part, &paths, findings);
    }
    for path in &mut paths {
        if path.as_os_str().is_empty() {
            path.push(".");
        }
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Extends paths by a part of a pattern.
fn extend_paths(part: &Part, from: &[PathBuf], findings: &mut Findings) -> Vec<PathBuf> {
    let mut walk = Walk::default();
    let mut paths = Vec::new();
    for path in from {
        match part {
            Part::Name(name) => {
                let path = path.join(name);
                if path.symlink_metadata().is_ok() {
                    paths.push(path);
                }
            }
            Part::Names(pattern) => {
                if path.as_os_str().is_empty() || path.is_dir() {
                    // As in a shell, `*` matches no hidden name, and `.*` does.
                    let options = MatchOptions {
                        require_literal_leading_dot: true,
                        ..MatchOptions::default()
                    };
                    let is_match = |path: &PathBuf| {
                        let name = path.file_name().unwrap_or_default();
                        pattern.matches_with(&name.to_string_lossy(), options)
                    };
                    paths.extend(entries(path, findings).into_iter().filter(is_match));
                }
            }
            Part::Directories => {
                if path.as_os_str().is_empty() || path.is_dir() {
                    walk.directories(path, &mut paths, findings);
                }
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths below a temporary directory with these files that a pattern matches.
    fn matched(files: &[&str], pattern: &str) -> Vec<String> {
        let folder = tempfile::TempDir::new().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let mut findings = Findings::new();
        let pattern = folder.path().join(pattern);
        let paths = matches(pattern.to_str().unwrap(), &mut findings).unwrap();
        assert!(findings.is_empty());
        let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
        paths.iter().map(name).collect()
    }

    #[test]
    fn parts_match_names_and_two_stars_match_directories() {
        let files = ["a/1.json", "a/b/2.json", "a/b/c/3.json", "d/4.json", "5.json"];
        assert_eq!(matched(&files, "*.json"), ["5.json"]);
        assert_eq!(matched(&files, "a/?/*.json"), ["a/b/2.json"]);
        assert_eq!(matched(&files, "[!a]/4.*"), ["d/4.json"]);
        assert_eq!(matched(&files, "a/**/*.json"), ["a/1.json", "a/b/2.json", "a/b/c/3.json"]);
        assert_eq!(matched(&files, "**/c/../2.json"), ["a/b/c/../2.json"]);
        assert_eq!(matched(&files, "a/**"), ["a", "a/b", "a/b/c"]);
        assert_eq!(matched(&files, "x*"), Vec::<String>::new());
        let hidden = ["a.json", ".b.json", ".c/d.json", "e/.f/g.json"];
        assert_eq!(matched(&hidden, "*.json"), ["a.json"]);
        assert_eq!(matched(&hidden, "**/*.json"), ["a.json"]);
        assert_eq!(matched(&hidden, ".*/*.json"), [".c/d.json"]);
        assert_eq!(matched(&hidden, ".b*"), [".b.json"]);
        assert!(Pattern::new("[").is_err());
    }
}
