//! The rows of a table as JSON, and its columns as paths in them.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;

/// The columns of a table, as paths of its rows, and the rows.
pub(super) type CsvTable = (Vec<String>, Vec<Value>);

/// The paths of the single values of a type by its schema, so that a figure of the JSON is a column too. Lists and
/// maps are left out.
pub(super) fn paths<T: JsonSchema>() -> Vec<String> {
    let schema = schema_for!(T).to_value();
    let mut found = Vec::new();
    add_paths(&schema, &schema, "", &mut found);
    found
}

fn add_paths(root: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(target) = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
        return root.pointer(target).into_iter().for_each(|it| add_paths(root, it, path, found));
    }
    // A value that may be null.
    if let Some(options) = schema["anyOf"].as_array() {
        let value = options.iter().find(|option| option["type"] != "null");
        return value.into_iter().for_each(|it| add_paths(root, it, path, found));
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            add_paths(root, property, &path, found);
        }
    } else if !has_items(&schema["type"]) {
        found.push(path.to_owned());
    }
}

/// Whether a value of a type, or of a list of types, may be a list or a map.
fn has_items(types: &Value) -> bool {
    let is_of_items = |name: &Value| name == "array" || name == "object";
    is_of_items(types) || types.as_array().is_some_and(|types| types.iter().any(is_of_items))
}

/// The items of a list as JSON.
pub(super) fn objects(list: &impl Serialize) -> Vec<Value> {
    match serde_json::to_value(list) {
        Ok(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}
