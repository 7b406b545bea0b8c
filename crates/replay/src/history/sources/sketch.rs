//! The keys of the first object of a text that may break off, and a little of their values.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The part of an object before the text ended.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    seen: Vec<(String, Value)>,
    /// Of each list the keys of its first object.
    in_lists: Vec<(String, String)>,
    /// Of each list the `kind` of its first object.
    kinds_in_lists: Vec<(String, serde_json::Value)>,
}

/// A value, as far as programs differ in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// A list, whatever is in it.
    List,
    /// An object, whatever is in it.
    Object,
    Null,
    /// Something else.
    Other,
}

impl Sketch {
    /// The keys of the object that a text begins with, or of the first element if it begins with a
    /// list. What comes after the text breaks off, or goes wrong, is not there.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut sketch = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        // An error ends the sketch, which then has the keys before it.
        let _ = Top(&mut sketch).deserialize(&mut deserializer);
        sketch
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.seen.iter().find(|(seen, _)| seen == key).map(|(_, value)| value)
    }

    /// Whether there is a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether the value of a key is one of these texts.
    pub(super) fn is_one_of(&self, key: &str, texts: &[&str]) -> bool {
        matches!(self.get(key), Some(Value::Text(text)) if texts.contains(&text.as_str()))
    }

    /// Whether the value of a key is a list, or null in place of one.
    pub(super) fn is_list_or_null(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Value::List | Value::Null))
    }

    /// Whether the object is an answer of a server that is an error.
    pub(super) fn is_error(&self) -> bool {
        self.has("error") && !self.has("jobId")
    }

    /// Whether the value of a key is a list.
    pub(super) fn is_list(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::List)
    }

    /// Whether the object has no other key, and the list of this one no object first.
    pub(super) fn is_alone(&self, key: &str) -> bool {
        self.in_lists.is_empty() && self.seen.iter().all(|(seen, _)| seen == key)
    }

    /// Whether the first object in the list of a key has one of these keys.
    pub(super) fn has_in_list(&self, list: &str, keys: &[&str]) -> bool {
        self.in_lists.iter().any(|(of, key)| of == list && keys.contains(&key.as_str()))
    }

    /// Whether the first object in the list of a key has this `kind`.
    pub(super) fn has_kind_in_list(&self, list: &str, kind: &str) -> bool {
        self.kinds_in_lists.iter().any(|(of, found)| of == list && found == kind)
    }
}

/// The object, or the list it is the first of.
struct Top<'s>(&'s mut Sketch);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            self.0.seen.push((key, Value::Other));
            map.next_value_seed(Last(self.0))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        list.next_element_seed(Top(self.0))?;
        Ok(())
    }
}

/// The value of the last key. Its kind is stored before it is read to its end, since the text may end within it.
struct Last<'s>(&'s mut Sketch);

impl Last<'_> {
    fn is(&mut self, value: Value) {
        if let Some((_, last)) = self.0.seen.last_mut() {
            *last = value;
        }
    }
}

impl<'de> DeserializeSeed<'de> for Last<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Last<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(mut self, text: &str) -> Result<(), E> {
        self.is(Value::Text(text.to_owned()));
        Ok(())
    }

    fn visit_unit<E>(mut self) -> Result<(), E> {
        self.is(Value::Null);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.is(Value::Object);
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.is(Value::List);
        let name = self.0.seen.last().map(|(name, _)| name.clone()).unwrap_or_default();
        list.next_element_seed(Keys(self.0, name))?;
        // The rest of the list has to be read for the keys after it.
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// The first element of the list of this name: its keys, if it is an object.
struct Keys<'s>(&'s mut Sketch, String);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! ignored {
    ($($visit:ident $of:ty,)+) => {
        $(fn $visit<E>(self, _: $of) -> Result<(), E> {
            Ok(())
        })+
    };
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    ignored!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str,);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            let is_kind = key == "kind";
            self.0.in_lists.push((self.1.clone(), key));
            if is_kind {
                self.0.kinds_in_lists.push((self.1.clone(), map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_keys_before_the_end() {
        let sketch = Sketch::of(br#"{"a": "b", "n": null, "o": {"x": 1}, "items": [{"kind": "Po"#);
        assert_eq!(sketch.get("a"), Some(&Value::Text("b".to_owned())));
        assert_eq!(sketch.get("n"), Some(&Value::Null));
        assert_eq!(sketch.get("o"), Some(&Value::Object));
        assert_eq!(sketch.get("items"), Some(&Value::List));
        assert_eq!(sketch.get("kind"), None);
        assert!(Sketch::of(b"[{\"kind\": \"Pod\"}").get("kind").is_some());
        assert!(Sketch::of(b"kind: List").seen.is_empty());
    }
}
