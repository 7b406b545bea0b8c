//! Keys in another case than the shape's, made the shape's: after that one spelling is left.

use super::{Kind, Node, NodeKind, Shape};

/// Renames the keys of `node` and of what is inside it to the spelling that `shape` has, where
/// only the case differs and the exact spelling does not stand beside it.
pub fn canonical_keys(node: &mut Node, shape: &'static Shape) {
    let NodeKind::Map(entries) = &mut node.kind else { return };
    for field in shape.fields {
        if entries.iter().any(|entry| entry.key == field.name) {
            continue;
        }
        if let Some(entry) = entries.iter_mut().find(|e| e.key.eq_ignore_ascii_case(field.name)) {
            field.name.clone_into(&mut entry.key);
        }
    }
    for entry in entries {
        if let Some(field) = shape.field(&entry.key) {
            inside(&mut entry.value, &field.kind);
        }
    }
}

fn inside(node: &mut Node, kind: &'static Kind) {
    match (kind, &mut node.kind) {
        (Kind::Object(shape), _) => canonical_keys(node, shape),
        (Kind::List { item, .. }, NodeKind::List(items)) => {
            for node in items {
                inside(node, item);
            }
        }
        (Kind::Map(value), NodeKind::Map(entries)) => {
            for entry in entries {
                inside(&mut entry.value, value);
            }
        }
        _ => {}
    }
}
