//! The label by which retries avoid nodes: the scheduler must index it, and executors must report it.
//!
//! Source: `docs/retry_policies.md` and `internal/scheduler/configuration/validation.go` of armadaproject/armada at
//! 207cc9e0. Both are of the engine `v1beta1`.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::policy::Form;
use document::Node;
use document::diag::{Code, Diagnostic, Findings, Place};

pub(super) const LINT: Lint = Lint { code: Code::NodeLabel, check };

/// `nodeIdLabel` in Armada's own configuration of the scheduler.
const DEFAULT_LABEL: &str = "kubernetes.io/hostname";

/// Keys of `scheduling` that a file has which sets retries alone. The list of labels is then in another file.
const RETRY_KEYS: [&str; 2] = ["retryPolicy", "maxRetries"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    let policies = context.policies.iter().filter(|it| it.policy().form == Form::V1beta1);
    let policies: Vec<&Policy<'_>> = policies.collect();
    let Some(first) = policies.first() else { return };
    let avoiding = policies.iter().find_map(|policy| avoiding_rule(policy));
    let scheduling = context.input.scheduler.and_then(|it| it.document.root.get("scheduling"));
    let label = scheduling.and_then(|scheduling| scheduling.get("nodeIdLabel")?.some_text());
    let label = label.unwrap_or(DEFAULT_LABEL);
    if let Some(place) = scheduling.and_then(|it| place_without_label(context, it, label)) {
        let message = format!(
            "the scheduler does not start: `indexedNodeLabels` lacks its node label `{label}`"
        );
        let related = avoiding.clone().map(|place| (place, "this rule avoids nodes by the label"));
        let (related, text) =
            related.unwrap_or_else(|| (first.name_place(), "this policy needs the retry engine"));
        findings.push(
            Diagnostic::warning(Code::NodeLabel, place, message)
                .also(related, text)
                .help(format!("add `{label}` to `scheduling.indexedNodeLabels`")),
        );
    }
    let Some(avoiding) = avoiding else { return };
    for cluster in context.input.executors.unwrap_or_default() {
        let tracked = &cluster.config.tracked_labels;
        if tracked.labels.iter().any(|tracked| tracked == label) {
            continue;
        }
        let message =
            format!("retries avoid no node: the executor does not report the node label `{label}`");
        findings.push(
            Diagnostic::warning(Code::NodeLabel, tracked.place.clone(), message)
                .also(avoiding.clone(), "this rule avoids nodes by the label")
                .help(format!("add `{label}` to `kubernetes.trackedNodeLabels`")),
        );
    }
}

/// The place of the first rule whose retries avoid nodes.
fn avoiding_rule(policy: &Policy<'_>) -> Option<Place> {
    let rules = policy.policy().rules.iter().enumerate();
    let mut avoiding =
        rules.filter(|(number, rule)| rule.avoid_same_node && policy.can_retry(*number));
    avoiding.next().map(|(number, _)| policy.rule_place(number))
}

/// Where the list of indexed labels lacks the label, if the retry engine is enabled.
fn place_without_label(context: &Context<'_>, scheduling: &Node, label: &str) -> Option<Place> {
    let config = context.input.scheduler.filter(|config| config.settings.enabled)?;
    let list = scheduling.get("indexedNodeLabels");
    let is_indexed = |list: &Node| list.items().iter().any(|item| item.some_text() == Some(label));
    let has_others = || scheduling.entries().iter().any(|entry| !RETRY_KEYS.contains(&&*entry.key));
    let node = match list {
        Some(list) if is_indexed(list) => return None,
        Some(list) => list,
        None if has_others() => scheduling,
        None => return None,
    };
    Some(config.document.place(node.span))
}
