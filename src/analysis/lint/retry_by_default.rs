//! Policies that retry failures which no rule matches.

use super::context::Context;
use super::definition::Lint;
use armada_retry::policy::Action;
use document::diag::{Code, Diagnostic, Findings};
use systems::HUGE_LIMIT;

pub(super) const LINT: Lint = Lint { code: Code::RetryByDefault, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        if policy.policy().default_action() != Action::Retry || policy.limit(None) == Some(0) {
            continue;
        }
        let limit = match policy.limit(None) {
            Some(1) => "once".to_owned(),
            Some(limit) if u64::from(limit) < HUGE_LIMIT => format!("up to {limit} times"),
            _ => "up to `globalMaxRetries` times".to_owned(),
        };
        let message = format!(
            "`{}` retries every failure that no rule matches, {limit}: mistakes in jobs too",
            policy.name()
        );
        findings
            .push(Diagnostic::info(Code::RetryByDefault, policy.default_place(), message).help(
            "add Fail rules for failures that no retry can help, or write `defaultAction: Fail`",
        ));
    }
}
