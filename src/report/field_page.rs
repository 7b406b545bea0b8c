//! The documentation of a field, as `kubectl explain` prints it, and as JSON.

use super::documents::API_VERSION;
use document::{FieldEntry, FieldPage};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// What `explain` prints about a topic.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopicExplanation {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `TopicExplanation`.
    kind: &'static str,
    /// The topic: a field or the id of a finding.
    topic: String,
    /// The field, once for each form or system in which it is another one; empty for a finding.
    items: Vec<FieldExplanation>,
    /// The page of the finding in Markdown; null for a field.
    page: Option<&'static str>,
}

/// The documentation of a field, or of a document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldExplanation {
    /// The forms or systems in which the field is this one; absent if it is the same in all.
    #[serde(flatten)]
    pub variants: Option<Variants>,
    /// The kind of document.
    document: &'static str,
    /// The path of the field; empty for the whole document.
    field: String,
    /// The type, such as `[]string`.
    #[serde(rename = "type")]
    type_name: String,
    /// Whether it is required.
    required: bool,
    /// What it means.
    description: &'static str,
    /// The values that it accepts; empty if any value of the type is allowed.
    values: Vec<ValueExplanation>,
    /// The fields in it.
    fields: Vec<FieldSummary>,
    /// A document of this form; only of the whole of some documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    example: Option<&'static str>,
}

/// The forms or systems that a page is of.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Variants {
    /// Whether they are forms or systems.
    #[serde(rename = "variantsOf")]
    pub kind: VariantKind,
    /// Their names.
    #[serde(rename = "variants")]
    pub names: Vec<&'static str>,
}

/// What the pages of one field differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariantKind {
    /// The form of the document: `v1` or `v1beta1`.
    Form,
    /// The system whose policy it is.
    System,
}

/// A value, and what it means.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ValueExplanation {
    /// The value.
    value: &'static str,
    /// What it means.
    description: &'static str,
}

/// A field in a mapping.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct FieldSummary {
    /// Its name.
    name: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    type_name: String,
    /// The first line of its documentation.
    description: &'static str,
    /// The fields in it, with --recursive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldSummary>,
}

impl TopicExplanation {
    /// The explanation of a field.
    pub fn from_fields(topic: &str, items: Vec<FieldExplanation>) -> Self {
        let (kind, topic) = ("TopicExplanation", topic.to_owned());
        Self { api_version: API_VERSION, kind, topic, items, page: None }
    }

    /// The explanation of a finding's id.
    pub fn from_finding(id: &str, page: &'static str) -> Self {
        Self { page: Some(page), ..Self::from_fields(id, Vec::new()) }
    }

    /// The pages of a field as text, an empty line between them.
    pub fn text(&self) -> String {
        let is_only = self.items.len() == 1;
        self.items.iter().map(|page| page.text(is_only)).collect::<Vec<_>>().join("\n")
    }
}

impl FieldExplanation {
    /// The page of a field of these forms or systems, or of all. `recursive` includes the fields in its fields.
    pub fn new(variants: Option<Variants>, page: &FieldPage, recursive: bool) -> Self {
        let value = |value: &(&'static str, &'static str)| ValueExplanation {
            value: value.0,
            description: value.1,
        };
        Self {
            variants,
            document: page.document,
            field: page.path.join("."),
            type_name: page.type_name.clone(),
            required: page.required,
            description: page.doc,
            values: page.values.iter().map(value).collect(),
            fields: page.fields.iter().map(|field| FieldSummary::new(field, recursive)).collect(),
            example: None,
        }
    }

    /// The same with an example of the document, if there is one.
    #[must_use]
    pub fn with_example(self, example: Option<&'static str>) -> Self {
        Self { example, ..self }
    }

    fn text(&self, is_only: bool) -> String {
        let mut out = self.variants.as_ref().map(|all| all.line(is_only)).unwrap_or_default();
        let _ = writeln!(out, "DOCUMENT:  {}", self.document);
        if !self.field.is_empty() {
            let _ = writeln!(out, "FIELD:     {} <{}>", self.field, self.type_name);
            let need = if self.required { "required" } else { "optional" };
            let _ = writeln!(out, "           {need}");
        }
        let description = self.description.lines().map(|line| format!("    {line}"));
        let _ = writeln!(out, "\nDESCRIPTION:\n{}", description.collect::<Vec<_>>().join("\n"));
        if !self.values.is_empty() {
            out.push_str("\nVALUES:\n");
            let width = self.values.iter().map(|value| value.value.len()).max().unwrap_or(0);
            for ValueExplanation { value, description } in &self.values {
                let _ = writeln!(out, "    {value:width$}  {description}");
            }
        }
        if !self.fields.is_empty() {
            out.push_str("\nFIELDS:\n");
            print_fields(&self.fields, 4, &mut out);
        }
        if let Some(example) = self.example {
            out.push_str("\nEXAMPLE:\n");
            for line in example.lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
        out
    }
}

impl Variants {
    /// The line that names them. `is_only`: the others have no such field.
    fn line(&self, is_only: bool) -> String {
        let title = match self.kind {
            VariantKind::Form => "FORM:     ",
            VariantKind::System => "SYSTEM:   ",
        };
        let only = if is_only { " only" } else { "" };
        format!("{title} {}{only}\n", self.names.join(", "))
    }
}

impl FieldSummary {
    fn new(entry: &FieldEntry, recursive: bool) -> Self {
        let inner = entry.fields.iter().filter(|_| recursive);
        Self {
            name: entry.name,
            type_name: entry.type_name.clone(),
            description: entry.doc,
            fields: inner.map(|entry| Self::new(entry, recursive)).collect(),
        }
    }
}

fn print_fields(fields: &[FieldSummary], indent: usize, out: &mut String) {
    let name = |field: &FieldSummary| format!("{} <{}>", field.name, field.type_name);
    let width = fields.iter().map(|field| name(field).len()).max().unwrap_or(0);
    for field in fields {
        let _ = writeln!(out, "{:indent$}{:width$}  {}", "", name(field), field.description);
        print_fields(&field.fields, indent + 2, out);
    }
}
