//! Fields that stand a level off from where they belong.
//!
//! Owns the search for them, so that such a slip is reported once and with the way to mend it.

use super::{Field, Kind, Node, Shape};

/// Where under `shape`, past lists too deep to name, a field of this name stands: `spec`,
/// `mutate.affinity`.
pub(super) fn path_to(shape: &Shape, name: &str) -> Option<String> {
    path(shape, name, &|field| match field.kind {
        Kind::Object(inner) => Some((field.name.to_owned(), inner)),
        _ => None,
    })
}

/// The same, also inside of lists: `spec.replicatedJobs[].template`.
pub(super) fn path_through_lists(shape: &Shape, name: &str) -> Option<String> {
    path(shape, name, &|field| match field.kind {
        Kind::Object(inner) => Some((field.name.to_owned(), inner)),
        Kind::List { item: Kind::Object(inner), .. } => Some((format!("{}[]", field.name), inner)),
        _ => None,
    })
}

/// How to get inside a field: its part of a path, and the mapping there.
type Step = dyn Fn(&Field) -> Option<(String, &'static Shape)>;

fn path(shape: &Shape, name: &str, step: &Step) -> Option<String> {
    let mut inner = shape.fields.iter().filter_map(step);
    if let Some((path, _)) = inner.clone().find(|(_, inner)| inner.field(name).is_some()) {
        return Some(path);
    }
    inner.find_map(|(start, inner)| Some(format!("{start}.{}", path(inner, name, step)?)))
}

/// Whether `shape` or a mapping inside it has a field of this name.
pub(super) fn has_field(shape: &Shape, name: &str) -> bool {
    shape.field(name).is_some()
        || shape.fields.iter().any(|field| {
            let mut kind = &field.kind;
            while let Kind::List { item, .. } | Kind::Map(item) = kind {
                kind = item;
            }
            matches!(kind, Kind::Object(inner) if has_field(inner, name))
        })
}

/// Whether a required field that `node` lacks is there, a level off: what belongs under it stands
/// beside it, or it stands inside a mapping that `node` should not have. That has been reported.
pub(super) fn stands_elsewhere(field: &Field, node: &Node, shape: &Shape) -> bool {
    let strange = || node.entries().iter().filter(|entry| shape.field(&entry.key).is_none());
    let beside = match field.kind {
        Kind::Object(inner) => strange()
            .any(|entry| inner.field(&entry.key).is_some() || path_to(inner, &entry.key).is_some()),
        _ => false,
    };
    beside || strange().any(|entry| entry.value.get(field.name).is_some())
}
