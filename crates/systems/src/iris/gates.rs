//! What tests of an Iris profile cover, and failures that reach it.

use super::manifest::IrisProfile;
use crate::{Gate, GateKind, Sample, limits_of, place_of};
use document::Document;
use serde_json::json;

/// The fields that set limits.
const LIMITS: &[&str] = &["max_retries_failure", "max_retries_preemption", "max_task_failures"];

/// Returns the profile as a whole, and its limits.
pub(super) fn gates(document: &Document, profile: &IrisProfile) -> Vec<Gate> {
    let policy = document.root.at(&["spec", "policy"]);
    let place = place_of(document, policy);
    let mut gates = vec![Gate::new(&profile.name, None, GateKind::Whole, place)];
    gates.extend(limits_of(document, policy, &profile.name, LIMITS));
    gates
}

/// Returns failures that each budget counts, of one task and of all tasks.
pub(super) fn samples(profile: &IrisProfile) -> Vec<Sample> {
    let of_all = |outcome: &str| {
        // A task more than the budget of the job is enough.
        let tasks = profile.rules.policy.replicas.min(100);
        (0..tasks).map(|task| json!({"task": task, "outcome": outcome})).collect()
    };
    vec![
        Sample::of([json!({"outcome": "FAILED"})]),
        Sample::of([json!({"outcome": "PREEMPTED"}), json!({"outcome": "WORKER_FAILED"})]),
        Sample { alternatives: vec![of_all("FAILED")] },
    ]
}
