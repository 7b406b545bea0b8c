//! Strings of a JSON text: their ends and their escapes.
//!
//! Owns the grammar inside the quotes. A string without escapes is borrowed, never copied.

use super::cursor::Cursor;
use std::borrow::Cow;

/// Bytes tested in one step: a register's width.
const STEP: usize = size_of::<u64>();
/// Initial capacity for a string with escapes: most are termination messages of about this length.
const DECODED: usize = 128;
/// Every byte 1.
const ONES: u64 = u64::MAX / 0xff;
/// The high bit of every byte.
const HIGHS: u64 = ONES << 7;

impl<'a> Cursor<'a> {
    /// A string, with its escapes decoded.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        match self.borrow_str() {
            Some(text) => Some(Cow::Borrowed(text)),
            None => self.decoded().map(Cow::Owned),
        }
    }

    /// A string without escapes, if one is next; otherwise the position does not move.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a slice in registers need not wait for memory")]
    pub(super) fn borrow_str(&mut self) -> Option<&'a str> {
        if self.peek()? != b'"' {
            return None;
        }
        let rest = self.text.get(self.at + 1..)?;
        let plain = plain(rest.as_bytes());
        if *rest.as_bytes().get(plain)? != b'"' {
            return None;
        }
        self.at += plain + 2;
        rest.get(..plain)
    }

    /// Skips a string; checks it as strictly as reading does.
    pub(super) fn skip_string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let special = self.skip_plain()?;
            self.at += 1;
            match special {
                b'"' => return Some(()),
                b'\\' => {
                    self.unescape()?;
                }
                _ => return None,
            }
        }
    }

    /// Skips a string that no field reads; half of a surrogate pair is accepted, as `serde_json` accepts it.
    pub(super) fn skip_any_string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let special = self.skip_plain()?;
            self.at += 1;
            match special {
                b'"' => return Some(()),
                b'\\' if self.text.as_bytes().get(self.at) == Some(&b'u') => {
                    self.at += 1;
                    self.hexadecimal()?;
                }
                b'\\' => {
                    self.unescape()?;
                }
                _ => return None,
            }
        }
    }

    /// A string with escapes.
    #[inline(never)]
    pub(super) fn decoded(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut decoded = String::with_capacity(DECODED);
        loop {
            let begin = self.at;
            // Texts between escapes are copied as a whole.
            let special = self.skip_plain()?;
            decoded.push_str(self.text.get(begin..self.at)?);
            self.at += 1;
            match special {
                b'"' => return Some(decoded),
                b'\\' => decoded.push(self.unescape()?),
                _ => return None,
            }
        }
    }

    /// The character of an escape; the backslash has been read.
    #[inline]
    fn unescape(&mut self) -> Option<char> {
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
        // UTF-16 (RFC 8259, section 7): the first half has the upper ten bits.
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

    /// Moves to the next byte that ends a plain run: a quote, a backslash or a control character.
    #[inline]
    fn skip_plain(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes().get(self.at..)?;
        let plain = plain(bytes);
        self.at += plain;
        bytes.get(plain).copied()
    }
}

/// How many bytes there are before the first special one.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((step, after)) = rest.split_first_chunk::<STEP>() {
        let found = specials(u64::from_le_bytes(*step));
        if found != 0 {
            // Only the lowest bit is certain, and it is that of the first special byte: the word is
            // read in little endian.
            return bytes.len() - rest.len() + found.trailing_zeros() as usize / STEP;
        }
        rest = after;
    }
    let special = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    bytes.len() - rest.len() + rest.iter().position(special).unwrap_or(rest.len())
}

/// The high bits of the bytes that are special. Bits above the lowest may be false: a borrow runs
/// from a special byte into the next.
#[inline]
fn specials(step: u64) -> u64 {
    // Bit 1 swaps the quote and the space, so that the quote is beside the control characters.
    let low = (step ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslashes = (step ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    (low | backslashes) & !step & HIGHS
}
