//! Keys on a wrong level, and misspelt keys among those that are ignored.
//!
//! Owns the search for such keys, so that each mistake is reported once, with its correction.

use super::check::{Checker, no_field};
use super::{Entry, Extra, Field, Kind, Node, Shape};
use crate::diag::{Code, did_you_mean, typo_of};

/// The path of the mapping in `shape` that has a field of this name, without entering lists: `spec`,
/// `mutate.affinity`.
pub(super) fn path_to(shape: &Shape, name: &str) -> Option<String> {
    path(shape, name, &|field| match field.kind {
        Kind::Object(inner) => Some((field.name.to_owned(), inner)),
        _ => None,
    })
}

/// Like [`path_to`], but enters lists too: `spec.replicatedJobs[].template`.
pub(super) fn path_through_lists(shape: &Shape, name: &str) -> Option<String> {
    path(shape, name, &|field| match field.kind {
        Kind::Object(inner) => Some((field.name.to_owned(), inner)),
        Kind::List { item: Kind::Object(inner), .. } => Some((format!("{}[]", field.name), inner)),
        _ => None,
    })
}

/// Enters a field: returns its path segment and the shape of its mapping.
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

/// Whether a required field that `node` lacks is present on a wrong level: `node` itself has a
/// field that belongs under it, or a mapping that `node` should not have contains it. Both have
/// been reported.
pub(super) fn is_present_elsewhere(field: &Field, node: &Node, shape: &Shape) -> bool {
    let unknown_entries =
        || node.entries().iter().filter(|entry| shape.field(&entry.key).is_none());
    let has_misplaced_children = match field.kind {
        Kind::Object(inner) => unknown_entries()
            .any(|entry| inner.field(&entry.key).is_some() || path_to(inner, &entry.key).is_some()),
        _ => false,
    };
    has_misplaced_children || unknown_entries().any(|entry| entry.value.get(field.name).is_some())
}

/// The unknown key that was probably meant to be an absent field, of a mapping whose unknown keys are not reported.
pub(super) fn misspelt_entry<'n>(name: &str, node: &'n Node, shape: &Shape) -> Option<&'n Entry> {
    let is_unknown = |entry: &&Entry| shape.field(&entry.key).is_none();
    let unknown = || node.entries().iter().filter(is_unknown);
    let near = did_you_mean(name, unknown().map(|entry| entry.key.as_str()))?;
    unknown().find(|entry| entry.key == near).filter(|_| matches!(shape.extra, Extra::Ignored))
}

/// The keys of a mapping, and of the mappings inside it, that are misspellings of keys of its shape, each with the key
/// that was probably meant.
pub fn misspelt_keys<'n>(node: &'n Node, shape: &Shape) -> Vec<(&'n Entry, &'static str)> {
    let names = || shape.fields.iter().map(|field| field.name);
    let in_entry = |entry: &'n Entry| match shape.field(&entry.key) {
        Some(field) => misspelt_keys_of(&entry.value, &field.kind),
        None => typo_of(&entry.key, names()).map(|near| (entry, near)).into_iter().collect(),
    };
    node.entries().iter().flat_map(in_entry).collect()
}

fn misspelt_keys_of<'n>(node: &'n Node, kind: &Kind) -> Vec<(&'n Entry, &'static str)> {
    match kind {
        Kind::Object(shape) => misspelt_keys(node, shape),
        Kind::List { item, .. } => {
            node.items().iter().flat_map(|node| misspelt_keys_of(node, item)).collect()
        }
        Kind::Map(value) => {
            let entries = node.entries().iter();
            entries.flat_map(|entry| misspelt_keys_of(&entry.value, value)).collect()
        }
        _ => Vec::new(),
    }
}

impl Checker<'_> {
    /// Warns of an ignored key that is a misspelling of an absent field. It is not an error: the
    /// document may have fields that the shape does not list. `name` is the mapping's name in
    /// messages.
    pub(super) fn warn_of_misspelling(
        &mut self,
        entry: &Entry,
        node: &Node,
        shape: &'static Shape,
        name: &str,
    ) {
        let names = shape.fields.iter().map(|field| field.name);
        let Some(intended) = typo_of(&entry.key, names) else { return };
        if self.is_absent(node, intended) {
            let message = no_field(shape, name, &entry.key);
            let finding = self.warning(Code::UnknownField, entry.key_span, message);
            self.push(
                finding.help(format!("did you mean `{intended}`? An unknown field is ignored")),
            );
        }
    }
}
