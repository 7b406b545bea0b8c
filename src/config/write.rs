//! A config file replaced as a whole or not at all.

use super::{ConfigError, ConfigFile};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
///
/// The file beside may hold passwords. It has one name only, so that what a killed process leaves
/// there (a command holds off the signals that it can) is removed by the next write; until then only
/// its owner can read it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let (temporary, mut file) = beside(&path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.set_permissions(fs::metadata(&path)?.permissions()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // What is left of it is of no use, and the first error says why.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// How often a new file is tried for, with a pause where another process writes: about a second.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// A new file in the same directory, which nobody else can read until it has its mode. It is locked
/// as long as it is open, so that another process that writes waits, and a file that is not locked
/// is one that a killed process has left.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.armadactl-tmp"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for _ in 0..ATTEMPTS {
        match options.open(&temporary) {
            Ok(file) => {
                file.lock()?;
                // Another process may have come before the lock, and removed the file.
                if is_at(&file, &temporary) {
                    return Ok((temporary, file));
                }
            }
            // Nothing is written to a file that is there: it may be a link to anywhere.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_left(&temporary)?,
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "others keep writing it"))
}

/// Removes what is in the way, unless a process that writes has it locked: that one gets some time.
fn remove_left(temporary: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(temporary) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if metadata.is_file() {
        let file = match File::open(temporary) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(PAUSE);
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error),
            // It has become the config file meanwhile.
            Ok(()) if !is_at(&file, temporary) => return Ok(()),
            Ok(()) => {}
        }
        // Removed while it is locked: a process that has just made it finds that out by its lock.
        return fs::remove_file(temporary);
    }
    fs::remove_file(temporary)
}

/// Whether the open file is the one of this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata().map(id), fs::symlink_metadata(path).map(id)) {
        (Ok(open), Ok(there)) => open == there,
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
