//! The fields of a case's objects. One that is not what its name promises is a failure that names
//! it, and so is one that nobody reads.

use serde_json::{Map, Value};
use std::sync::LazyLock;

/// An object of a case; what is missing reads as `null`.
pub struct Fields<'v> {
    what: &'static str,
    fields: &'v Map<String, Value>,
}

static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl<'v> Fields<'v> {
    pub fn of(what: &'static str, value: &'v Value) -> Result<Self, String> {
        match value {
            Value::Null => Ok(Self { what, fields: &NONE }),
            Value::Object(fields) => Ok(Self { what, fields }),
            other => Err(format!("{what} is {other}")),
        }
    }

    /// Refuses every other field.
    pub fn only(&self, known: &[&str]) -> Result<(), String> {
        let unknown = self.fields.keys().find(|key| !known.contains(&key.as_str()));
        unknown.map_or(Ok(()), |key| Err(format!("no answer reads `{}.{key}`", self.what)))
    }

    pub fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    pub fn value(&self, key: &str) -> &'v Value {
        self.fields.get(key).unwrap_or(&Value::Null)
    }

    pub fn text(&self, key: &str) -> Result<Option<&'v str>, String> {
        self.read(key, Value::as_str)
    }

    pub fn number(&self, key: &str) -> Result<Option<f64>, String> {
        self.read(key, Value::as_f64)
    }

    pub fn integer<N: TryFrom<i64>>(&self, key: &str) -> Result<Option<N>, String> {
        self.read(key, |value| value.as_i64().and_then(|number| N::try_from(number).ok()))
    }

    /// What is there, read so; `null` is nothing.
    fn read<T>(
        &self,
        key: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.value(key) {
            Value::Null => Ok(None),
            value => match read(value) {
                Some(read) => Ok(Some(read)),
                None => Err(format!("{}.{key} is {value}", self.what)),
            },
        }
    }
}
