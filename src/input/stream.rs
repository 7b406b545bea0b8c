//! An opened history: a file's or standard input's bytes, decompressed. What they mean is not
//! known here.

use super::NotUtf8;
use super::decompress::{Packing, decompressed};
use super::encoding::{Encoding, text_of};
use super::files::{opened, unreadable, unreadable_name};
use super::walk::shown;
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Limits;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a history.
pub struct Stream {
    /// What people call it.
    pub name: String,
    /// Its bytes, decompressed.
    pub bytes: Box<dyn BufRead + Send>,
    /// How many there are, where that is known: of a file that is read as it is.
    pub size: Option<u64>,
    /// The file that the bytes are of, if they can be read again.
    pub file: Option<PathBuf>,
}

/// Bytes read from a file at a time; who asks for more gets them without a copy.
const BUFFER: usize = 1 << 16;

/// Opens a history, or standard input for `-`.
pub fn open(path: &Path, findings: &mut Findings) -> Option<Stream> {
    match stream(path) {
        Ok(stream) => Some(stream),
        Err(error) => {
            findings.push(unreadable(path, &error));
            None
        }
    }
}

fn stream(path: &Path) -> io::Result<Stream> {
    let name = shown(path);
    if path.as_os_str() == "-" {
        let (bytes, ..) = text(opened(path)?)?;
        return Ok(Stream { name, bytes, size: None, file: None });
    }
    let file = File::open(path)?;
    // What comes through a pipe can be read once.
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let (bytes, packing, encoding) = text(Box::new(BufReader::with_capacity(BUFFER, file)))?;
    let is_plain = packing == Packing::None && encoding == Encoding::Same;
    let file = length.map(|_| path.to_owned());
    Ok(Stream { name, bytes, size: length.filter(|_| is_plain), file })
}

/// The text of bytes, decompressed.
fn text(
    bytes: Box<dyn BufRead + Send>,
) -> io::Result<(Box<dyn BufRead + Send>, Packing, Encoding)> {
    let (bytes, packing) = decompressed(bytes)?;
    let (bytes, encoding) = text_of(bytes)?;
    Ok((bytes, packing, encoding))
}

/// A file that is open from its first byte that is read to its last.
struct Later {
    file: PathBuf,
    /// None before and after.
    bytes: Option<Box<dyn BufRead + Send>>,
    is_read: bool,
}

impl BufRead for Later {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes.is_none() && !self.is_read {
            self.bytes = Some(stream(&self.file)?.bytes);
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

impl Read for Later {
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
    /// Puts back what was read to see what the bytes are.
    #[must_use]
    pub fn preceded_by(self, head: Vec<u8>) -> Self {
        Self { bytes: Box::new(io::Cursor::new(head).chain(self.bytes)), ..self }
    }

    /// The same stream, of which a file is closed now and opened when its first byte is read: of
    /// many files that are read one after another, one is open at a time.
    #[must_use]
    pub fn closed(self) -> Self {
        let Some(file) = self.file.clone() else { return self };
        let bytes = Box::new(Later { file, bytes: None, is_read: false });
        Self { bytes, ..self }
    }

    /// The whole as one text. The limit is on what has been decompressed.
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
                Diagnostic::placeless(Code::TooMuch, message)
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
