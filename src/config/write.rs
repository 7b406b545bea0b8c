//! A config file replaced as a whole or not at all.

use super::{ConfigError, ConfigFile};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
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

/// Writes a new file and moves it to the place of the old one: a reader sees the one or the other.
/// The mode is kept; behind a symbolic link the file is replaced, not the link.
///
/// The new file may hold passwords. Where the system has files without a name, it gets one only when
/// it is complete, so that a killed process leaves nothing. Elsewhere it has the one name
/// `FILE.armadactl-tmp` and only its owner can read it; the next write removes what a killed process
/// leaves there, and a command holds off the signals that it can.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.armadactl-tmp"));
    let permissions = fs::metadata(&path)?.permissions();
    let write = |mut file: &File| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions.clone())?;
        file.sync_all()
    };
    // It is locked until it has moved.
    let _locked = if let Some(file) = nameless::file_beside(&path) {
        file.lock()?;
        write(&file)?;
        at_free(&temporary, || nameless::link(&file, &temporary))?;
        file
    } else {
        let file = named(&temporary)?;
        if let Err(error) = write(&file) {
            // What is left of it is of no use, and the first error says why.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        file
    };
    fs::rename(&temporary, &path).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Files that have no name until they are linked, and are gone with the process that opened them.
#[cfg(target_os = "linux")]
mod nameless {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// A new file in the directory of `path`, where its file system has such files.
    pub(super) fn file_beside(path: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(path.parent()?, flags, Mode::RUSR | Mode::WUSR).ok()?);
        // It is linked by its name there.
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
mod nameless {
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

/// How often a name is tried for, with a pause where another process writes: about a second.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// Makes a file at a path as soon as no other process writes there.
fn at_free<T>(temporary: &Path, mut create: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..ATTEMPTS {
        match create() {
            // Nothing is written to a file that is there: it may be a link to anywhere.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_left(temporary)?,
            result => return result,
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "others keep writing it"))
}

/// A new file at a path, which nobody else can read until it has its mode. It is locked as long as it
/// is open, so that another process that writes waits, and a file that is not locked is one that a
/// killed process has left.
fn named(temporary: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    at_free(temporary, || {
        let file = options.open(temporary)?;
        file.lock()?;
        // Another process may have come before the lock, and removed the file.
        if is_at(&file, temporary) { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
    })
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A process that is killed while it writes leaves nothing.
    #[test]
    fn a_file_beside_has_no_name_until_it_is_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config");
        let names = || fs::read_dir(directory.path()).unwrap().count();
        // Not every file system has such files; there the file has a name.
        let Some(mut file) = nameless::file_beside(&path) else { return };
        file.write_all(b"hush").unwrap();
        assert_eq!(names(), 0);
        nameless::link(&file, &path).unwrap();
        assert_eq!((names(), fs::read(&path).unwrap()), (1, b"hush".to_vec()));
        let error = nameless::link(&file, &path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    }
}
