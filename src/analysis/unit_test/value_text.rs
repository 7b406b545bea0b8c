//! Values as texts.

use serde_json::Value;

/// A value on one line, as YAML would have it.
pub(super) fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(format_value).collect::<Vec<_>>().join(", "))
        }
        Value::Object(entries) => {
            let entries =
                entries.iter().map(|(key, value)| format!("{key}: {}", format_value(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
