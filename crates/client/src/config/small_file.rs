//! Small files that are read as a whole at the start: a config, a token, certificates.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A file's bytes and metadata.
#[derive(Debug)]
pub struct SmallFile {
    /// The content.
    pub bytes: Vec<u8>,
    /// The mode and kind.
    pub metadata: Metadata,
}

/// The maximum time until a pipe ends: a command behind it, as in `<(command)`, may decrypt its output.
const PIPE_TIME: Duration = Duration::from_secs(30);

impl SmallFile {
    /// Reads a file of at most `limit` bytes. A device without an end is an error, and so is a pipe without a
    /// writer.
    pub fn read(path: &Path, limit: usize) -> io::Result<Self> {
        Self::read_within(path, limit, PIPE_TIME)
    }

    fn read_within(path: &Path, limit: usize, time: Duration) -> io::Result<Self> {
        if std::fs::metadata(path)?.is_file() {
            return read_all(path, limit);
        }
        // Opening a pipe blocks until it has a writer, which nothing can interrupt. After the timeout the
        // thread continues until the process ends.
        let (sender, receiver) = channel();
        let owned: PathBuf = path.to_owned();
        // Sending fails after the timeout, when the receiver is gone.
        std::thread::spawn(move || _ = sender.send(read_all(&owned, limit)));
        receiver.recv_timeout(time).unwrap_or_else(|error| {
            let why = match error {
                RecvTimeoutError::Timeout => {
                    format!("it did not end within {} s", time.as_secs_f64())
                }
                RecvTimeoutError::Disconnected => "reading it failed".to_owned(),
            };
            Err(io::Error::new(ErrorKind::TimedOut, why))
        })
    }

    /// The content as text.
    pub fn text(self) -> io::Result<String> {
        let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8");
        String::from_utf8(self.bytes).map_err(not_text)
    }
}

fn read_all(path: &Path, limit: usize) -> io::Result<SmallFile> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::new();
    // One byte more than the limit shows that the file is too large without reading all of it.
    if file.take(limit as u64 + 1).read_to_end(&mut bytes)? > limit {
        let limit = if limit < 1 << 20 {
            format!("{} KiB", limit >> 10)
        } else {
            format!("{} MiB", limit >> 20)
        };
        let message = format!("it is larger than {limit}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(SmallFile { bytes, metadata })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Result<Vec<u8>, ErrorKind> {
        let read = SmallFile::read_within(path, 1 << 10, Duration::from_millis(300));
        read.map(|file| file.bytes).map_err(|error| error.kind())
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        assert_eq!(read(&path), Err(ErrorKind::NotFound));
        std::fs::write(&path, [b'x'; 1 << 10]).unwrap();
        assert_eq!(read(&path), Ok(vec![b'x'; 1 << 10]));
        std::fs::write(&path, [b'x'; (1 << 10) + 1]).unwrap();
        assert_eq!(read(&path), Err(ErrorKind::FileTooLarge));
        assert!(read(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_refused() {
        assert_eq!(read(Path::new("/dev/zero")), Err(ErrorKind::FileTooLarge));
        assert_eq!(read(Path::new("/dev/null")), Ok(Vec::new()));
        let folder = tempfile::TempDir::new().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            path
        };
        assert_eq!(read(&pipe("silent")), Err(ErrorKind::TimedOut));
        let path = pipe("written");
        let writer = path.clone();
        std::thread::spawn(move || std::fs::write(writer, "text").unwrap());
        let read = SmallFile::read_within(&path, 1 << 10, Duration::from_secs(30)).unwrap();
        assert_eq!(read.text().unwrap(), "text");
    }
}
