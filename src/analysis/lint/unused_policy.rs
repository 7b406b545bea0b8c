//! Policies that no queue uses.

use super::context::Context;
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::UnusedPolicy, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Without a Queue document nothing is known of the queues.
    if context.input.documents.queues.is_empty() {
        return;
    }
    let settings = context.input.scheduler.map(|config| config.settings);
    let default = settings.and_then(|settings| settings.default_policy.as_deref());
    for (at, policy) in context.policies.iter().enumerate() {
        if context.is_used(at) || default == Some(policy.name()) {
            continue;
        }
        let message = format!("no queue uses `{}`", policy.name());
        findings.push(
            Diagnostic::info(Code::UnusedPolicy, policy.name_place(), message).help(
                "add it to `retryPolicies` of a queue; jobs may still name it in an annotation",
            ),
        );
    }
}
