//! The fields of an object in a line, each with how its value is read.
//!
//! Owns which field a key is. Keys mostly stand as they are, and in the order in which the fields
//! are named, so that a glance at the next one tells.

use super::cursor::Cursor;
use super::glance::Glance;
use super::written::Written;

/// Reads the value of a field into what it is a field of; nothing where it gives the line up, which
/// is never wrong.
pub type InLine<T> = fn(&mut T, &mut Written<'_, '_>) -> Option<()>;

/// The fields of an object: 32 at most.
pub struct Fields<T: 'static, const COUNT: usize>([Field<T>; COUNT]);

/// A field.
struct Field<T: 'static> {
    name: &'static str,
    glance: Glance,
    reader: InLine<T>,
}

/// The fields that an object has, a bit a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Has(u32);

impl<T, const COUNT: usize> Fields<T, COUNT> {
    /// Fields of these names.
    ///
    /// # Panics
    ///
    /// If there are none, or more than 32. As constants they keep the program from being built.
    pub const fn new(named: [(&'static str, InLine<T>); COUNT]) -> Self {
        assert!(0 < COUNT && COUNT <= 32, "so many fields are not reckoned with");
        let mut fields = [Field { name: "", glance: Glance::NEVER, reader: named[0].1 }; COUNT];
        let mut at = 0;
        while at < COUNT {
            let (name, reader) = named[at];
            fields[at] = Field { name, glance: Glance::of(name), reader };
            at += 1;
        }
        Self(fields)
    }

    /// Reads an object into what it says; says which of the fields it has. It gives up on one that
    /// has a field twice.
    #[inline]
    pub(super) fn read(&self, cursor: &mut Cursor<'_>, into: &mut T) -> Option<Has> {
        let (mut has, mut expected) = (0_u32, 0);
        cursor.object(|cursor| {
            let found = self.next(cursor, expected)?;
            cursor.take(b':')?;
            let Some(at) = found else { return cursor.skip() };
            if has >> at & 1 == 1 {
                return None;
            }
            has |= 1 << at;
            expected = at + 1;
            (self.0[at].reader)(into, &mut Written(cursor))
        })?;
        Some(Has(has))
    }

    /// Moves over the next key; says which field's it is, looking at those from `expected` on first,
    /// or that it is none's.
    #[inline]
    #[expect(clippy::option_option, reason = "a key may be no field's, or not be read here")]
    fn next(&self, cursor: &mut Cursor<'_>, expected: usize) -> Option<Option<usize>> {
        let bytes = cursor.text.as_bytes();
        let mut at = expected;
        for _ in 0..COUNT {
            at = if at < COUNT { at } else { 0 };
            if self.0[at].glance.is_at(bytes, cursor.at) {
                cursor.at += self.0[at].glance.length();
                return Some(Some(at));
            }
            at += 1;
        }
        // A key with escapes is given up: whether an unknown one stands twice is for the tree to see.
        let key = cursor.lent()?;
        Some(self.0.iter().position(|field| field.name == key))
    }
}

impl Has {
    /// Whether the field with this number is among them.
    pub fn field(self, number: u32) -> bool {
        self.0.checked_shr(number).is_some_and(|bits| bits & 1 == 1)
    }
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Default, PartialEq)]
    struct Thing {
        one: Option<u32>,
        other: Option<String>,
    }

    const FIELDS: Fields<Thing, 2> = Fields::new([
        ("one", |thing, value| {
            thing.one = value.optional(Written::whole)?;
            Some(())
        }),
        ("other", |thing, value| {
            thing.other = Some(value.text(str::to_owned)?);
            Some(())
        }),
    ]);

    fn read(text: &str) -> Option<(Thing, Has)> {
        let mut thing = Thing::default();
        let has = FIELDS.read(&mut Cursor::new(text), &mut thing)?;
        Some((thing, has))
    }

    #[test]
    fn whatever_stands_between_and_in_whatever_order() {
        for text in [
            r#"{"one":7,"other":"x"}"#,
            r#"{"other":"x","one":7}"#,
            r#" { "more" : [{"one":1}] , "one" : 7 , "other" : "x" }"#,
        ] {
            let all = Thing { one: Some(7), other: Some("x".to_owned()) };
            assert_eq!(read(text), Some((all, Has(3))), "{text}");
        }
        assert_eq!(read("{}"), Some((Thing::default(), Has(0))));
        let (thing, has) = read(r#"{"one":null}"#).unwrap();
        assert_eq!((thing, has.field(0), has.field(1)), (Thing::default(), true, false));
    }

    #[test]
    fn a_field_stands_there_once() {
        for text in [
            r#"{"one":7,"one":7}"#,
            r#"{"one":null,"on\u0065":7}"#,
            r#"{"other":"x","one":7,"other":"x"}"#,
            // Written in another way it is left to others.
            r#"{"on\u0065":7}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        /// What is read is what `serde_json` reads.
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
            prop_assert_eq!(read(&text), Some((thing, Has(3))));
        }
    }
}
