//! A job definition: its retry strategy, and how it is read.

pub(super) mod pattern;
pub(super) mod shape;
mod strategy;

use super::validate;
use document::diag::Findings;
use document::{Document, FieldValue, KeyCase, Node, check};
use shape::JOB_DEFINITION;
pub use strategy::{EvaluateOnExit, JobDefinition, RetryAction, RetryStrategy};
pub(super) use strategy::{MAX_ATTEMPTS, MAX_ENTRIES};

/// Reads a job definition; `None` if it has errors.
pub(super) fn read(document: &Document, findings: &mut Findings) -> Option<JobDefinition> {
    let root = &document.root;
    let mut own = Findings::new();
    check(&document.source, root, &JOB_DEFINITION, KeyCase::Exact, &mut own);
    validate::check_entries(document, &mut own);
    let is_valid = !own.has_errors();
    let definition = JobDefinition {
        name: name(root).unwrap_or_default().to_owned(),
        strategy: RetryStrategy::from_field(root, "retryStrategy").unwrap_or_default(),
        timeout_seconds: root.at(&["timeout", "attemptDurationSeconds"]).and_then(u32::from_node),
    };
    if is_valid {
        validate::warn(document, &definition, &mut own);
    }
    findings.extend(own);
    is_valid.then_some(definition)
}

/// Returns the name of a definition or of a submitted job.
fn name(root: &Node) -> Option<&str> {
    ["jobDefinitionName", "jobName"].iter().find_map(|key| root.get(key)?.some_text())
}
