//! A place in a JSON text that moves on over what it reads: punctuation, words, numbers, and the
//! walk through objects and lists.
//!
//! Owns the grammar between texts. It knows no field; whatever it does not like is `None`, and
//! where it stands then means nothing.

use super::key::{Known, Name};
use std::borrow::Cow;

/// A place in a JSON text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    /// The next byte. Cuts of the text are made only at ASCII.
    pub(super) at: usize,
    /// Whether it has moved over a value that nothing reads.
    pub(super) has_skipped: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, has_skipped: false }
    }

    /// The next byte that is no whitespace, which stays next.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
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

    /// Moves over the next byte that is no whitespace.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Moves over this byte, and whitespace before it.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Moves over exactly this.
    pub(super) fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(())
    }

    /// Reads a value, unless it is null.
    #[inline]
    pub(super) fn unless_null(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.peek()? == b'n' { self.word("null") } else { read(self) }
    }

    /// Reads a value into its field, unless it is null.
    #[inline]
    pub(super) fn optional<T>(
        &mut self,
        field: &mut Option<T>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<()> {
        self.unless_null(|cursor| {
            *field = Some(read(cursor)?);
            Some(())
        })
    }

    /// True or false.
    pub(super) fn truth(&mut self) -> Option<bool> {
        let truth = self.peek()? == b't';
        self.word(if truth { "true" } else { "false" })?;
        Some(truth)
    }

    /// Digits without a sign. What may follow them in a number that is no integer, or in one with
    /// leading zeros, can follow no value, so that the next step gives up on it.
    pub(super) fn whole(&mut self) -> Option<u64> {
        let first = self.peek()?;
        let mut number = u64::from(first.checked_sub(b'0').filter(|digit| *digit < 10)?);
        self.at += 1;
        if number == 0 {
            return Some(0);
        }
        let rest = self.text.as_bytes().get(self.at..)?;
        let mut length = 0;
        while let Some(byte @ b'0'..=b'9') = rest.get(length) {
            number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            length += 1;
        }
        self.at += length;
        Some(number)
    }

    /// An integer; not `-0`, which JSON readers take for a float.
    pub(super) fn integer(&mut self) -> Option<i64> {
        if self.peek()? != b'-' {
            return self.whole()?.try_into().ok();
        }
        self.at += 1;
        if !self.text.as_bytes().get(self.at)?.is_ascii_digit() {
            return None;
        }
        let number = self.whole()?;
        if number == 0 { None } else { 0_i64.checked_sub_unsigned(number) }
    }

    /// Reads each entry of an object: `entry` stands before the key, and reads the value too.
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

    /// A key and the colon after it.
    #[inline]
    pub(super) fn key<K: Known>(&mut self) -> Option<Name<K>> {
        if self.peek()? != b'"' {
            return None;
        }
        if let Some((key, length)) = K::of(self.text.as_bytes().get(self.at + 1..)?) {
            self.at += 1 + length;
            return Some(Name::Known(key));
        }
        self.other_key()
    }

    /// A key that is unknown, or written in an uncommon way: with escapes, or with space before
    /// the colon.
    #[inline(never)]
    fn other_key<K: Known>(&mut self) -> Option<Name<K>> {
        let name = self.string()?;
        let plain = matches!(name, Cow::Borrowed(_));
        let end = self.at;
        self.take(b':')?;
        if plain && self.at == end + 1 {
            return Some(Name::Other);
        }
        let name = name + "\":";
        let found = K::of(name.as_bytes()).filter(|(_, length)| *length == name.len());
        Some(found.map_or(Name::Other, |(key, _)| Name::Known(key)))
    }

    /// Reads each item of a list: `item` stands before it.
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
