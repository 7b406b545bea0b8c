//! The values of a line, asked for by whoever knows what stands there.
//!
//! Owns the questions that a system may put to a line without serde between. A question that finds
//! no answer gives the line up: somebody else reads it then, and says what is wrong.

use super::cursor::Cursor;
use super::fields::{Fields, Has};
use std::borrow::Cow;

/// The value that stands next in a line. Each question moves over it.
pub struct Written<'l, 't>(pub(super) &'l mut Cursor<'t>);

impl<'t> Written<'_, 't> {
    /// What is made of a text.
    #[inline]
    pub fn text<T>(&mut self, make: impl FnOnce(&str) -> T) -> Option<T> {
        match self.0.lent() {
            Some(text) => Some(make(text)),
            None => self.0.decoded().map(|text| make(&text)),
        }
    }

    /// A text, where it stands if it stands there as it is.
    pub(in crate::history) fn lend(&mut self) -> Option<Cow<'t, str>> {
        self.0.string()
    }

    /// Reads a text into its field; null and an empty one say nothing.
    pub(in crate::history) fn lend_to(&mut self, field: &mut Option<Cow<'t, str>>) -> Option<()> {
        super::text(self.0, field)
    }

    /// Moves over a text that nobody reads.
    pub fn pass_text(&mut self) -> Option<()> {
        self.0.pass_string()
    }

    /// Moves over a value of any kind.
    pub(in crate::history) fn pass(&mut self) -> Option<()> {
        self.0.skip()
    }

    /// True or false.
    pub fn truth(&mut self) -> Option<bool> {
        self.0.truth()
    }

    /// A whole number.
    pub fn whole(&mut self) -> Option<u32> {
        self.0.whole()?.try_into().ok()
    }

    /// A whole number that may be negative.
    pub fn integer(&mut self) -> Option<i32> {
        self.0.integer()?.try_into().ok()
    }

    /// Reads the value unless it is null, which says nothing.
    #[inline]
    pub fn unless_null(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.0.peek()? == b'n' { self.0.word("null") } else { read(self) }
    }

    /// The value, or nothing if it is null.
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
        mut item: impl FnMut(&mut Written<'_, 't>) -> Option<()>,
    ) -> Option<()> {
        self.0.list(|cursor| item(&mut Written(cursor)))
    }

    /// Reads an object's fields into what it says; says which it has.
    #[inline]
    pub fn fields<T, const COUNT: usize>(
        &mut self,
        fields: &Fields<T, COUNT>,
        into: &mut T,
    ) -> Option<Has> {
        fields.read(self.0, into)
    }
}
