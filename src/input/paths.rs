//! The files that paths of flags stand for.

use super::{Endings, expand};
use document::diag::Findings;
use std::path::{Path, PathBuf};

/// Returns whether a flag with this path reads a file: as the path itself, as a match of the pattern, or in the
/// directory.
pub fn is_read_by(path: &Path, file: &Path) -> bool {
    let resolved = resolve_path(path);
    if path.is_dir() {
        return file.starts_with(&resolved);
    }
    let matches = || expand(&[path.to_owned()], Endings::Plain(&[]), &mut Findings::new());
    resolved == file || matches().iter().any(|found| resolve_path(found) == file)
}

/// Returns the absolute path, without links if the file exists, else without those of its directory.
pub fn resolve_path(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let of_new = || {
        let absolute = absolute();
        let directory = absolute.parent()?.canonicalize().ok()?;
        Some(directory.join(absolute.file_name()?))
    };
    path.canonicalize().ok().or_else(of_new).unwrap_or_else(absolute)
}

/// Returns the root of the repository that a directory is in: the nearest directory above with `.git`, which is a file in a
/// worktree. Without one, the directory itself.
pub fn find_repository(directory: &Path) -> PathBuf {
    let is_root = |path: &&Path| path.join(".git").exists();
    directory.ancestors().find(is_root).unwrap_or(directory).to_owned()
}

/// Returns an absolute path from a directory, with `/` between names, and `..` for those above.
pub fn relative_path(path: &Path, directory: &Path) -> String {
    let common = path.components().zip(directory.components()).take_while(|(a, b)| a == b).count();
    let up = directory.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common);
    let down = down.map(|name| name.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_from_a_directory_goes_up_and_down() {
        for (path, directory, relative) in [
            ("/r/a/p.yaml", "/r", "a/p.yaml"),
            ("/r/a/p.yaml", "/r/a/b", "../p.yaml"),
            ("/x/p.yaml", "/r/a", "../../x/p.yaml"),
        ] {
            assert_eq!(relative_path(Path::new(path), Path::new(directory)), relative);
        }
    }
}
