//! A JSON object that is kept as text, so that a change of one field leaves all other bytes unchanged. A
//! queue may have fields that this tool does not read, and numbers that no number type can represent.

use document::diag::json_message;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// A JSON object, kept as text. Two objects are equal if their texts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    text: String,
    fields: Vec<Field>,
}

/// The position of a field in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    key: String,
    key_range: Range<usize>,
    value_range: Range<usize>,
}

/// The error that a text is not a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("not a JSON object: {}", json_message(&.0.to_string()))]
pub struct FieldsError(#[from] serde_json::Error);

impl Fields {
    /// Parses an object.
    pub fn parse(text: impl Into<String>) -> Result<Self, FieldsError> {
        let text = text.into();
        let fields = field_positions(&text)?;
        Ok(Self { text, fields })
    }

    /// Serializes a value to an object.
    pub fn of(value: &impl Serialize) -> Result<Self, FieldsError> {
        Self::parse(serde_json::to_string(value)?)
    }

    /// The text of the whole object.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses the whole object; an error if no type can represent a number.
    pub fn to_value(&self) -> Result<Value, FieldsError> {
        Ok(serde_json::from_str(&self.text)?)
    }

    /// The text of a field's value. The last of several equal keys wins, as in Go.
    pub fn get(&self, key: &str) -> Option<&str> {
        let field = self.fields.iter().rfind(|field| field.key == key)?;
        self.text.get(field.value_range.clone())
    }

    /// Parses a field's value.
    pub fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// Sets a field in its place; a new field is added at the end.
    pub fn set(&mut self, key: &str, value: &Value) {
        let value = value.to_string();
        match self.fields.iter().rfind(|field| field.key == key) {
            Some(field) => self.splice(field.value_range.clone(), &value),
            None => self.append(&format!("{}:{value}", Value::from(key))),
        }
    }

    /// Removes all occurrences of a field.
    pub fn remove(&mut self, key: &str) {
        while let Some(at) = self.fields.iter().position(|field| field.key == key) {
            let field = &self.fields[at];
            let range = match (at.checked_sub(1), self.fields.get(at + 1)) {
                (Some(before), _) => self.fields[before].value_range.end..field.value_range.end,
                (None, Some(next)) => field.key_range.start..next.key_range.start,
                (None, None) => field.key_range.start..field.value_range.end,
            };
            self.splice(range, "");
        }
    }

    fn append(&mut self, field: &str) {
        let (at, comma) = match self.fields.last() {
            Some(last) => (last.value_range.end, ","),
            None => (self.text.find('{').map_or(0, |at| at + 1), ""),
        };
        self.splice(at..at, &format!("{comma}{field}"));
    }

    /// Replaces a range of the text that consists of whole fields.
    fn splice(&mut self, range: Range<usize>, new: &str) {
        self.text.replace_range(range, new);
        let read = field_positions(&self.text);
        debug_assert!(read.is_ok(), "{}", self.text);
        self.fields = read.unwrap_or_default();
    }
}

/// Prints the text of the object.
impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn field_positions(text: &str) -> Result<Vec<Field>, serde_json::Error> {
    let Pairs(pairs) = serde_json::from_str(text)?;
    let start = text.as_ptr().addr();
    // Raw values borrow from the text, so their position follows from their address.
    let place = |raw: &str| {
        let from = raw.as_ptr().addr() - start;
        from..from + raw.len()
    };
    let fields = pairs.into_iter().map(|(key, value)| Field {
        // A key with half a surrogate pair cannot be decoded; it is kept but never matches a field.
        key: serde_json::from_str(key.get()).unwrap_or_else(|_| key.get().to_owned()),
        key_range: place(key.get()),
        value_range: place(value.get()),
    });
    Ok(fields.collect())
}

/// The keys and values of an object as raw text.
struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'t> Visitor<'t> for Reading {
            type Value = Pairs<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
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
    use proptest::prelude::*;
    use serde_json::json;

    fn fields(text: &str) -> Fields {
        Fields::parse(text).unwrap()
    }

    #[test]
    fn one_field_changes_and_the_rest_stays() {
        let text = "{ \"name\" : \"q\",\n  \"big\": 12345678901234567890123, \"n\":1.0,\"h\":1e400,\
                    \"\\u0061\": [ 1.50 ], \"retryPolicies\": [ \"x\" ] , \"n\": 2 }";
        let mut queue = fields(text);
        assert_eq!(queue.get("a"), Some("[ 1.50 ]"));
        assert_eq!(queue.get("n"), Some("2"), "the last one counts, as for Go");
        assert_eq!(queue.get("h"), Some("1e400"));
        queue.set("retryPolicies", &json!(["x", "y"]));
        assert_eq!(queue.text(), text.replace("[ \"x\" ]", "[\"x\",\"y\"]"));
        queue.set("new", &json!({"a": null}));
        assert_eq!(queue.get("new"), Some("{\"a\":null}"));
        queue.remove("new");
        queue.remove("n");
        let keys: Vec<&str> = queue.fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["name", "big", "h", "a", "retryPolicies"]);
    }

    #[test]
    fn fields_come_and_go() {
        let mut object = fields(" { } ");
        object.set("a", &json!(1));
        object.set("b", &json!(2));
        assert_eq!(object.text(), " {\"a\":1,\"b\":2 } ");
        object.remove("a");
        assert_eq!(object.text(), " {\"b\":2 } ");
        object.remove("b");
        assert_eq!(object.to_value().unwrap(), json!({}));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", "[]", "null", "{\"a\":}", "{\"a\":1}x", "{a:1}", "<html>"] {
            assert!(Fields::parse(text).is_err(), "{text}");
        }
    }

    fn value() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1.0".to_owned()),
            Just("1e400".to_owned()),
            Just("-0".to_owned()),
            Just("12345678901234567890".to_owned()),
            Just("null".to_owned()),
            "[a-z{}\\[\\],: é]{0,6}".prop_map(|text| Value::from(text).to_string()),
            Just("\"\\u00e9\\ud83d\\ude00\\/\"".to_owned()),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            let space = prop_oneof![Just(""), Just(" "), Just("\n\t")];
            prop_oneof![
                (proptest::collection::vec(inner.clone(), 0..3), space.clone()).prop_map(
                    |(items, space)| format!("[{space}{}]", items.join(&format!("{space},")))
                ),
                (proptest::collection::vec(("[a-c]", inner), 0..3), space).prop_map(
                    |(items, space)| {
                        let items = items.iter().map(|(k, v)| format!("\"{k}\"{space}:{v}"));
                        format!("{{{}{space}}}", items.collect::<Vec<_>>().join(","))
                    }
                ),
            ]
        })
    }

    proptest! {
        #[test]
        fn all_but_one_field_is_byte_for_byte_what_it_was(
            before in proptest::collection::vec(("[a-d]", value()), 0..4),
            after in proptest::collection::vec(("[a-d]", value()), 0..4),
            old in value(),
            gap in prop_oneof![Just(""), Just("  "), Just("\r\n")],
        ) {
            let list = |pairs: &[(String, String)]| -> Vec<String> {
                pairs.iter().map(|(key, value)| format!("\"{key}\"{gap}:{gap}{value}{gap}")).collect()
            };
            let whole = |middle: Option<String>| {
                let all = [list(&before), middle.into_iter().collect(), list(&after)].concat();
                format!("{{{gap}{}}}", all.join(&format!(",{gap}")))
            };
            let mine = |value: &str| whole(Some(format!("\"mine\"{gap}:{gap}{value}{gap}")));
            let mut object = fields(&mine(&old));
            object.set("mine", &json!(["p", 1]));
            prop_assert_eq!(object.text(), mine("[\"p\",1]"));
            object.set("mine", &json!(null));
            object.remove("mine");
            let rest = fields(&whole(None));
            let pairs = |object: &Fields| -> Vec<(String, String)> {
                object.fields.iter().map(|f| (f.key.clone(), object.text[f.value_range.clone()].to_owned())).collect()
            };
            prop_assert_eq!(pairs(&object), pairs(&rest));
            object.set("mine", &json!(0));
            let mut with = pairs(&rest);
            with.push(("mine".to_owned(), "0".to_owned()));
            prop_assert_eq!(pairs(&object), with);
        }
    }
}
