//! Values that nobody reads, passed as strictly as if somebody did.
//!
//! Owns the grammar of any JSON value. A value that is wrong must not be passed: the line would be
//! taken for a good one.

use super::cursor::Cursor;

/// How deep a value may nest before the scanner gives up on it.
pub(super) const DEEPEST: u32 = 64;

impl Cursor<'_> {
    /// Moves over a value of any kind.
    pub(super) fn skip(&mut self) -> Option<()> {
        self.has_skipped = true;
        self.skip_within(DEEPEST)
    }

    fn skip_within(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            b'"' => self.pass_string(),
            b'{' => {
                let within = depth.checked_sub(1)?;
                self.object(|cursor| {
                    cursor.pass_string()?;
                    cursor.take(b':')?;
                    cursor.skip_within(within)
                })
            }
            b'[' => {
                let within = depth.checked_sub(1)?;
                self.list(|cursor| cursor.skip_within(within))
            }
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.skip_number(),
        }
    }

    /// Moves over a number, however large. A digit after a leading zero is left over, and can
    /// follow no value.
    fn skip_number(&mut self) -> Option<()> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.pass_digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.pass_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.pass_digits()?;
        }
        Some(())
    }

    /// Moves over one digit at least.
    fn pass_digits(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        (digits > 0).then_some(())
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
