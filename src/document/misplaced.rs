//! Fields that stand a level off from where they belong.
//!
//! Owns the search for them, so that such a slip is reported once and with the way to mend it.

use super::{Field, Kind, Node, Shape};

/// Where under `shape`, past lists too deep to name, a field of this name stands: `spec`,
/// `mutate.affinity`.
pub(super) fn path_to(shape: &Shape, name: &str) -> Option<String> {
    let inner = |field: &Field| match field.kind {
        Kind::Object(inner) => Some((field.name, inner)),
        _ => None,
    };
    let mut objects = shape.fields.iter().filter_map(inner);
    if let Some((path, _)) = objects.clone().find(|(_, inner)| inner.field(name).is_some()) {
        return Some(path.to_owned());
    }
    objects.find_map(|(path, inner)| Some(format!("{path}.{}", path_to(inner, name)?)))
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
