//! The documentation of a field, by its path. `report` renders it.

use super::{Field, Kind, Need, Shape};

/// A field's documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPage {
    /// The kind of document.
    pub document: &'static str,
    /// The path of the field, in the shape's spelling; empty for the whole document.
    pub path: Vec<&'static str>,
    /// The type, such as `[]string`.
    pub type_name: String,
    /// The documentation.
    pub doc: &'static str,
    /// Whether it is required.
    pub required: bool,
    /// The values that the field accepts, with their documentation; empty if any value of the type is
    /// allowed.
    pub values: Vec<(&'static str, &'static str)>,
    /// The fields of its mapping.
    pub fields: Vec<FieldEntry>,
}

/// A field of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldEntry {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub type_name: String,
    /// The first line of the documentation.
    pub doc: &'static str,
    /// The fields of its mapping.
    pub fields: Vec<FieldEntry>,
}

/// Returns the page of the field at `path`. On failure: the names of the fields that the last valid
/// part of the path has.
pub fn lookup(shape: &'static Shape, path: &[&str]) -> Result<FieldPage, Vec<&'static str>> {
    let (mut current, mut found, mut found_path) = (shape, None::<&'static Field>, Vec::new());
    let mut rest = path;
    while let Some((name, remaining)) = rest.split_first() {
        let find = |name: &str| current.fields.iter().find(|f| f.name.eq_ignore_ascii_case(name));
        // The name of a field may have dots: `core.max_task_retry_delay`.
        let (field, remaining) = match find(name) {
            Some(field) => (field, remaining),
            None => (find(&rest.join(".")).ok_or_else(|| names(current))?, &[][..]),
        };
        found_path.push(field.name);
        found = Some(field);
        match object(&field.kind) {
            Some(shape) => current = shape,
            None if !remaining.is_empty() => return Err(Vec::new()),
            None => {}
        }
        rest = remaining;
    }
    let kind = found.map(|field| &field.kind);
    let fields = if kind.is_none_or(|kind| object(kind).is_some()) { current.fields } else { &[] };
    Ok(FieldPage {
        document: shape.name,
        path: found_path,
        type_name: kind.map_or_else(|| "Object".to_owned(), Kind::type_name),
        doc: found.map_or(shape.doc, |field| field.doc),
        required: found.is_some_and(|field| field.need == Need::Required),
        values: kind.map(values).unwrap_or_default(),
        fields: fields.iter().map(entry).collect(),
    })
}

fn entry(field: &'static Field) -> FieldEntry {
    let inner = object(&field.kind).map(|shape| shape.fields).unwrap_or_default();
    FieldEntry {
        name: field.name,
        type_name: field.kind.type_name(),
        doc: summary(field.doc),
        fields: inner.iter().map(entry).collect(),
    }
}

/// All paths of fields, such as `spec.rules.onExitCodes`, for completion.
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

fn summary(doc: &'static str) -> &'static str {
    doc.lines().next().unwrap_or("")
}

fn names(shape: &'static Shape) -> Vec<&'static str> {
    shape.fields.iter().map(|field| field.name).collect()
}

fn object(kind: &'static Kind) -> Option<&'static Shape> {
    match kind {
        Kind::Object(shape) | Kind::ShareOr(shape) => Some(shape),
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
