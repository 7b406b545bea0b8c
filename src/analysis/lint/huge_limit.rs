//! Limits that limit nothing.

use super::context::{Context, limit, present};
use super::definition::Lint;
use armada_retry::policy::Action;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::HugeLimit, check };

/// The limit from which only `globalMaxRetries` matters: a job that fails every minute reaches it after 16 hours.
pub(super) const HUGE: u64 = 1000;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        let of_rules = policy.numbered().filter(|(_, rule, _)| rule.action == Action::Retry);
        let of_rules = of_rules.filter_map(|(_, _, node)| present(node, "retryLimit"));
        for entry in policy.field("retryLimit").into_iter().chain(of_rules) {
            let Some(limit) = limit(&entry.value).filter(|limit| *limit >= HUGE) else { continue };
            let message = format!(
                "a limit of {limit} retries limits nothing: only `globalMaxRetries` ends a job that always fails"
            );
            findings.push(
                Diagnostic::warning(Code::HugeLimit, policy.place(entry.value.span), message)
                    .help("write the number of retries that may succeed"),
            );
        }
    }
}
