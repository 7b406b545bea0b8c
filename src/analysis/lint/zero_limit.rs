//! Retries with a limit of 0, which are never granted.

use super::context::{Context, Policy, limit, present};
use super::definition::Lint;
use armada_retry::policy::{Action, Form};
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::ZeroLimit, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        findings.extend(check_policy(policy));
        for (number, rule, node) in policy.numbered() {
            if rule.action != Action::Retry || rule.retry_limit != Some(0) {
                continue;
            }
            let Some(entry) = present(node, "retryLimit") else { continue };
            let message = format!("{} never retries: its limit is 0", policy.rule_name(number));
            findings.push(
                Diagnostic::warning(Code::ZeroLimit, policy.place(entry.value.span), message)
                    .help("write the number of retries, or `action: Fail`"),
            );
        }
    }
}

/// The finding about the limit of a policy. `validate` reports an absent one of `v1beta1`.
fn check_policy(policy: &Policy<'_>) -> Option<Diagnostic> {
    let entry = policy.field("retryLimit").filter(|entry| limit(&entry.value) == Some(0))?;
    let is_v1 = policy.policy().form == Form::V1;
    let mut actions = policy.numbered().filter(|(_, rule, _)| {
        // In `v1` rules may have a limit of their own.
        rule.action == Action::Retry && !(is_v1 && rule.retry_limit.is_some())
    });
    let of_rule = actions.find_map(|(_, _, node)| present(node, "action"));
    let default = policy.field("defaultAction");
    let default = default.filter(|_| policy.policy().default_action() == Action::Retry);
    let retry = of_rule.or(default)?;
    let place = policy.place(entry.value.span);
    Some(
        Diagnostic::warning(Code::ZeroLimit, place, "nothing is retried under a limit of 0")
            .also(policy.place(retry.value.span), "this retry is never granted")
            .help("write the number of retries, or `Fail` in place of `Retry`"),
    )
}
