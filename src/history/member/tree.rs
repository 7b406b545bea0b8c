//! A record of a located tree: checked against its shape, then read as a line is.

use super::OwnFields;
use super::said::{Record, Times, of_map};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Entry, Node, NodeKind, Resolved};
use crate::history::clock::Clock;
use crate::history::faults::ends_before_it_starts;
use crate::history::fields::time;
use crate::history::line::Text;
use serde::de::value::{Error, SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

/// The record of a node, of which `findings` is what its shape has against it; else all that is
/// wrong with it. The clock moves on only with a record.
pub(super) fn of_node<'n, F: OwnFields>(
    document: &Document,
    node: &'n Node,
    clock: &mut Clock,
    mut findings: Findings,
) -> Result<Record<'n, F>, Findings> {
    if findings.has_errors() {
        return Err(findings);
    }
    let mut after = *clock;
    let times = Times {
        started: time(document, node, "startedAt", &mut after, &mut findings),
        finished: time(document, node, "finishedAt", &mut after, &mut findings),
    };
    let mut bad = |key: &str, message: String, help: Option<String>| {
        let span = node.get(key).map_or(node.span, |node| node.span);
        let finding = Diagnostic::error(Code::BadRecord, document.place(span), message);
        findings.push(finding.maybe_help(help));
    };
    if let Some((key, message)) = ends_before_it_starts(times.started, times.finished) {
        bad(key, message, None);
    }
    let said = of_map::<F, _>(Value(node));
    match &said {
        Ok((_, own)) => {
            if let Some((key, message)) = own.fault() {
                bad(key, message, own.way_out());
            }
        }
        Err(error) => bad("", format!("this is no run record: {error}"), None),
    }
    match said {
        Ok((said, own)) if !findings.has_errors() => {
            *clock = after;
            Ok((said, own, times))
        }
        _ => Err(findings),
    }
}

/// The member that a bad record is of, as far as its good fields say.
pub(super) fn key_of_node<F: OwnFields>(node: &Node) -> F::Key {
    let mut own = F::default();
    for entry in node.entries() {
        let mut one = Entries { rest: std::slice::from_ref(entry), value: None };
        if let Ok(Some(Text(key))) = one.next_key() {
            // What is wrong with it has been said.
            let _ = own.field(&key, &mut one);
        }
    }
    own.key()
}

/// What a node says as a type that serde reads.
pub(in crate::history) fn read_node<T: DeserializeOwned>(node: &Node) -> Result<T, String> {
    T::deserialize(Value(node)).map_err(|error| error.to_string())
}

/// A node to be read from.
struct Value<'n>(&'n Node);

impl<'de> IntoDeserializer<'de> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.kind {
            NodeKind::List(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(Value)))
            }
            NodeKind::Map(entries) => visitor.visit_map(Entries { rest: entries, value: None }),
            NodeKind::Scalar(scalar) => match scalar.resolve() {
                Resolved::Null => visitor.visit_unit(),
                Resolved::Boolean(value) => visitor.visit_bool(value),
                Resolved::Integer(value) => match (u64::try_from(value), i64::try_from(value)) {
                    (Ok(value), _) => visitor.visit_u64(value),
                    (_, Ok(value)) => visitor.visit_i64(value),
                    _ => visitor.visit_i128(value),
                },
                Resolved::Float(value) => visitor.visit_f64(value),
                Resolved::Text(text) => visitor.visit_borrowed_str(text),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text = self.0.text().ok_or_else(|| Error::custom("expected a text"))?;
        let name: StrDeserializer<'_, Error> = text.into_deserializer();
        visitor.visit_enum(name)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The entries of a mapping.
struct Entries<'n> {
    rest: &'n [Entry],
    value: Option<&'n Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((entry, rest)) = self.rest.split_first() else { return Ok(None) };
        (self.rest, self.value) = (rest, Some(&entry.value));
        seed.deserialize(serde::de::value::BorrowedStrDeserializer::new(&entry.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self.value.take().ok_or_else(|| Error::custom("the value was read before"))?;
        seed.deserialize(Value(value))
    }
}
