//! The fields that a reported decision has beside those of all systems.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The fields that a decision has beside those of all systems, by their names in documents. The folder of the system
/// declares them; an absent field does not apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SystemFields(Map<String, Value>);

impl SystemFields {
    /// Takes the fields of a struct, in their order, without those that are null.
    pub fn of(fields: &impl Serialize) -> Self {
        let Ok(Value::Object(fields)) = serde_json::to_value(fields) else {
            return Self::default();
        };
        Self(fields.into_iter().filter(|(_, value)| !value.is_null()).collect())
    }

    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the value of a field that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns one of the counts that the field `counts` has.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.get("counts")?.get(name)?.as_u64()
    }

    /// Returns the value of a field as the cell of a table; empty without a value.
    pub fn cell(&self, name: &str) -> String {
        match self.get(name) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        }
    }
}

/// Any fields: the registry of systems knows which, and adds them to published schemas.
impl JsonSchema for SystemFields {
    fn schema_name() -> Cow<'static, str> {
        "SystemFields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}
