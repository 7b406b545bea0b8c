//! JSON as Go's `encoding/json` reads and writes it.
//!
//! Keys keep their order and may repeat, the first value is all that is read, and what is not UTF-8
//! is replaced. It knows no message.

use super::number::Number;
use serde::Deserialize;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write as _};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Keys and values in their order; keys may repeat.
    Object(Vec<(String, Json)>),
}

/// The first value of a body.
#[derive(Debug)]
pub struct FirstValue {
    /// The value; none in a body without one.
    pub value: Option<Json>,
    /// Whether something but white space follows it.
    pub followed: bool,
}

/// Why a body has no first value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It ends in the middle of one.
    #[error("unexpected EOF")]
    Ends,
    /// It is no JSON.
    #[error("invalid JSON: {0}")]
    Syntax(String),
}

impl Json {
    /// The first value of a body. Nothing, or white space only, is no mistake.
    pub fn first(body: &[u8]) -> Result<FirstValue, JsonError> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(FirstValue { value: None, followed: false });
        }
        let text = String::from_utf8_lossy(body);
        let mut reader = serde_json::Deserializer::from_str(&text);
        match Self::deserialize(&mut reader) {
            Ok(value) => Ok(FirstValue { value: Some(value), followed: reader.end().is_err() }),
            Err(error) if error.is_eof() => Err(JsonError::Ends),
            Err(error) => Err(JsonError::Syntax(error.to_string())),
        }
    }

    /// An object of these fields.
    pub fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The text of this value, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(number.as_f64()) } else { None }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// The entries of an object; none of anything else.
    pub fn entries(&self) -> &[(String, Self)] {
        if let Self::Object(entries) = self { entries } else { &[] }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text of a key; empty if it has none.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::text).unwrap_or_default()
    }

    /// The texts of a key's list.
    pub fn texts_of(&self, key: &str) -> Vec<String> {
        let items = self.get(key).map(Self::items).unwrap_or_default();
        items.iter().filter_map(Self::text).map(str::to_owned).collect()
    }

    /// Sets the value of a key: in its place, or first if it has none.
    pub fn set_first(&mut self, key: &str, value: Self) {
        let Self::Object(entries) = self else { return };
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => entries.insert(0, (key.to_owned(), value)),
        }
    }
}

/// As Go writes it: `<`, `>` and `&` escaped.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => quoted(text, f),
            Self::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    write!(f, "{item}")?;
                }
                f.write_char(']')
            }
            Self::Object(entries) => {
                f.write_char('{')?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    quoted(key, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                write!(f, "\\u{:04x}", u32::from(c))?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(Number::Natural(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(Number::Whole(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(Number::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> String {
        Json::first(text.as_bytes()).unwrap().value.unwrap().to_string()
    }

    #[test]
    fn it_writes_as_go_does() {
        assert_eq!(
            again(r#"{"b": 1.0, "a": [1e21, 0.5, -3], "b": null}"#),
            r#"{"b":1,"a":[1e+21,0.5,-3],"b":null}"#
        );
        assert_eq!(again("\"<&>\\u0001é\""), "\"\\u003c\\u0026\\u003e\\u0001é\"");
    }

    #[test]
    fn only_the_first_value_is_read() {
        assert!(Json::first(b" \n").unwrap().value.is_none());
        assert!(Json::first(b"{} {").unwrap().followed);
        assert!(!Json::first(b"{} \n").unwrap().followed);
        assert_eq!(Json::first(b"{\"a\":").unwrap_err(), JsonError::Ends);
        assert!(matches!(Json::first(b"{a}"), Err(JsonError::Syntax(_))));
        assert_eq!(Json::first(b"\"\xff\"").unwrap().value, Some(Json::Text("\u{fffd}".into())));
    }
}
