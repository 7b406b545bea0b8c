//! Values of records, read as strictly as the shapes hold them.
//!
//! Derived code takes more: a variant from `{"Failed": null}` and a mapping from a list of its
//! values. What is refused here is held against the shape, which says why.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads what `from_name` says that a text names.
///
/// # Errors
///
/// If there is no text, or it names nothing.
pub fn named<'de, T, D: Deserializer<'de>>(
    from: D,
    from_name: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    from.deserialize_str(Name(from_name))
}

/// Takes a text.
struct Name<T>(fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        self.0(name).ok_or_else(|| E::custom(format_args!("`{name}` is not known here")))
    }
}

/// What is read from a mapping and from nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Mapping<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Entries(PhantomData)).map(Self)
    }
}

/// Takes a mapping.
struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
