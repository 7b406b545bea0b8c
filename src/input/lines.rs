//! The lines of a stream.

use super::NotUtf8;
use std::io::{self, BufRead, Read};

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
    /// The lines of a stream, none read yet. People call it `name`.
    pub fn new(name: String, reader: Box<dyn BufRead>) -> Self {
        Self { name, number: 0, reader, buffer: Vec::new() }
    }

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
