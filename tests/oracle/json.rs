//! Reading documents: what absent means. Knows nothing of policies or runs.

use serde_json::Value;

/// A string that says something: empty and null mean absent (section 10).
pub fn text<'a>(owner: &'a Value, key: &str) -> Option<&'a str> {
    owner[key].as_str().filter(|text| !text.is_empty())
}

/// The same, owned.
pub fn owned(owner: &Value, key: &str) -> Option<String> {
    text(owner, key).map(str::to_owned)
}

/// A list; absent is empty.
pub fn list<'a>(owner: &'a Value, key: &str) -> &'a [Value] {
    owner[key].as_array().map_or(&[], Vec::as_slice)
}

/// A list of strings; absent is empty.
pub fn texts(owner: &Value, key: &str) -> Vec<String> {
    let strings = list(owner, key).iter().filter_map(Value::as_str);
    strings.map(str::to_owned).collect()
}
