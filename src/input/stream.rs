//! An opened history: the bytes of a file or of standard input, decompressed and not interpreted.

use super::decompress::{Compression, decompress};
use super::encoding::{Encoding, NotUtf8, decode};
use super::files::open_bytes;
use super::unreadable::{display_name, unreadable, unreadable_name};
use document::Limits;
use document::diag::{Code, Diagnostic, Findings, Source};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a history.
pub struct Stream {
    /// The name in messages.
    pub name: String,
    /// The decompressed bytes.
    pub bytes: Box<dyn BufRead + Send>,
    /// The number of bytes; known only for a file that is neither compressed nor decoded.
    pub size: Option<u64>,
    /// The file of the bytes, if it can be read again.
    pub file: Option<PathBuf>,
}

/// The size of the buffer for a file. Larger reads bypass it.
const BUFFER: usize = 1 << 16;

/// Opens a history, or standard input for `-`.
pub fn open(path: &Path, findings: &mut Findings) -> Option<Stream> {
    match open_stream(path) {
        Ok(stream) => Some(stream),
        Err(error) => {
            findings.push(unreadable(path, &error));
            None
        }
    }
}

fn open_stream(path: &Path) -> io::Result<Stream> {
    let name = display_name(path);
    if path.as_os_str() == "-" {
        let (bytes, ..) = open_text(open_bytes(path)?)?;
        return Ok(Stream { name, bytes, size: None, file: None });
    }
    let file = File::open(path)?;
    // A pipe has no length and can be read only once.
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let (bytes, compression, encoding) =
        open_text(Box::new(BufReader::with_capacity(BUFFER, file)))?;
    let is_plain = compression == Compression::None && encoding == Encoding::Same;
    let file = length.map(|_| path.to_owned());
    Ok(Stream { name, bytes, size: length.filter(|_| is_plain), file })
}

/// The decompressed text of bytes.
fn open_text(
    bytes: Box<dyn BufRead + Send>,
) -> io::Result<(Box<dyn BufRead + Send>, Compression, Encoding)> {
    let (bytes, compression) = decompress(bytes)?;
    let (bytes, encoding) = decode(bytes)?;
    Ok((bytes, compression, encoding))
}

/// A file that is opened before its first byte is read, and closed at its end.
struct LazyFile {
    file: PathBuf,
    /// `None` before the file is opened and after it is closed.
    bytes: Option<Box<dyn BufRead + Send>>,
    is_read: bool,
}

impl BufRead for LazyFile {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes.is_none() && !self.is_read {
            self.bytes = Some(open_stream(&self.file)?.bytes);
        }
        let is_end = self.bytes.as_mut().map_or(Ok(true), |it| it.fill_buf().map(<[u8]>::is_empty));
        if is_end? {
            (self.bytes, self.is_read) = (None, true);
        }
        self.bytes.as_mut().map_or(Ok(&[]), |bytes| bytes.fill_buf())
    }

    fn consume(&mut self, amount: usize) {
        if let Some(bytes) = &mut self.bytes {
            bytes.consume(amount);
        }
    }
}

impl Read for LazyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(bytes) = &mut self.bytes else {
            let read = self.fill_buf()?.read(buffer)?;
            self.consume(read);
            return Ok(read);
        };
        let read = bytes.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            (self.bytes, self.is_read) = (None, true);
        }
        Ok(read)
    }
}

impl Stream {
    /// Puts back bytes that were read to detect the format.
    #[must_use]
    pub fn preceded_by(self, head: Vec<u8>) -> Self {
        Self { bytes: Box::new(io::Cursor::new(head).chain(self.bytes)), ..self }
    }

    /// Closes the file until its first byte is read. So of many files that are read in sequence, only one is
    /// open at a time.
    #[must_use]
    pub fn closed(self) -> Self {
        let Some(file) = self.file.clone() else { return self };
        let bytes = Box::new(LazyFile { file, bytes: None, is_read: false });
        Self { bytes, ..self }
    }

    /// Reads the stream as one text. The limit applies to decompressed bytes.
    pub fn document(self, findings: &mut Findings) -> Option<Arc<Source>> {
        let Self { name, bytes, .. } = self;
        let (limit, mut text) = (Limits::HISTORY.bytes, Vec::new());
        if let Err(error) = bytes.take(limit as u64 + 1).read_to_end(&mut text) {
            findings.push(unreadable_name(&name, &error));
            return None;
        }
        if text.len() > limit {
            let message = format!("`{name}` is larger than the {} MiB that are read", limit >> 20);
            findings.push(
                Diagnostic::without_place(Code::TooMuch, message)
                    .help("write histories of this size as JSON Lines"),
            );
            return None;
        }
        match String::from_utf8(text) {
            Ok(text) => Some(Source::new(name, text)),
            Err(error) => {
                let bad = NotUtf8::new(error.as_bytes(), error.utf8_error());
                findings.push(bad.finding(name));
                None
            }
        }
    }
}
