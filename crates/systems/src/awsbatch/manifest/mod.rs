//! A job definition: its retry strategy, and how it is read.

pub(super) mod pattern;
pub(super) mod shape;
mod strategy;

use super::validate;
use document::diag::Findings;
use document::{Document, KeyCase, Node, check};
use pattern::Glob;
use shape::{JOB_DEFINITION, entries};
pub use strategy::{EvaluateOnExit, JobDefinition, RetryAction, RetryStrategy};

/// Reads a job definition; `None` if it has errors.
pub(super) fn read(document: &Document, findings: &mut Findings) -> Option<JobDefinition> {
    let root = &document.root;
    let mut own = Findings::new();
    check(&document.source, root, &JOB_DEFINITION, KeyCase::Exact, &mut own);
    validate::check_entries(document, &mut own);
    let is_valid = !own.has_errors();
    let whole = |path: &[&str]| {
        root.at(path).and_then(Node::integer).and_then(|number| u32::try_from(number).ok())
    };
    let strategy = RetryStrategy {
        attempts: whole(&["retryStrategy", "attempts"]).unwrap_or(1),
        evaluate_on_exit: entries(root).iter().filter_map(entry).collect(),
    };
    let definition = JobDefinition {
        name: name(root).unwrap_or_default().to_owned(),
        strategy,
        timeout_seconds: whole(&["timeout", "attemptDurationSeconds"]),
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

/// Reads an entry; `None` if its action is not valid.
fn entry(node: &Node) -> Option<EvaluateOnExit> {
    let pattern = |key: &str| node.get(key).and_then(Node::text).map(Glob::new);
    Some(EvaluateOnExit {
        on_status_reason: pattern("onStatusReason"),
        on_reason: pattern("onReason"),
        on_exit_code: pattern("onExitCode"),
        action: RetryAction::in_any_case(node.get("action")?.text()?)?,
    })
}
