//! An opened history: a file's or standard input's bytes, decompressed. What they mean is not
//! known here.

use super::NotUtf8;
use super::decompress::{Packing, decompressed};
use super::files::unreadable;
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Limits;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The bytes of a history.
pub struct Stream {
    /// What people call it.
    pub name: String,
    /// Its bytes, decompressed.
    pub bytes: Box<dyn BufRead + Send>,
    /// How many there are, where that is known: of a file that is not compressed.
    pub size: Option<u64>,
}

/// Bytes read from a file at a time; who asks for more gets them without a copy.
const BUFFER: usize = 1 << 16;

/// Opens a history, or standard input for `-`.
pub fn open(path: &Path, findings: &mut Findings) -> Option<Stream> {
    match opened(path) {
        Ok((bytes, size)) => Some(Stream { name: path.display().to_string(), bytes, size }),
        Err(error) => {
            findings.push(unreadable(path, &error));
            None
        }
    }
}

fn opened(path: &Path) -> io::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if path.as_os_str() == "-" {
        let (bytes, _) = decompressed(Box::new(BufReader::new(io::stdin())))?;
        return Ok((bytes, None));
    }
    let file = File::open(path)?;
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let (bytes, packing) = decompressed(Box::new(BufReader::with_capacity(BUFFER, file)))?;
    Ok((bytes, length.filter(|_| packing == Packing::None)))
}

impl Stream {
    /// Puts back what was read to see what the bytes are.
    #[must_use]
    pub fn preceded_by(self, head: Vec<u8>) -> Self {
        Self { bytes: Box::new(io::Cursor::new(head).chain(self.bytes)), ..self }
    }

    /// The whole as one text. The limit is on what has been decompressed.
    pub fn document(self, findings: &mut Findings) -> Option<Arc<Source>> {
        let Self { name, bytes, .. } = self;
        let (limit, mut text) = (Limits::HISTORY.bytes, Vec::new());
        if let Err(error) = bytes.take(limit as u64 + 1).read_to_end(&mut text) {
            findings.push(unreadable(Path::new(&name), &error));
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
