//! Atomic replacement of a file.

use super::{ConfigError, ConfigFile};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

impl ConfigFile {
    /// Changes the current context in the file. Returns its name in the file's spelling.
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

/// Replaces a file atomically: a reader sees either the old or the new file. Mode, owner and group are kept. Behind a
/// symbolic link, the file is replaced, not the link.
///
/// The new file may contain passwords. If the system supports unnamed files, it gets a name only when it is
/// complete, so that a killed process leaves nothing behind. Otherwise it has the fixed name
/// `FILE.armadactl-tmp`, and only its owner can read it. The next write removes a file that a killed process
/// left there; a command also blocks the signals that it can block.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.armadactl-tmp"));
    let old = fs::metadata(&path)?;
    let write = |mut file: &File| {
        file.write_all(text.as_bytes())?;
        // A change of the owner clears bits of the mode.
        keep_owner(file, &old)?;
        file.set_permissions(old.permissions())?;
        file.sync_all()
    };
    // The lock is kept until the file has been renamed.
    let _locked = if let Some(file) = unnamed::file_beside(&path) {
        // Before the name is visible: another process that finds the file tests for this lock.
        file.lock()?;
        write(&file)?;
        create_exclusive(&temporary, || unnamed::link(&file, &temporary))?;
        file
    } else {
        let file = create_temporary(&temporary)?;
        if let Err(error) = write(&file) {
            // Errors of the removal are ignored: the first error is the cause.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        file
    };
    fs::rename(&temporary, &path).inspect_err(|_| {
        // The first error is the cause, so that one of the removal is ignored.
        let _ = fs::remove_file(&temporary);
    })
}

/// Gives a file the owner and the group of another.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    let owner = (new.uid() != old.uid()).then(|| old.uid());
    let group = (new.gid() != old.gid()).then(|| old.gid());
    // `fchown` may need privileges even where it changes nothing.
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(file, owner, group)
        .map_err(|error| io::Error::new(error.kind(), format!("its owner cannot be kept: {error}")))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Files without a name until they are linked; they are removed with the process that opened them.
#[cfg(target_os = "linux")]
mod unnamed {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// Creates a file in the directory of `path`; `None` if the file system does not support unnamed files.
    pub(super) fn file_beside(path: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(path.parent()?, flags, Mode::RUSR | Mode::WUSR).ok()?);
        // `link` needs the file's path in /proc.
        in_proc(&file).exists().then_some(file)
    }

    /// Gives the file a name.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        Ok(linkat(CWD, in_proc(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn in_proc(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn file_beside(_: &Path) -> Option<File> {
        None
    }

    pub(super) fn link(_: &File, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The maximum of attempts to create a file, with a pause in between while another process writes: about a
/// second in total.
const ATTEMPTS: usize = 100;
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// Creates a file at a path when no other process writes there.
fn create_exclusive<T>(
    temporary: &Path,
    mut create: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    for _ in 0..ATTEMPTS {
        match create() {
            // An existing file is never written to, as it may be a link to any file.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_leftover(temporary)?,
            result => return result,
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "other programs keep changing it"))
}

/// Creates a file that only the owner can read until it gets its mode. It is locked while it is open, so that
/// other writers wait. An unlocked file was left by a killed process.
fn create_temporary(temporary: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    create_exclusive(temporary, || {
        let file = options.open(temporary)?;
        file.lock()?;
        // Another process may have removed the file before it was locked.
        if is_at(&file, temporary) { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
    })
}

/// Removes a leftover file, unless another writer has it locked; then pauses.
fn remove_leftover(temporary: &Path) -> io::Result<()> {
    // Not `metadata`: a symbolic link is removed, not followed, since it may lead to a file of another user.
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
                std::thread::sleep(RETRY_PAUSE);
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error),
            // The other process has renamed the file to the config file.
            Ok(()) if !is_at(&file, temporary) => return Ok(()),
            Ok(()) => {}
        }
        // The file is removed while it is locked: a process that has just created it detects the removal
        // after it gets the lock.
        return fs::remove_file(temporary);
    }
    fs::remove_file(temporary)
}

/// Whether a path still refers to the open file.
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A process that is killed during a write leaves nothing behind.
    #[test]
    fn a_file_beside_has_no_name_until_it_is_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config");
        let names = || fs::read_dir(directory.path()).unwrap().count();
        // Not every file system supports such files; the fallback has a name.
        let Some(mut file) = unnamed::file_beside(&path) else { return };
        file.write_all(b"hush").unwrap();
        assert_eq!(names(), 0);
        unnamed::link(&file, &path).unwrap();
        assert_eq!((names(), fs::read(&path).unwrap()), (1, b"hush".to_vec()));
        let error = unnamed::link(&file, &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    }
}
