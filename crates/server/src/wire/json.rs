//! JSON in the notation of Go's `encoding/json`. Keys keep their order and may repeat.

use super::number::Number;
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
    /// An object, with its keys in order; keys may repeat.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object with these fields.
    pub fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The text; `None` for other values.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number; `None` for other values.
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(number.as_f64()) } else { None }
    }

    /// The items of a list; empty for other values.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// The entries of an object; empty for other values.
    pub fn entries(&self) -> &[(String, Self)] {
        if let Self::Object(entries) = self { entries } else { &[] }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text of a key; empty if there is none.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::text).unwrap_or_default()
    }

    /// The texts in the list of a key.
    pub fn texts_of(&self, key: &str) -> Vec<String> {
        let items = self.get(key).map(Self::items).unwrap_or_default();
        items.iter().filter_map(Self::text).map(str::to_owned).collect()
    }

    /// Sets the value of a key: in place, or as the first entry if it is new.
    pub fn set_first(&mut self, key: &str, value: Self) {
        let Self::Object(entries) = self else { return };
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => entries.insert(0, (key.to_owned(), value)),
        }
    }
}

/// Prints Go's notation: `<`, `>` and `&` are escaped.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write_quoted(text, f),
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
                    write_quoted(key, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            // Go's `json.Marshal` escapes these for pages of HTML.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                write!(f, "\\u{:04x}", u32::from(c))?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> String {
        Json::first(text.as_bytes()).unwrap().value.unwrap().to_string()
    }

    #[test]
    fn it_is_written_in_its_order_and_escaped_as_go_does() {
        assert_eq!(
            again(r#"{"b": 1.0, "a": [1e21, 0.5, -3], "b": null}"#),
            r#"{"b":1.0,"a":[1e21,0.5,-3],"b":null}"#
        );
        assert_eq!(again("\"<&>\\u0001é\""), "\"\\u003c\\u0026\\u003e\\u0001é\"");
    }
}
