//! The differences between a server and files.

use super::{Action, Layout, Table};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The objects of the files, each compared with the server's.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffReport {
    api_version: &'static str,
    kind: &'static str,
    /// A document each: policies, then queues, in the order of the files.
    pub items: Vec<DiffItem>,
}

/// One document next to what the server holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffItem {
    /// `RetryPolicy` or `Queue`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What `apply` would do: `created`, `configured` or `unchanged`.
    pub action: Action,
    /// The fields that differ.
    pub fields: Vec<FieldDifference>,
}

/// One field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldDifference {
    /// The field, such as `rules[0].onCategory`.
    pub path: String,
    /// What the server holds; null if the field is absent there.
    pub live: Value,
    /// What the file says; null if the field is absent there.
    pub file: Value,
}

impl DiffReport {
    /// The report of these documents.
    pub fn new(items: Vec<DiffItem>) -> Self {
        Self { api_version: "armadaproject.io/v1", kind: "DiffReport", items }
    }

    /// Whether any document differs from that on the server.
    pub fn differs(&self) -> bool {
        self.items.iter().any(|item| item.action != Action::Unchanged)
    }

    /// Renders one line for each field that differs; nothing if no field differs.
    pub fn table(&self, layout: &Layout) -> String {
        if !self.differs() {
            return String::new();
        }
        let mut table = Table::new(vec!["KIND", "NAME", "ACTION", "PATH", "LIVE", "FILE"]);
        for item in &self.items {
            for field in &item.fields {
                table.row(vec![
                    item.kind.to_owned(),
                    item.name.clone(),
                    item.action.as_str().to_owned(),
                    field.path.clone(),
                    value_text(&field.live),
                    value_text(&field.file),
                ]);
            }
        }
        table.render(layout)
    }
}

/// The text of a cell: texts are unchanged, other values become JSON.
fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
