//! A position in a JSON text: punctuation, words, numbers, and the walk through objects and lists.
//!
//! Owns the grammar outside of strings. It has no notion of fields. `None` means that the text is not
//! read on this path; the position is then meaningless.

use crate::history::TimeNotation;

/// A position in a JSON text.
pub(in crate::history) struct Cursor<'a> {
    pub(super) text: &'a str,
    /// The next byte. Cuts of the text are made only at ASCII.
    pub(super) at: usize,
    /// The keys of the record that no field reads, unless others may have been skipped too.
    pub(in crate::history) unread_keys: Option<Vec<&'a str>>,
    /// How times are written, as far as the texts read so far determine it.
    pub(in crate::history) notation: TimeNotation,
}

impl<'a> Cursor<'a> {
    pub(in crate::history) fn new(text: &'a str, notation: TimeNotation) -> Self {
        Self { text, at: 0, unread_keys: Some(Vec::new()), notation }
    }

    /// The next byte that is not whitespace; the position moves to it.
    #[inline]
    pub(in crate::history) fn peek(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        // Compact JSON has no blanks: one comparison for all of them, and the loop out of line.
        if byte > b' ' { Some(byte) } else { self.peek_past_space() }
    }

    fn peek_past_space(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Reads the next byte that is not whitespace.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Reads this byte, after any whitespace.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    pub(super) fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        // Also if the text is another one: the position has no meaning after a failure.
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(())
    }

    pub(super) fn boolean(&mut self) -> Option<bool> {
        let value = self.peek()? == b't';
        self.word(if value { "true" } else { "false" })?;
        Some(value)
    }

    /// Digits without a sign. It stops before a fraction, an exponent or a digit after a leading zero;
    /// none of these can follow a value, so the next step fails.
    pub(super) fn unsigned(&mut self) -> Option<u64> {
        let first = self.peek()?;
        let mut number = u64::from(first.checked_sub(b'0').filter(|digit| *digit < 10)?);
        self.at += 1;
        // JSON has no digits after a leading zero.
        if number == 0 {
            return Some(0);
        }
        let rest = self.text.as_bytes().get(self.at..)?;
        let mut length = 0;
        while let Some(byte @ b'0'..=b'9') = rest.get(length) {
            // A number that does not fit is left to the exact path, which reports its range.
            number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            length += 1;
        }
        self.at += length;
        Some(number)
    }

    /// An integer; not `-0`, which JSON readers treat as a float.
    pub(super) fn signed(&mut self) -> Option<i64> {
        if self.peek()? != b'-' {
            return self.unsigned()?.try_into().ok();
        }
        self.at += 1;
        // The sign alone is no number.
        if !self.text.as_bytes().get(self.at)?.is_ascii_digit() {
            return None;
        }
        let number = self.unsigned()?;
        // Subtracted from 0 instead of negated: the least number has no positive counterpart.
        if number == 0 { None } else { 0_i64.checked_sub_unsigned(number) }
    }

    /// Calls `entry` before each key of an object; it reads the key and the value.
    #[inline]
    pub(super) fn object(&mut self, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            entry(self)?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Calls `item` before each item of a list; it reads the item.
    #[inline]
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }
}
