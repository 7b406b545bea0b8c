//! The fields of a task in a document.

use document::{Document, Entry};

/// Returns the entry of a field of the task that is present and not null.
pub(super) fn entry<'d>(document: &'d Document, field: &str) -> Option<&'d Entry> {
    let policy = document.root.at(&["spec", "policy"])?;
    policy.entry(field).filter(|entry| !entry.value.is_null())
}
