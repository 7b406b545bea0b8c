//! The JSON Schema of a list of resources.

use serde_json::{Value, json};

/// The schema of a list of resources of a kind. Their fields are not restricted, as they come from the
/// server.
pub(in crate::report) fn list_schema(kind: &str) -> Value {
    let list = format!("{kind}List");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": list,
        "description": "What `get` prints of several resources.",
        "type": "object",
        "required": ["apiVersion", "kind", "items"],
        "properties": {
            "apiVersion": {"const": "armadaproject.io/v1"},
            "kind": {"const": list},
            "items": {
                "description": "Each as the server holds it.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["apiVersion", "kind"],
                    "properties": {
                        "apiVersion": {"enum": ["armadaproject.io/v1", "armadaproject.io/v1beta1"]},
                        "kind": {"const": kind}
                    }
                }
            },
            "error": {
                "description": "Present if the list is not whole: what went wrong.",
                "type": "string"
            }
        }
    })
}
