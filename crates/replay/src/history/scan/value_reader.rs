//! Reads one value of a line as the type that a field's setter expects.
//!
//! Owns the interface between the scanner and the field tables. `None` means that the line is not read
//! on this path; the exact path then reads it and reports what is wrong.

use super::cursor::Cursor;
use document::units::Time;
use std::borrow::Cow;

/// The next value of a line. Each method reads it and moves past it.
pub struct ValueReader<'l, 't>(pub(in crate::history) &'l mut Cursor<'t>);

impl<'t> ValueReader<'_, 't> {
    /// A text, made into something.
    #[inline]
    pub fn text<T>(&mut self, make: impl FnOnce(&str) -> T) -> Option<T> {
        match self.0.borrow_str() {
            Some(text) => Some(make(text)),
            None => self.0.decoded().map(|text| make(&text)),
        }
    }

    /// Passes a text that is not empty to `take`; null and an empty text mean absent.
    #[inline]
    pub fn some_text(&mut self, take: impl FnOnce(&str)) -> Option<()> {
        let Some(text) = self.0.borrow_str() else {
            return self.decoded_unless_null()?.map(|text| take(&text)).or(Some(()));
        };
        if !text.is_empty() {
            take(text);
        }
        Some(())
    }

    /// A text with escapes; `None` inside if it is null or empty.
    #[cold]
    #[expect(clippy::option_option, reason = "a text may be absent, or not readable here")]
    fn decoded_unless_null(&mut self) -> Option<Option<String>> {
        let text = self.optional(|value| value.0.decoded())?;
        Some(text.filter(|text| !text.is_empty()))
    }

    /// Reads a text into its field; null and an empty text mean absent.
    // Out of line, and into the field: a text that is returned waits in memory for its length.
    #[inline(never)]
    pub(in crate::history) fn borrow_into(
        &mut self,
        field: &mut Option<Cow<'t, str>>,
    ) -> Option<()> {
        let Some(text) = self.0.borrow_str() else {
            *field = self.decoded_unless_null()?.map(Cow::Owned);
            return Some(());
        };
        if !text.is_empty() {
            *field = Some(Cow::Borrowed(text));
        }
        Some(())
    }

    /// A time in the notation of the history; null and an empty text mean absent.
    pub fn time(&mut self, field: &mut Option<Time>) -> Option<()> {
        let Some(text) = self.0.borrow_str() else {
            return self.unless_null(|_| None);
        };
        if !text.is_empty() {
            // The exact path reports a time in another notation, with the place.
            *field = Some(self.0.notation.read(text).ok()?);
        }
        Some(())
    }

    /// Skips a text.
    pub fn skip_text(&mut self) -> Option<()> {
        self.0.skip_string()
    }

    /// True or false.
    pub fn boolean(&mut self) -> Option<bool> {
        self.0.boolean()
    }

    /// A whole number from 0 to 2³² − 1.
    pub fn u32(&mut self) -> Option<u32> {
        self.0.unsigned()?.try_into().ok()
    }

    /// A whole number from 0 to 2⁶⁴ − 1.
    pub fn u64(&mut self) -> Option<u64> {
        self.0.unsigned()
    }

    /// A whole number from −2³¹ to 2³¹ − 1.
    pub fn i32(&mut self) -> Option<i32> {
        self.0.signed()?.try_into().ok()
    }

    /// A whole number from −2⁶³ to 2⁶³ − 1.
    pub fn i64(&mut self) -> Option<i64> {
        self.0.signed()
    }

    /// A finite number.
    pub fn f64(&mut self) -> Option<f64> {
        self.0.peek()?;
        let start = self.0.at;
        self.0.skip_number()?;
        let number: f64 = self.0.text.get(start..self.0.at)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// The JSON of a value that is not text.
    pub fn json(&mut self) -> Option<&'t str> {
        self.0.peek()?;
        let start = self.0.at;
        self.0.skip_any()?;
        self.0.text.get(start..self.0.at)
    }

    /// Whether the value is a text.
    pub fn is_text(&mut self) -> bool {
        self.0.peek() == Some(b'"')
    }

    /// Reads the value unless it is null, which means absent.
    #[inline]
    pub fn unless_null(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.0.peek()? == b'n' { self.0.word("null") } else { read(self) }
    }

    /// The value, or `None` inside if it is null.
    #[inline]
    pub fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.0.peek()? == b'n' {
            return self.0.word("null").map(|()| None);
        }
        read(self).map(Some)
    }

    /// Reads each item of a list.
    #[inline]
    pub fn items(
        &mut self,
        mut item: impl FnMut(&mut ValueReader<'_, 't>) -> Option<()>,
    ) -> Option<()> {
        self.0.list(|cursor| item(&mut ValueReader(cursor)))
    }

    /// Reads each entry of an object with free keys.
    pub fn entries(
        &mut self,
        mut entry: impl FnMut(Cow<'t, str>, &mut ValueReader<'_, 't>) -> Option<()>,
    ) -> Option<()> {
        self.0.object(|cursor| {
            let key = cursor.string()?;
            cursor.take(b':')?;
            entry(key, &mut ValueReader(cursor))
        })
    }
}
