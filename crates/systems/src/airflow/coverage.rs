//! Coverage targets of tests of an Airflow profile, and failures that reach them.

use super::engine::AirflowManifest;
use super::manifest::AirflowPolicy;
use super::manifest::retry_policy::TaskRetryPolicy;
use crate::{CoverageTarget, ExampleFailures, TargetKind, place_of};
use document::{Document, Node};
use serde_json::json;
use std::collections::BTreeSet;

/// Returns the rules of the retry policy, if the release has one, the task's settings, and its limit.
pub(super) fn targets(document: &Document, manifest: &AirflowManifest) -> Vec<CoverageTarget> {
    let policy = document.root.at(&["spec", "policy"]);
    let mut nodes = Vec::new();
    if let Some(node) = policy.and_then(|policy| policy.get("retry_policy")) {
        add_rule_nodes(node, &mut nodes);
    }
    let rules = retry_policy(manifest).map_or(0, |policy| policy.rules().count());
    let rule = |index: usize| {
        let place = place_of(document, nodes.get(index).copied());
        CoverageTarget::new(&manifest.name, Some(index), TargetKind::Rule, place)
    };
    let mut targets: Vec<CoverageTarget> = (0..rules).map(rule).collect();
    targets.push(CoverageTarget::new(
        &manifest.name,
        None,
        TargetKind::Default,
        place_of(document, policy),
    ));
    let retries = policy.and_then(|policy| policy.get("retries"));
    let value = i64::from(manifest.policy.retries);
    let source = if value == 0 { "retries" } else { "max_tries" };
    let place = place_of(document, retries.or(policy));
    targets.push(CoverageTarget::new(
        &manifest.name,
        None,
        TargetKind::Limit { source, value },
        place,
    ));
    targets
}

/// Adds the nodes of all rules of a retry policy, or of the policies of a chain.
fn add_rule_nodes<'n>(node: &'n Node, rules: &mut Vec<&'n Node>) {
    for policy in node.get("policies").map(Node::items).unwrap_or_default() {
        add_rule_nodes(policy, rules);
    }
    rules.extend(node.get("rules").map(Node::items).unwrap_or_default());
}

/// Returns an exception of each rule, and a failure without one. A later policy of a chain decides an exception that a
/// rule before it leaves to it, so each class of a rule comes also beside every other one.
pub(super) fn examples(manifest: &AirflowManifest) -> Vec<ExampleFailures> {
    let rules = || retry_policy(manifest).into_iter().flat_map(TaskRetryPolicy::rules);
    let others: BTreeSet<&str> =
        rules().flat_map(|(_, rule)| rule.exceptions.iter().map(|class| &**class)).collect();
    let exceptions = rules().map(|(_, rule)| {
        let classes = || rule.exceptions.iter();
        let alone = classes().map(|class| json!({"exceptions": [class]}));
        let beside = classes().flat_map(|class| {
            let others = others.iter().filter(move |other| **other != &**class);
            others.map(move |other| json!({"exceptions": [other, class]}))
        });
        ExampleFailures::of(alone.chain(beside))
    });
    exceptions.chain([ExampleFailures::of([json!({})])]).collect()
}

/// Returns the retry policy, if the release has any.
fn retry_policy(manifest: &AirflowManifest) -> Option<&TaskRetryPolicy> {
    let AirflowPolicy { profile, retry_policy, .. } = &manifest.policy;
    retry_policy.as_ref().filter(|_| profile.has_retry_policies())
}
