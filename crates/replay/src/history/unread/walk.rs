//! The walk through a line in search of keys and conditions that nothing reads.
//!
//! It is exact and slow. Only lines that may hold such words go through it.

use super::word::{UnreadKind, is_misplaced_reason, is_misspelt_pod_condition};
use document::{Kind, Shape};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A word that nothing reads, or a condition, and the shape of the object that it is in.
pub(super) type Found<'f> = &'f mut dyn FnMut(UnreadKind, &'static Shape, &str);

/// Finds the words of a line that nothing reads, and its conditions. The line is a record of this shape; a text that is no
/// JSON object has none.
pub(super) fn walk(text: &str, shape: &'static Shape, found: Found<'_>) {
    let mut json = serde_json::Deserializer::from_str(text);
    // What is wrong with the line is reported by whoever reads it.
    let _ = Value { expected: Expected::Object(shape), found }.deserialize(&mut json);
}

/// The expected kind of a value, as far as the walk depends on it.
#[derive(Clone, Copy)]
enum Expected {
    Object(&'static Shape),
    List(&'static Kind),
    /// Names of conditions, in an object of this shape.
    Conditions(&'static Shape),
    /// The type of a pod's condition, in an object of this shape.
    PodCondition(&'static Shape),
    /// The reason of a container, in an object of this shape.
    Reason(&'static Shape),
    Other,
}

/// Whether a shape is that of a container of Armada's. Those of a Job's records have restarts; no rule of a Job compares
/// reasons, and its records have no conditions that a reason may be meant for.
fn is_container(shape: &Shape) -> bool {
    shape.name == "container" && shape.field("restarts").is_none()
}

/// The shape of a pod's condition, which has a type.
const POD_CONDITION: &str = "condition";

impl Expected {
    fn of(kind: &'static Kind) -> Self {
        match kind {
            Kind::Object(shape) => Self::Object(shape),
            Kind::List { item, .. } => Self::List(item),
            _ => Self::Other,
        }
    }
}

struct Value<'f> {
    expected: Expected,
    found: Found<'f>,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.expected {
            Expected::Other => from.deserialize_ignored_any(IgnoredAny).map(|_| ()),
            _ => from.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Expected::Object(shape) = self.expected else {
            // Below a value of another shape nothing is known, so that none of its keys is unread.
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while let Some(Text(key)) = map.next_key()? {
            let expected = match shape.field(&key) {
                Some(_) if key == "conditions" => Expected::Conditions(shape),
                Some(_) if key == "type" && shape.name == POD_CONDITION => {
                    Expected::PodCondition(shape)
                }
                Some(_) if key == "reason" && is_container(shape) => Expected::Reason(shape),
                Some(field) => Expected::of(&field.kind),
                None => {
                    (self.found)(UnreadKind::Key, shape, &key);
                    Expected::Other
                }
            };
            map.next_value_seed(Value { expected, found: &mut *self.found })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        match self.expected {
            Expected::List(kind) => {
                let expected = Expected::of(kind);
                while items
                    .next_element_seed(Value { expected, found: &mut *self.found })?
                    .is_some()
                {}
            }
            Expected::Conditions(shape) => {
                while let Some(Text(name)) = items.next_element()? {
                    if !name.is_empty() {
                        (self.found)(UnreadKind::Condition, shape, &name);
                    }
                }
            }
            Expected::Object(_)
            | Expected::PodCondition(_)
            | Expected::Reason(_)
            | Expected::Other => while items.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        match self.expected {
            Expected::PodCondition(shape) if is_misspelt_pod_condition(text) => {
                (self.found)(UnreadKind::PodCondition, shape, text);
            }
            Expected::Reason(shape) if is_misplaced_reason(text) => {
                (self.found)(UnreadKind::Reason, shape, text);
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A text that serde borrows inside options and lists too, where a plain `Cow` is copied.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
