//! Coverage targets of tests of a profile of the draft, and failures that reach them.

use super::manifest::Profile;
use super::manifest::cause::Cause;
use crate::{CoverageTarget, ExampleFailures, TargetKind, place_of};
use document::{Document, Node};
use serde_json::json;

/// Returns the profile as a whole, and its limit.
pub(super) fn targets(document: &Document, profile: &Profile) -> Vec<CoverageTarget> {
    let spec = document.root.get("spec");
    let policy = spec.and_then(|spec| spec.get("policy").or_else(|| spec.get("layers")));
    let whole =
        CoverageTarget::new(&profile.name, None, TargetKind::Whole, place_of(document, policy));
    // Of the layers the last one that has the field sets it.
    let layers = ["session", "project", "cluster"];
    let in_layer = |layer: &&str| policy?.get(layer)?.get(LIMIT);
    let own = policy.and_then(|policy| policy.get(LIMIT));
    let node: Option<&Node> = own.or_else(|| layers.iter().find_map(in_layer));
    let kind = TargetKind::Limit { source: LIMIT, value: profile.policy.max_retries.into() };
    let limit = CoverageTarget::new(&profile.name, None, kind, place_of(document, node.or(policy)));
    vec![whole, limit]
}

const LIMIT: &str = "max_retries";

/// Returns a failure of each cause. Only some are retried, up to the limit.
pub(super) fn examples(_: &Profile) -> Vec<ExampleFailures> {
    Cause::ALL
        .into_iter()
        .map(|cause| ExampleFailures::of([json!({"cause": cause.as_str()})]))
        .collect()
}
