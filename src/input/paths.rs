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
