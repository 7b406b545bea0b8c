//! Parts of a manifest that are read here and by its checks: the name of a rule, the policy of a Job.

use super::default_rule_name;
use crate::job::{self, JobPolicy};
use document::diag::Span;
use document::{Node, NodeKind};

/// Returns the name of a rule after defaulting: an empty name counts as absent.
pub(crate) fn rule_name(index: usize, rule: &Node) -> String {
    let written = rule.get("name").and_then(Node::some_text);
    written.map_or_else(|| default_rule_name(index), str::to_owned)
}

/// Reads a template's spec with the webhook's defaults. An absent spec, which a server would refuse, counts
/// as an empty one.
pub(crate) fn job_policy(spec: Option<&Node>) -> JobPolicy {
    let span = Span::default();
    let empty = Node { span, kind: NodeKind::Map(Vec::new()) };
    job::read(spec.unwrap_or(&empty), job::Creator::JobSet, job::FeatureGates::default())
}
