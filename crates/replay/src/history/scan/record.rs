//! The walk through the entries of a record, from one key to the next.

use super::cursor::Cursor;
use super::key_matcher::KeyMatcher;
use super::value_reader::ValueReader;
use std::borrow::Cow;

/// The entries of the object at the cursor.
pub(in crate::history) struct Entries<'l, 't> {
    cursor: &'l mut Cursor<'t>,
    has_begun: bool,
}

impl<'l, 't> Entries<'l, 't> {
    /// The entries of an object, whose brace is read.
    pub(in crate::history) fn new(cursor: &'l mut Cursor<'t>) -> Option<Self> {
        cursor.take(b'{')?;
        Some(Self { cursor, has_begun: false })
    }

    /// The value of the key that was read last.
    #[inline]
    pub(in crate::history) fn value(&mut self) -> ValueReader<'_, 't> {
        ValueReader(self.cursor)
    }

    /// Reads the next key and its colon if it is this one in its common spelling, right after the comma.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "runs for every key of every line")]
    pub(in crate::history) fn is_next(&mut self, key: &KeyMatcher) -> bool {
        let bytes = self.cursor.text.as_bytes();
        // The brace before the first entry is read; the comma before any other is not.
        let at = self.cursor.at + usize::from(self.has_begun);
        let is_separated = !self.has_begun || bytes.get(self.cursor.at) == Some(&b',');
        let found = is_separated && key.is_at(bytes, at);
        if found {
            self.cursor.at = at + key.length();
            self.has_begun = true;
        }
        found
    }

    /// Reads the end of the object, if it comes right after a value.
    #[inline]
    pub(in crate::history) fn is_end(&mut self) -> bool {
        let is_end =
            self.has_begun && self.cursor.text.as_bytes().get(self.cursor.at) == Some(&b'}');
        self.cursor.at += usize::from(is_end);
        is_end
    }

    /// Reads the next key in any spelling, and its colon; `None` inside if the object ends here.
    #[expect(clippy::option_option, reason = "the object may end, or not be readable here")]
    pub(in crate::history) fn next_key(&mut self) -> Option<Option<Cow<'t, str>>> {
        if !std::mem::replace(&mut self.has_begun, true) {
            if self.cursor.peek()? == b'}' {
                self.cursor.at += 1;
                return Some(None);
            }
        } else if self.cursor.next()? != b',' {
            return (self.cursor.text.as_bytes()[self.cursor.at - 1] == b'}').then_some(None);
        }
        let key = self.cursor.string()?;
        self.cursor.take(b':')?;
        Some(Some(key))
    }

    /// Skips the value of a key that no field reads. `key` is that key, unless it has escapes.
    pub(in crate::history) fn skip_value(&mut self, key: Option<&'t str>) -> Option<()> {
        let Some(key) = key else { return self.cursor.skip() };
        if let Some(keys) = &mut self.cursor.unread_keys {
            keys.push(key);
        }
        self.cursor.skip_any()
    }
}

/// The text of the first entry with this key, if it is a text and what precedes it can be skipped.
pub(in crate::history) fn first_text<'t>(
    cursor: &mut Cursor<'t>,
    key: &str,
    matcher: &KeyMatcher,
) -> Option<Cow<'t, str>> {
    cursor.take(b'{')?;
    loop {
        let is_key = if matcher.is_at(cursor.text.as_bytes(), cursor.at) {
            cursor.at += matcher.length();
            true
        } else {
            let is_key = cursor.string()? == key;
            cursor.take(b':')?;
            is_key
        };
        if is_key {
            return cursor.string();
        }
        cursor.skip()?;
        cursor.take(b',')?;
    }
}
