//! Findings about a profile that is valid, and probably not what its author intended.

mod cost;
mod field;
mod rules;
#[cfg(test)]
pub(in crate::airflow) mod tests;

pub(super) use cost::worst_case;

use super::engine::AirflowManifest;
use crate::lint::Bounds;
use document::Document;
use document::diag::Findings;

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, manifest: &AirflowManifest, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    rules::add(document, &manifest.policy, &mut findings);
    cost::add(document, manifest, bounds, &mut findings);
    findings
}
