//! Findings about a profile that is valid, and probably not what its author intended.

mod cost;
mod rules;
#[cfg(test)]
mod tests;

use super::engine::AirflowManifest;
use crate::lint::Bounds;
use document::diag::Findings;
use document::{Document, Entry};

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, manifest: &AirflowManifest, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    rules::add(document, &manifest.policy, &mut findings);
    cost::add(document, manifest, bounds, &mut findings);
    findings
}

/// Returns the entry of a field of the task that is present and not null.
fn entry<'d>(document: &'d Document, field: &str) -> Option<&'d Entry> {
    let policy = document.root.at(&["spec", "policy"])?;
    policy.entry(field).filter(|entry| !entry.value.is_null())
}
