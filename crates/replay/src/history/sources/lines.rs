//! Lines of a source, checked for length and for UTF-8.

use super::sink::Fault;
use crate::history::piece::LONGEST_LINE;
use document::diag::{BYTE_ORDER_MARK, Code, Diagnostic, Place, Source, Span};
use std::io::{self, BufRead, Read};

/// The lines of a stream, one at a time.
pub(super) struct Lines<'r> {
    name: &'r str,
    bytes: &'r mut dyn BufRead,
    number: usize,
    buffer: Vec<u8>,
}

/// A line that is not blank.
pub(super) enum Line<'l> {
    /// Its number, from 1, and its text without the line break.
    Text(usize, &'l str),
    /// It is not UTF-8.
    Bad(Fault),
}

impl<'r> Lines<'r> {
    /// The lines of a stream; `name` is its name in messages.
    pub(super) fn new(name: &'r str, bytes: &'r mut dyn BufRead) -> Self {
        Self { name, bytes, number: 0, buffer: Vec::new() }
    }

    /// The next line that is not blank; none at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.buffer.clear();
            let read =
                // A line without an end must not fill the memory.
                (&mut self.bytes).take(LONGEST_LINE as u64).read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read == LONGEST_LINE {
                let message =
                    format!("line {} is longer than {} MiB", self.number, LONGEST_LINE >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if !self.buffer.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        // The mark is only at the beginning of a stream.
        let bytes =
            self.buffer.strip_prefix(BYTE_ORDER_MARK.as_bytes()).filter(|_| self.number == 1);
        let bytes = bytes.unwrap_or(&self.buffer).trim_ascii_end();
        Ok(Some(match std::str::from_utf8(bytes) {
            Ok(text) => Line::Text(self.number, text),
            Err(error) => {
                let shown = String::from_utf8_lossy(bytes).into_owned();
                let source = Source::excerpt(self.name, shown, self.number);
                let at = error.valid_up_to();
                let place = Place::new(&source, Span::new(at, at + 1));
                Line::Bad(Diagnostic::error(Code::NotUtf8, place, "the line is not UTF-8").into())
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_counted_and_skipped() {
        let mut bytes: &[u8] = b"\xef\xbb\xbfa\r\n\n  \nb\n\xff";
        let mut lines = Lines::new("x", &mut bytes);
        assert!(matches!(lines.next().unwrap(), Some(Line::Text(1, "a"))));
        assert!(matches!(lines.next().unwrap(), Some(Line::Text(4, "b"))));
        assert!(matches!(lines.next().unwrap(), Some(Line::Bad(_))));
        assert!(lines.next().unwrap().is_none());
    }
}
