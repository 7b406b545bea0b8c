//! Skips values of fields that are not read.
//!
//! Owns the grammar of any JSON value. Skipping is as strict as reading: a line with a malformed value
//! must not be accepted.

use super::cursor::Cursor;

/// How deep a skipped value may nest: a bound on the recursion.
const MAX_DEPTH: u32 = 126;

impl Cursor<'_> {
    /// Skips a value of any kind, which no field reads.
    pub(super) fn skip(&mut self) -> Option<()> {
        // The value may hold unread words too, so that the line has to be walked through for them.
        self.unread_keys = None;
        self.skip_any()
    }

    /// Skips a value of any kind.
    pub(super) fn skip_any(&mut self) -> Option<()> {
        self.skip_within(MAX_DEPTH)
    }

    fn skip_within(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            b'"' => self.skip_any_string(),
            b'{' => {
                // Deeper values are left to the exact path, which reports them.
                let within = depth.checked_sub(1)?;
                self.object(|cursor| {
                    cursor.skip_any_string()?;
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

    /// Skips a number of any size. It stops at a digit after a leading zero, which can follow no value.
    pub(super) fn skip_number(&mut self) -> Option<()> {
        if self.next_byte() == Some(b'-') {
            self.at += 1;
        }
        if self.next_byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.skip_digits()?;
        }
        if self.next_byte() == Some(b'.') {
            self.at += 1;
            self.skip_digits()?;
        }
        if matches!(self.next_byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.next_byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.skip_digits()?;
        }
        Some(())
    }

    /// Skips at least one digit.
    fn skip_digits(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        (digits > 0).then_some(())
    }

    fn next_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
