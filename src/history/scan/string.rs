//! Strings of a JSON text: where they end, and what their escapes say.
//!
//! Owns the grammar inside the quotes. A string without escapes is lent, never copied.

use super::cursor::Cursor;
use std::borrow::Cow;

/// Bytes looked at in one step.
const STEP: usize = size_of::<u64>();
/// Every byte 1.
const ONES: u64 = u64::MAX / 0xff;
/// The high bit of every byte.
const HIGHS: u64 = ONES << 7;

impl<'a> Cursor<'a> {
    /// A string, with its escapes decoded.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take(b'"')?;
        let begin = self.at;
        match self.to_special()? {
            b'"' => {
                let text = self.text.get(begin..self.at)?;
                self.at += 1;
                Some(Cow::Borrowed(text))
            }
            b'\\' => self.decoded(begin).map(Cow::Owned),
            _ => None,
        }
    }

    /// Moves over a string, and checks it as if it were read.
    pub(super) fn pass_string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let special = self.to_special()?;
            self.at += 1;
            match special {
                b'"' => return Some(()),
                b'\\' => drop(self.escaped()?),
                _ => return None,
            }
        }
    }

    /// A string that begins at `begin` and has its first escape here.
    #[cold]
    fn decoded(&mut self, begin: usize) -> Option<String> {
        let mut decoded = String::with_capacity(2 * (self.at - begin) + 4 * STEP);
        let mut copied = begin;
        loop {
            let special = self.to_special()?;
            decoded.push_str(self.text.get(copied..self.at)?);
            self.at += 1;
            match special {
                b'"' => return Some(decoded),
                b'\\' => decoded.push(self.escaped()?),
                _ => return None,
            }
            copied = self.at;
        }
    }

    /// What an escape says; its backslash is passed.
    fn escaped(&mut self) -> Option<char> {
        let kind = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        })
    }

    /// The character of a `\u` escape, or of two that are a surrogate pair.
    fn unicode(&mut self) -> Option<char> {
        let first = self.hexadecimal()?;
        if !(0xd800..0xdc00).contains(&first) {
            // Half of a pair is no character.
            return char::from_u32(first);
        }
        self.word("\\u")?;
        let second = self.hexadecimal()?;
        if !(0xdc00..0xe000).contains(&second) {
            return None;
        }
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    /// Four hexadecimal digits.
    fn hexadecimal(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits
            .iter()
            .try_fold(0, |number, digit| Some(number << 4 | char::from(*digit).to_digit(16)?))
    }

    /// Moves to the next byte that may not stand in a string as it is: a quote, a backslash, a
    /// control character.
    #[inline]
    fn to_special(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(step) = bytes.get(self.at..).and_then(<[u8]>::first_chunk::<STEP>) {
            let found = specials(u64::from_le_bytes(*step));
            if found != 0 {
                self.at += found.trailing_zeros() as usize / STEP;
                return bytes.get(self.at).copied();
            }
            self.at += STEP;
        }
        loop {
            let byte = *bytes.get(self.at)?;
            if byte < b' ' || byte == b'"' || byte == b'\\' {
                return Some(byte);
            }
            self.at += 1;
        }
    }
}

/// The high bits of the bytes that are special. Bits above the lowest may be false: a borrow runs
/// from a special byte into the next.
#[inline]
fn specials(step: u64) -> u64 {
    let quotes = (step ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES);
    let backslashes = (step ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    let controls = step.wrapping_sub(ONES * u64::from(b' '));
    (quotes | backslashes | controls) & !step & HIGHS
}
