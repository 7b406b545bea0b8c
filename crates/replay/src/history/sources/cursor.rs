//! A stream byte by byte, with the number of the current line.

use document::diag::BYTE_ORDER_MARK;
use std::io::{self, BufRead};

/// Bytes that are copied from the stream at a time, as much as its own buffer holds: a virtual call for each byte
/// would be slow.
const CHUNK: usize = 1 << 16;
const MARK: &[u8] = BYTE_ORDER_MARK.as_bytes();

/// A place in a stream.
pub(super) struct Cursor<'r> {
    bytes: &'r mut dyn BufRead,
    chunk: Vec<u8>,
    at: usize,
    /// The line, from 1.
    pub(super) line: usize,
    /// Bytes since the line's beginning, as long as they are blank.
    blank: Option<usize>,
    has_begun: bool,
}

impl<'r> Cursor<'r> {
    /// The beginning of a stream.
    pub(super) fn new(bytes: &'r mut dyn BufRead) -> Self {
        Self { bytes, chunk: Vec::new(), at: 0, line: 1, blank: Some(0), has_begun: false }
    }

    /// The indentation of the next value; 0 if it is not the first on its line.
    pub(super) fn indent(&self) -> usize {
        self.blank.unwrap_or(0)
    }

    /// The next byte; none at the end. A byte order mark at the beginning is skipped.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.chunk.len() {
            self.chunk.clear();
            self.at = 0;
            let ready = self.bytes.fill_buf()?;
            // The buffer of the stream may be larger than a chunk, and the rest of it stays there.
            let length = ready.len().min(CHUNK);
            self.chunk.extend_from_slice(&ready[..length]);
            self.bytes.consume(length);
            // At the begin only: later the same bytes are text.
            if !self.has_begun && self.chunk.starts_with(MARK) {
                self.at = MARK.len();
                self.has_begun = true;
                return self.peek();
            }
            self.has_begun = true;
        }
        Ok(self.chunk.get(self.at).copied())
    }

    /// Moves past the byte that was peeked.
    pub(super) fn bump(&mut self) {
        let Some(byte) = self.chunk.get(self.at) else {
            return;
        };
        self.blank = match (byte, self.blank) {
            (b'\n', _) => {
                self.line += 1;
                Some(0)
            }
            (b' ' | b'\t', Some(blank)) => Some(blank + 1),
            _ => None,
        };
        self.at += 1;
    }
}
