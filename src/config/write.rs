//! A config file replaced as a whole or not at all.

use super::{ConfigError, ConfigFile};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

impl ConfigFile {
    /// Makes another context the current one, in the file; gives its name as the file writes it.
    pub fn use_context(&self, name: &str) -> Result<String, ConfigError> {
        let text = self.with_current(name)?;
        let context = self.context(name)?;
        replace(self.path(), &text).map_err(|source| ConfigError::Unreadable {
            verb: "write",
            path: self.path().to_owned(),
            source,
        })?;
        Ok(context.name().unwrap_or(name).to_owned())
    }
}

/// Writes a file beside the old one and moves it there: whoever reads sees the one or the other.
/// Its mode stays; behind a symbolic link it is the file that is replaced, not the link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let (temporary, mut file) = beside(&path)?;
    let written = file
        .set_permissions(fs::metadata(&path)?.permissions())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // What is left of it is of no use, and the first error says why.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the same directory, which nobody else can read until it has its mode.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.{}.tmp", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&temporary)?;
    Ok((temporary, file))
}
