//! A text for serde to read from: the values of a line whose fields a system names.
//!
//! Owns how serde's questions are put to the cursor. It takes less than `serde_json` does, and never
//! another thing: what it gives up on, somebody else reads.

use super::cursor::Cursor;
use super::glance::Glance;
use super::written::Written;
use serde::de::value::CowStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt;

/// A line, read from its beginning on.
pub(in crate::history) struct Line<'t>(Cursor<'t>);

/// The line is not read here. It does not say why: whoever reads it then does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::history) struct GivenUp;

impl<'t> Line<'t> {
    /// A line, of which nothing is read yet.
    pub(in crate::history) fn new(text: &'t str) -> Self {
        Self(Cursor::new(text))
    }

    /// The entries of the object that stands next.
    pub(in crate::history) fn entries(&mut self) -> Result<Entries<'_, 't>, GivenUp> {
        self.0.take(b'{').ok_or(GivenUp)?;
        Ok(Entries { line: self, end: b'}', begun: false })
    }

    /// The text under a key, where the first entry of that key holds one.
    pub(in crate::history) fn first_text(mut self, key: &str) -> Option<Cow<'t, str>> {
        let cursor = &mut self.0;
        cursor.take(b'{')?;
        loop {
            let is_it = cursor.string()? == key;
            cursor.take(b':')?;
            if is_it {
                return cursor.string();
            }
            cursor.skip()?;
            cursor.take(b',')?;
        }
    }

    /// Whether a value was moved over that nothing reads.
    pub(in crate::history) fn has_skipped(&self) -> bool {
        self.0.has_skipped
    }

    /// Reads all of the line.
    pub(in crate::history) fn read<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, GivenUp>,
    ) -> Result<T, GivenUp> {
        let value = read(&mut self)?;
        if self.0.peek().is_some() { Err(GivenUp) } else { Ok(value) }
    }
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no common line")
    }
}

impl std::error::Error for GivenUp {}

impl serde::de::Error for GivenUp {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }

    // The words would be thrown away.
    fn invalid_type(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self
    }

    fn invalid_value(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self
    }
}

/// Hands a text on: as it stands in the line, or decoded.
fn hand<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, GivenUp> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

impl<'de> Deserializer<'de> for &mut Line<'de> {
    type Error = GivenUp;

    /// Nobody who knows what stands here asks so.
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, GivenUp> {
        Err(GivenUp)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        visitor.visit_bool(self.0.truth().ok_or(GivenUp)?)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        visitor.visit_i64(self.0.integer().ok_or(GivenUp)?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        visitor.visit_u64(self.0.whole().ok_or(GivenUp)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        hand(self.0.string().ok_or(GivenUp)?, visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        if self.0.peek() == Some(b'n') {
            self.0.word("null").ok_or(GivenUp)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, GivenUp> {
        visitor.visit_newtype_struct(self)
    }

    /// A variant by its name.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, GivenUp> {
        visitor.visit_enum(CowStrDeserializer::new(self.0.string().ok_or(GivenUp)?))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.0.take(b'[').ok_or(GivenUp)?;
        visitor.visit_seq(Entries { line: self, end: b']', begun: false })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        visitor.visit_map(self.entries()?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, GivenUp> {
        self.0.skip().ok_or(GivenUp)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        struct
    }
}

/// The items of a list, or the entries of an object.
pub(in crate::history) struct Entries<'l, 'de> {
    line: &'l mut Line<'de>,
    end: u8,
    begun: bool,
}

impl<'de> Entries<'_, 'de> {
    /// The value of the key that was read last.
    #[inline]
    pub(in crate::history) fn value(&mut self) -> Option<Written<'_, 'de>> {
        self.line.0.take(b':')?;
        Some(Written(&mut self.line.0))
    }

    /// Moves over the next key if it is this one, written in the common way.
    #[inline]
    pub(in crate::history) fn is_next(&mut self, key: &Glance) -> bool {
        let cursor = &mut self.line.0;
        let bytes = cursor.text.as_bytes();
        // What opens an object is passed already; what stands between two entries is not.
        let at = cursor.at + usize::from(self.begun);
        let parted = !self.begun || bytes.get(cursor.at) == Some(&b',');
        let found = parted && key.is_at(bytes, at);
        if found {
            // The colon is the value's to pass.
            cursor.at = at + key.length();
            self.begun = true;
        }
        found
    }

    /// Moves to the next one; `false` if there is none.
    #[inline]
    fn more(&mut self) -> Result<bool, GivenUp> {
        let cursor = &mut self.line.0;
        if !std::mem::replace(&mut self.begun, true) {
            let none = cursor.peek().ok_or(GivenUp)? == self.end;
            cursor.at += usize::from(none);
            return Ok(!none);
        }
        match cursor.next() {
            Some(b',') => Ok(true),
            Some(byte) if byte == self.end => Ok(false),
            _ => Err(GivenUp),
        }
    }
}

impl<'de> SeqAccess<'de> for Entries<'_, 'de> {
    type Error = GivenUp;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, GivenUp> {
        if self.more()? { seed.deserialize(&mut *self.line).map(Some) } else { Ok(None) }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = GivenUp;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, GivenUp> {
        if self.more()? { seed.deserialize(&mut *self.line).map(Some) } else { Ok(None) }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, GivenUp> {
        self.line.0.take(b':').ok_or(GivenUp)?;
        seed.deserialize(&mut *self.line)
    }
}
