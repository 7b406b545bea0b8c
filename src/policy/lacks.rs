//! The fields of a `v1` document that the `v1beta1` profile cannot evaluate (semantics.md, section 1).

use super::{Form, PolicyDocument};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::Node;

pub(super) const OF_POLICY: [&str; 2] = ["backoff", "antiAffinity"];
pub(super) const OF_RULE: [&str; 8] = [
    "retryLimit",
    "containerName",
    "includeInitContainers",
    "onExitCodes",
    "onConditions",
    "onTerminationMessage",
    "backoff",
    "antiAffinity",
];

/// Names each field of the policy that servers of the `v1beta1` profile know nothing of.
pub fn lacking_in_v1beta1(policy: &PolicyDocument, findings: &mut Findings) {
    if policy.policy.form == Form::V1beta1 {
        return;
    }
    let Some(spec) = policy.document.root.get("spec") else { return };
    let mut name = |node: &Node, fields: &[&str]| {
        for entry in node.entries() {
            if fields.contains(&entry.key.as_str()) && !entry.value.is_null() {
                let message = format!("the v1beta1 engine has no `{}`", entry.key);
                findings.push(
                    Diagnostic::error(
                        Code::ProfileLacks,
                        policy.document.place(entry.key_span),
                        message,
                    )
                    .help("leave `--engine v1beta1` out, or express the rule by category"),
                );
            }
        }
    };
    name(spec, &OF_POLICY);
    for rule in spec.get("rules").map(Node::items).unwrap_or_default() {
        name(rule, &OF_RULE);
    }
}
