//! The differences between a server and files.

use super::table::columns;
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
        let columns = columns![row in (&DiffItem, &FieldDifference);
            "KIND" => row.0.kind.to_owned(),
            "NAME" => row.0.name.clone(),
            "ACTION" => row.0.action.as_str().to_owned(),
            "PATH" => row.1.path.clone(),
            "LIVE" => value_text(&row.1.live),
            "FILE" => value_text(&row.1.file),
        ];
        let rows = self.items.iter().flat_map(|item| item.fields.iter().map(move |it| (item, it)));
        Table::new(rows, &columns).render(layout)
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
