//! The documentation of a field, by its path.

use super::{Field, Kind, Need, Shape};
use std::fmt::Write;

/// A field's documentation.
#[derive(Debug)]
pub struct FieldPage {
    /// The kind of document.
    pub document: &'static str,
    /// The path that was asked for, in the documents' spelling; empty for the whole document.
    pub path: Vec<&'static str>,
    /// The type, such as `[]string`.
    pub type_name: String,
    /// What it means.
    pub doc: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// The values it takes, where there are few, with what each means.
    pub values: Vec<(&'static str, &'static str)>,
    /// The fields it has, with type and summary.
    pub fields: Vec<(&'static str, String, &'static str)>,
}

/// The page of the field at `path`. On failure: how far the path was good, and the names there.
pub fn lookup(shape: &'static Shape, path: &[&str]) -> Result<FieldPage, Vec<&'static str>> {
    let (mut here, mut found, mut trail) = (shape, None::<&'static Field>, Vec::new());
    let mut rest = path;
    while let Some((name, more)) = rest.split_first() {
        let find = |name: &str| here.fields.iter().find(|f| f.name.eq_ignore_ascii_case(name));
        // A field's own name may hold dots: `core.max_task_retry_delay`.
        let (field, more) = match find(name) {
            Some(field) => (field, more),
            None => (find(&rest.join(".")).ok_or_else(|| names(here))?, &[][..]),
        };
        trail.push(field.name);
        found = Some(field);
        match object(&field.kind) {
            Some(shape) => here = shape,
            None if !more.is_empty() => return Err(Vec::new()),
            None => {}
        }
        rest = more;
    }
    let kind = found.map(|field| &field.kind);
    let fields = if kind.is_none_or(|kind| object(kind).is_some()) { here.fields } else { &[] };
    Ok(FieldPage {
        document: shape.name,
        path: trail,
        type_name: kind.map_or_else(|| "Object".to_owned(), Kind::type_name),
        doc: found.map_or(shape.doc, |field| field.doc),
        required: found.is_some_and(|field| field.need == Need::Required),
        values: kind.map(values).unwrap_or_default(),
        fields: fields.iter().map(|f| (f.name, f.kind.type_name(), summary(f.doc))).collect(),
    })
}

/// Every path of fields, `spec.rules.onExitCodes` and the like, for completion.
pub fn field_paths(shape: &'static Shape) -> Vec<String> {
    let mut paths = Vec::new();
    for field in shape.fields {
        paths.push(field.name.to_owned());
        if let Some(inner) = object(&field.kind) {
            paths.extend(
                field_paths(inner).into_iter().map(|path| format!("{}.{path}", field.name)),
            );
        }
    }
    paths
}

impl FieldPage {
    /// The page as text, in the manner of `kubectl explain`.
    pub fn text(&self) -> String {
        let mut out = format!("DOCUMENT:  {}\n", self.document);
        if !self.path.is_empty() {
            let _ = writeln!(out, "FIELD:     {} <{}>", self.path.join("."), self.type_name);
            let need = if self.required { "required" } else { "optional" };
            let _ = writeln!(out, "           {need}");
        }
        let _ = writeln!(out, "\nDESCRIPTION:\n{}", indented(self.doc));
        if !self.values.is_empty() {
            out.push_str("\nVALUES:\n");
            let width = self.values.iter().map(|(value, _)| value.len()).max().unwrap_or(0);
            for (value, doc) in &self.values {
                let _ = writeln!(out, "    {value:width$}  {doc}");
            }
        }
        if !self.fields.is_empty() {
            out.push_str("\nFIELDS:\n");
            let shown: Vec<String> =
                self.fields.iter().map(|(name, kind, _)| format!("{name} <{kind}>")).collect();
            let width = shown.iter().map(String::len).max().unwrap_or(0);
            for (name, (_, _, doc)) in shown.iter().zip(&self.fields) {
                let _ = writeln!(out, "    {name:width$}  {doc}");
            }
        }
        out
    }
}

fn indented(doc: &str) -> String {
    doc.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn summary(doc: &'static str) -> &'static str {
    doc.lines().next().unwrap_or("")
}

fn names(shape: &'static Shape) -> Vec<&'static str> {
    shape.fields.iter().map(|field| field.name).collect()
}

fn object(kind: &'static Kind) -> Option<&'static Shape> {
    match kind {
        Kind::Object(shape) => Some(shape),
        Kind::List { item, .. } => object(item),
        Kind::Map(value) => object(value),
        _ => None,
    }
}

fn values(kind: &Kind) -> Vec<(&'static str, &'static str)> {
    match kind {
        Kind::OneOf(choices) => {
            choices.values.iter().map(|choice| (choice.value, choice.doc)).collect()
        }
        Kind::List { item, .. } => values(item),
        _ => Vec::new(),
    }
}
