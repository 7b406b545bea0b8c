//! The known fields of an object inside a record, each with its setter.
//!
//! Owns the lookup of a key. Keys mostly come without escapes and in the order in which the fields are
//! listed, so the field after the last one is tried first.

use super::cursor::Cursor;
use super::key_matcher::KeyMatcher;
use super::value_reader::ValueReader;

/// Reads the value of a field into the record or object that has it. `None`: the line is not read on
/// this path.
pub type Setter<T> = fn(&mut T, &mut ValueReader<'_, '_>) -> Option<()>;

/// The fields of an object: at most 32, the bits of `Present`.
pub struct ObjectFields<T: 'static, const COUNT: usize>([ObjectField<T>; COUNT]);

struct ObjectField<T: 'static> {
    name: &'static str,
    matcher: KeyMatcher,
    set: Setter<T>,
}

/// The fields that an object has, a bit a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present(u32);

impl<T, const COUNT: usize> ObjectFields<T, COUNT> {
    /// Fields of these names.
    ///
    /// # Panics
    ///
    /// If there are none, or more than 32. In a constant this fails the build.
    pub const fn new(named: [(&'static str, Setter<T>); COUNT]) -> Self {
        assert!(0 < COUNT && COUNT <= 32, "between 1 and 32 fields");
        let mut fields =
            [ObjectField { name: "", matcher: KeyMatcher::NEVER, set: named[0].1 }; COUNT];
        let mut at = 0;
        while at < COUNT {
            let (name, set) = named[at];
            fields[at] = ObjectField { name, matcher: KeyMatcher::of(name), set };
            at += 1;
        }
        Self(fields)
    }

    /// Reads an object; returns which fields it has. Fails if it has a field twice.
    #[inline]
    pub(super) fn read(&self, cursor: &mut Cursor<'_>, into: &mut T) -> Option<Present> {
        let (mut present, mut expected) = (0_u32, 0);
        cursor.object(|cursor| {
            let Some(at) = self.next(cursor, expected)? else {
                return cursor.skip();
            };
            // The exact path reports the repeated key.
            if present >> at & 1 == 1 {
                return None;
            }
            present |= 1 << at;
            // Programs write the keys of all records in one order, so that the first comparison mostly succeeds.
            expected = at + 1;
            (self.0[at].set)(into, &mut ValueReader(cursor))
        })?;
        Some(Present(present))
    }

    /// Reads the next key and its colon; returns the number of its field, if it is one. The fields from
    /// `expected` on are tried first.
    #[inline]
    #[expect(clippy::option_option, reason = "a key may be unknown, or not readable here")]
    fn next(&self, cursor: &mut Cursor<'_>, expected: usize) -> Option<Option<usize>> {
        let bytes = cursor.text.as_bytes();
        let mut at = expected;
        for _ in 0..COUNT {
            at = if at < COUNT { at } else { 0 };
            if self.0[at].matcher.is_at(bytes, cursor.at) {
                cursor.at += self.0[at].matcher.length();
                return Some(Some(at));
            }
            at += 1;
        }
        // A key with escapes is left to the exact path, which also finds unknown keys that repeat.
        let key = cursor.borrow_str()?;
        cursor.take(b':')?;
        Some(self.0.iter().position(|field| field.name == key))
    }
}

impl ValueReader<'_, '_> {
    /// Reads the fields of an object; returns which of them are present.
    #[inline]
    pub fn object<T, const COUNT: usize>(
        &mut self,
        fields: &ObjectFields<T, COUNT>,
        into: &mut T,
    ) -> Option<Present> {
        fields.read(self.0, into)
    }
}

impl Present {
    /// Whether the field of this number is among them.
    pub fn contains(self, number: u32) -> bool {
        self.0.checked_shr(number).is_some_and(|bits| bits & 1 == 1)
    }
}

impl<T> Clone for ObjectField<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ObjectField<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::TimeNotation;
    use proptest::prelude::*;

    #[derive(Debug, Default, PartialEq)]
    struct Thing {
        one: Option<u32>,
        other: Option<String>,
    }

    const FIELDS: ObjectFields<Thing, 2> = ObjectFields::new([
        ("one", |thing, value| {
            thing.one = value.optional(ValueReader::u32)?;
            Some(())
        }),
        ("other", |thing, value| {
            thing.other = Some(value.text(str::to_owned)?);
            Some(())
        }),
    ]);

    fn read(text: &str) -> Option<(Thing, Present)> {
        let mut thing = Thing::default();
        let has = FIELDS.read(&mut Cursor::new(text, TimeNotation::for_lines()), &mut thing)?;
        Some((thing, has))
    }

    #[test]
    fn reads_fields_in_any_order_between_others() {
        for text in [
            r#"{"one":7,"other":"x"}"#,
            r#"{"other":"x","one":7}"#,
            r#" { "more" : [{"one":1}] , "one" : 7 , "other" : "x" }"#,
        ] {
            let all = Thing { one: Some(7), other: Some("x".to_owned()) };
            assert_eq!(read(text), Some((all, Present(3))), "{text}");
        }
        assert_eq!(read("{}"), Some((Thing::default(), Present(0))));
        let (thing, has) = read(r#"{"one":null}"#).unwrap();
        assert_eq!((thing, has.contains(0), has.contains(1)), (Thing::default(), true, false));
    }

    #[test]
    fn rejects_a_field_that_occurs_twice() {
        for text in [
            r#"{"one":7,"one":7}"#,
            r#"{"one":null,"on\u0065":7}"#,
            r#"{"other":"x","one":7,"other":"x"}"#,
            // Keys with escapes are left to the exact path.
            r#"{"on\u0065":7}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        /// The values that are read are those of `serde_json`.
        #[test]
        fn reads_what_a_map_holds(one: Option<u32>, other in ".{0,9}", more in "[a-z]{0,8}", swap: bool) {
            let mut entries = [
                format!("\"one\":{}", serde_json::to_string(&one).unwrap()),
                format!("\"other\":{}", serde_json::to_string(&other).unwrap()),
                format!("\"_{more}\":{{}}"),
            ];
            if swap {
                entries.reverse();
            }
            let text = format!("{{{}}}", entries.join(","));
            let thing = Thing { one, other: Some(other) };
            prop_assert_eq!(read(&text), Some((thing, Present(3))));
        }
    }
}
