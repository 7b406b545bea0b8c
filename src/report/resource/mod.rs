//! Arbitrary documents as JSON or YAML, with their numbers and the order of their keys as received. Numbers
//! are kept as text, because a server may have numbers that no number type can represent.
//!
//! Characters that control a terminal are escaped.

mod yaml;

use document::diag::json_printable;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// A JSON value that keeps the notation of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// A text, number, boolean or null, as JSON text.
    Scalar(String),
    /// A list.
    List(Vec<Resource>),
    /// An object, with its keys in the order of the source and without duplicates.
    Object(Vec<(String, Resource)>),
}

/// The maximum depth of nesting. Real documents are far below it; a deeper one could exhaust the stack.
const DEEPEST: usize = 100;

/// The text is nested too deep or is not JSON.
#[derive(Debug, thiserror::Error)]
#[error("it is nested deeper than {DEEPEST} levels, or no JSON")]
pub struct TooDeep;

impl Resource {
    /// Parses a JSON text. The last of several equal keys wins, as in Go.
    pub fn parse(json: &str) -> Result<Self, TooDeep> {
        Self::read(json.trim(), 0)
    }

    /// A resource that is this text.
    pub fn text(text: &str) -> Self {
        Self::Scalar(serde_json::Value::from(text).to_string())
    }

    /// The resource of a serializable value.
    pub fn of(value: &impl Serialize) -> Result<Self, TooDeep> {
        Self::parse(&serde_json::to_string(value).map_err(|_| TooDeep)?)
    }

    fn read(json: &str, depth: usize) -> Result<Self, TooDeep> {
        if depth > DEEPEST {
            return Err(TooDeep);
        }
        match json.as_bytes().first() {
            Some(b'{') => {
                let Pairs(pairs) = serde_json::from_str(json).map_err(|_| TooDeep)?;
                let mut seen = HashSet::with_capacity(pairs.len());
                let mut fields = Vec::with_capacity(pairs.len());
                // From behind, since of a repeated key the last value counts.
                for (key, value) in pairs.into_iter().rev() {
                    if seen.insert(key.clone()) {
                        fields.push((key, Self::read(value.get(), depth + 1)?));
                    }
                }
                fields.reverse();
                Ok(Self::Object(fields))
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| TooDeep)?;
                let items = items.into_iter().map(|item| Self::read(item.get(), depth + 1));
                Ok(Self::List(items.collect::<Result<_, _>>()?))
            }
            _ => {
                let raw: &RawValue = serde_json::from_str(json).map_err(|_| TooDeep)?;
                Ok(Self::Scalar(raw.get().to_owned()))
            }
        }
    }

    /// The fields of an object; empty for other values.
    pub fn fields(&self) -> &[(String, Self)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The items of a list; empty for other values.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Formats as JSON, without a final line break. Lines after the first are indented by `indent` more.
    pub fn json(&self, indent: usize) -> String {
        let mut out = String::new();
        self.write(&mut out, indent);
        json_printable(&out).into_owned()
    }

    fn write(&self, out: &mut String, indent: usize) {
        let line = |out: &mut String, indent: usize| {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        };
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::Object(fields) if fields.is_empty() => out.push_str("{}"),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    line(out, indent + 2);
                    item.write(out, indent + 2);
                }
                line(out, indent);
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    line(out, indent + 2);
                    out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                    out.push_str(": ");
                    value.write(out, indent + 2);
                }
                line(out, indent);
                out.push('}');
            }
        }
    }
}

/// The keys and values of an object, in order. A key with half a surrogate pair is not a valid text; it keeps
/// its notation.
struct Pairs<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'t> serde::de::Visitor<'t> for Reading {
            type Value = Pairs<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'t>>(
                self,
                mut map: A,
            ) -> Result<Pairs<'t>, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    let raw = key.get();
                    let key = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
                    pairs.push((key, value));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_order_stay_and_a_repeated_key_counts_once() {
        let text = r#"{"n":1,"z":1e400,"a":[1.50,{}],"n":12345678901234567890123,"e":[]}"#;
        let shown = Resource::parse(text).unwrap().json(0);
        assert_eq!(
            shown,
            "{\n  \"z\": 1e400,\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"n\": 12345678901234567890123,\n  \"e\": []\n}"
        );
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Resource::parse(&nested(90)).is_ok());
        assert!(Resource::parse(&nested(2_000_000)).is_err());
        assert!(Resource::parse("{").is_err());
    }

    #[test]
    fn nothing_steers_a_terminal() {
        let text = "{\"\u{9b}2J\":\"a\u{202e}\\u001b\u{7f}\"}";
        let resource = Resource::parse(text).unwrap();
        for shown in [resource.json(0), resource.yaml()] {
            assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{1b}', '\u{7f}']), "{shown}");
            let read: serde_json::Value = serde_yaml::from_str(&shown).unwrap();
            assert_eq!(read, serde_json::from_str::<serde_json::Value>(text).unwrap());
        }
    }
}
