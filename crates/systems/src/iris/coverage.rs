//! Coverage targets of tests of an Iris profile, and failures that reach them.

use super::manifest::IrisProfile;
use crate::{CoverageTarget, ExampleFailures, TargetKind, limits_of, place_of};
use document::Document;
use serde_json::json;

/// The fields that set limits.
const LIMITS: &[&str] = &["max_retries_failure", "max_retries_preemption", "max_task_failures"];

/// Returns the profile as a whole, and its limits.
pub(super) fn targets(document: &Document, profile: &IrisProfile) -> Vec<CoverageTarget> {
    let policy = document.root.at(&["spec", "policy"]);
    let place = place_of(document, policy);
    let mut targets = vec![CoverageTarget::new(&profile.name, None, TargetKind::Whole, place)];
    targets.extend(limits_of(document, policy, &profile.name, LIMITS));
    targets
}

/// Returns failures that each budget counts, of one task and of all tasks.
pub(super) fn examples(profile: &IrisProfile) -> Vec<ExampleFailures> {
    let of_all = |outcome: &str| {
        // A task more than the budget of the job is enough.
        let tasks = profile.rules.policy.replicas.min(100);
        (0..tasks).map(|task| json!({"task": task, "outcome": outcome})).collect()
    };
    vec![
        ExampleFailures::of([json!({"outcome": "FAILED"})]),
        ExampleFailures::of([json!({"outcome": "PREEMPTED"}), json!({"outcome": "WORKER_FAILED"})]),
        ExampleFailures { alternatives: vec![of_all("FAILED")] },
    ]
}
