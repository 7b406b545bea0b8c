//! Paths relative to the directory of a test file.

use document::Document;
use std::path::{Component, Path, PathBuf};

/// A path that a document names, relative to the directory of its file.
pub(super) fn resolve_relative(document: &Document, text: &str) -> PathBuf {
    let file = Path::new(document.source.name());
    let folder = match document.source.name() {
        "-" => Path::new(""),
        _ => file.parent().unwrap_or(Path::new("")),
    };
    normalized(&folder.join(text))
}

/// A path without `.` and without `..` after a name, so that a policy has one name in all test files.
fn normalized(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => _ = parts.pop(),
            (part, _) => parts.push(part),
        }
    }
    let path: PathBuf = parts.iter().collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// Paths relative to the directory of the file that is written; without one, to the working directory.
pub(super) fn relative(paths: &[PathBuf], file: Option<&Path>) -> Vec<String> {
    let folder = file.and_then(Path::parent).map(normalized).unwrap_or_default();
    let up = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
    let relative = |path: &PathBuf| {
        let path = normalized(path);
        if path.is_absolute() || folder.is_absolute() {
            return std::path::absolute(&path).unwrap_or(path).display().to_string();
        }
        let common = path.components().zip(folder.components());
        let common = common.take_while(|(one, other)| one == other).count();
        let rest: PathBuf = path.components().skip(common).collect();
        format!("{}{}", "../".repeat(up.saturating_sub(common)), rest.display())
    };
    paths.iter().map(relative).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_name() {
        for (path, normal) in [
            ("tests/../policies/a.yaml", "policies/a.yaml"),
            ("./a/./b", "a/b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("a/..", "."),
            ("/a/../b", "/b"),
        ] {
            assert_eq!(normalized(Path::new(path)), Path::new(normal), "{path}");
        }
    }
}
