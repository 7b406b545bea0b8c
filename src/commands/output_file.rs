//! The files that commands write.

use crate::cli::Refusal;
use crate::input::Encoding;
use anyhow::Result;
use document::diag::json_printable;
use serde::Serialize;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file, and the first error in writing it. A file that exists is replaced only when all is written.
pub(super) struct OutputFile {
    path: PathBuf,
    /// The file beside it that is written first; none for a device or a pipe.
    temporary: Option<PathBuf>,
    file: BufWriter<File>,
    error: Option<io::Error>,
    /// Whether the file may not be there, and is compressed if its name ends with .gz or .zst.
    is_new: bool,
}

impl Drop for OutputFile {
    /// Removes what was written if the command ends before all is.
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let _ = fs::remove_file(temporary);
        }
    }
}

impl OutputFile {
    /// Creates the file, or the one beside it.
    pub(super) fn create(path: &Path) -> Result<Self> {
        Self::open(path, OpenOptions::new().create(true).truncate(true))
    }

    /// Creates a file that is not there, or the one beside it. It is compressed if its name ends with .gz or .zst.
    pub(super) fn create_new(path: &Path) -> Result<Self> {
        let mut file = Self::create(path)?;
        // A device or a pipe is there, and is written to.
        file.is_new = file.temporary.is_some();
        if file.is_new {
            refuse_existing(path)?;
        }
        Ok(file)
    }

    /// The same for a file that its owner alone may read.
    pub(super) fn create_private(path: &Path) -> Result<Self> {
        refuse_existing(path)?;
        let mut options = OpenOptions::new();
        options.create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = Self::open(path, &mut options)?;
        file.is_new = true;
        Ok(file)
    }

    fn open(path: &Path, options: &mut OpenOptions) -> Result<Self> {
        // A device or a pipe is written to as it is: a rename would put a file in its place.
        let is_special = path.metadata().is_ok_and(|file| !file.is_file());
        let temporary =
            // The process id keeps two commands that write the same file apart.
            (!is_special).then(|| append_ending(path, &format!(".{}.part", std::process::id())));
        let file = options.write(true).open(temporary.as_deref().unwrap_or(path));
        let file = BufWriter::new(file.map_err(|error| write_error(path, &error))?);
        Ok(Self { path: path.to_owned(), temporary, file, error: None, is_new: false })
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: &str) {
        if self.error.is_none()
            && let Err(error) = writeln!(self.file, "{text}")
        {
            self.error = Some(error);
        }
    }

    /// Writes whole lines.
    pub(super) fn bytes(&mut self, lines: &[u8]) {
        if self.error.is_none()
            && let Err(error) = self.file.write_all(lines)
        {
            self.error = Some(error);
        }
    }

    /// Writes a value as a line of JSON.
    pub(super) fn json(&mut self, line: &impl Serialize) {
        self.text(serde_json::to_string(line));
    }

    fn text(&mut self, line: serde_json::Result<String>) {
        if let Some(text) = self.unless_error(line) {
            self.line(&json_printable(&text));
        }
    }

    /// Returns what was serialized, or keeps the error.
    pub(super) fn unless_error<T>(&mut self, serialized: serde_json::Result<T>) -> Option<T> {
        serialized.map_err(|error| self.error.get_or_insert(error.into())).ok()
    }

    /// Writes what is buffered; an error if anything could not be written.
    pub(super) fn finish(mut self) -> Result<()> {
        let flushed = self.file.flush();
        if self.is_new {
            refuse_existing(&self.path)?;
        }
        let written = self.error.take().map_or(flushed, Err);
        let replaced = written.and_then(|()| match self.temporary.take() {
            Some(temporary) => {
                let replaced = if self.is_new {
                    move_compressed(&temporary, &self.path)
                } else {
                    fs::rename(&temporary, &self.path)
                };
                replaced.inspect_err(|_| _ = fs::remove_file(&temporary))
            }
            None => Ok(()),
        });
        replaced.map_err(|error| write_error(&self.path, &error).into())
    }
}

pub(super) fn write_error(path: &Path, error: &io::Error) -> Refusal {
    Refusal::input(format!("cannot write `{}`: {error}", path.display()))
}

/// Locks a record, so that one process writes it.
pub(super) fn lock(file: File, path: &Path) -> Result<File, Refusal> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let message = format!("another process writes `{}`", path.display());
            Err(Refusal::input(message).help("wait for its end, or give `--record` another name"))
        }
        Err(TryLockError::Error(error)) => Err(write_error(path, &error)),
    }
}

/// The path with another ending behind its own.
pub(super) fn append_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Gives a file its name, compressed if that ends with .gz or .zst, with its permissions.
pub(super) fn move_compressed(part: &Path, record: &Path) -> io::Result<()> {
    let Some(encoding) = Encoding::from_name(record) else { return fs::rename(part, record) };
    let temporary = append_ending(record, ".tmp");
    let write = || {
        let target = File::create(&temporary)?;
        target.set_permissions(part.metadata()?.permissions())?;
        let mut target = BufWriter::new(target);
        encoding.compress(BufReader::new(File::open(part)?), &mut target)?;
        target.flush()?;
        // On the disk before the part, which is the only other copy, is removed.
        target.get_ref().sync_data()?;
        fs::rename(&temporary, record)
    };
    write().inspect_err(|_| _ = fs::remove_file(&temporary))?;
    fs::remove_file(part)
}

/// Refuses the name of a file that exists.
pub(super) fn refuse_existing(path: &Path) -> Result<(), Refusal> {
    if !path.exists() {
        return Ok(());
    }
    let message = format!("`{}` exists", path.display());
    Err(Refusal::input(message).help("remove it, or give another name"))
}
