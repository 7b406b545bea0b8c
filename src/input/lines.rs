//! Histories: whether a stream is one document or lines, and the lines.

use super::NotUtf8;
use super::files::unreadable;
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Limits;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// How a history is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One or more documents.
    Document,
    /// A record a line.
    Lines,
}

/// An opened history.
pub enum Stream {
    /// The text of its documents.
    Document(Arc<Source>),
    /// Its lines.
    Lines(Lines),
}

/// The lines of a stream, one at a time.
pub struct Lines {
    /// What people call the stream.
    pub name: String,
    /// The number of the last line read, from 1.
    pub number: usize,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
}

/// A line of a stream, with its number from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'t> {
    /// Its text, without the line break.
    Text(usize, &'t str),
    /// It is not UTF-8.
    NotUtf8(usize, NotUtf8),
    /// There is no more.
    End,
}

/// The longest line that is read.
const LONGEST_LINE: u64 = 16 << 20;

impl Lines {
    /// The next line that is not blank.
    pub fn read(&mut self) -> io::Result<Line<'_>> {
        loop {
            self.buffer.clear();
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(Line::End);
            }
            self.number += 1;
            if read as u64 == LONGEST_LINE {
                let message =
                    format!("line {} is longer than {} MiB", self.number, LONGEST_LINE >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if !self.buffer.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        let bytes = self.buffer.strip_prefix(b"\xef\xbb\xbf").filter(|_| self.number == 1);
        let bytes = bytes.unwrap_or(&self.buffer).trim_ascii_end();
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => Line::Text(self.number, text),
            Err(error) => Line::NotUtf8(self.number, NotUtf8::new(bytes, error)),
        })
    }
}

/// Opens a history; without a `layout` its first bytes and the file's name tell.
pub fn open(path: &Path, layout: Option<Layout>, findings: &mut Findings) -> Option<Stream> {
    match stream(path, layout, findings) {
        Ok(stream) => stream,
        Err(error) => {
            findings.push(unreadable(path, &error));
            None
        }
    }
}

fn stream(
    path: &Path,
    layout: Option<Layout>,
    findings: &mut Findings,
) -> io::Result<Option<Stream>> {
    let name = path.display().to_string();
    let mut reader: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::with_capacity(1 << 20, File::open(path)?))
    };
    let mut head = Vec::new();
    let layout = match layout {
        Some(layout) => layout,
        None => detect(path, &mut reader, &mut head)?,
    };
    let mut reader: Box<dyn BufRead> = Box::new(io::Cursor::new(head).chain(reader));
    if layout == Layout::Lines {
        return Ok(Some(Stream::Lines(Lines { name, number: 0, reader, buffer: Vec::new() })));
    }
    let mut bytes = Vec::new();
    (&mut reader).take(Limits::HISTORY.bytes as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > Limits::HISTORY.bytes {
        let message = format!(
            "`{name}` is larger than the {} MiB that are read",
            Limits::HISTORY.bytes >> 20
        );
        findings.push(
            Diagnostic::placeless(Code::TooMuch, message)
                .help("write histories of this size as JSON Lines"),
        );
        return Ok(None);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(Stream::Document(Source::new(name, text)))),
        Err(error) => {
            let bad = NotUtf8::new(error.as_bytes(), error.utf8_error());
            findings.push(bad.finding(name));
            Ok(None)
        }
    }
}

/// Lines, if the first line is a JSON object and no `FailureHistory`, or is a broken one before a
/// good one. A file's name tells only where its first line is a broken object.
fn detect(path: &Path, reader: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<Layout> {
    while head.iter().all(u8::is_ascii_whitespace) {
        if reader.take(LONGEST_LINE).read_until(b'\n', head)? == 0 {
            break;
        }
    }
    let line = head.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let named = path.extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
    let (empty, object) = (line.is_empty(), line.starts_with(b"{"));
    let lines = match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(value) if value.is_object() => value["kind"] != "FailureHistory",
        Err(error) if object && error.is_eof() => next_is_object(reader, head)?,
        Err(_) if object => named || next_is_object(reader, head)?,
        // The first line of a stream may be cut off at its beginning.
        _ => named && (empty || next_is_object(reader, head)?),
    };
    Ok(if lines { Layout::Lines } else { Layout::Document })
}

/// Whether one more line is a JSON object of its own.
fn next_is_object(reader: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let first = head.len();
    reader.take(LONGEST_LINE).read_until(b'\n', head)?;
    let object =
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&head[first..]);
    Ok(object.is_ok_and(|object| !object.is_empty()))
}
