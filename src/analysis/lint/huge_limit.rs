//! Limits that limit nothing.

use super::context::{Context, limit, present};
use super::definition::Lint;
use armada_retry::policy::Action;
use document::diag::{Code, Findings};
use systems::{HUGE_LIMIT, huge_limit};

pub(super) const LINT: Lint = Lint { code: Code::HugeLimit, check };

/// The limit that ends a job in place of such a limit.
const END: &str = "only `globalMaxRetries` ends a job that always fails";

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        let of_rules = policy.numbered().filter(|(_, rule, _)| rule.action == Action::Retry);
        let of_rules = of_rules.filter_map(|(_, _, node)| present(node, "retryLimit"));
        for entry in policy.field("retryLimit").into_iter().chain(of_rules) {
            let limit = limit(&entry.value).filter(|limit| *limit >= HUGE_LIMIT);
            let place = policy.place(entry.value.span);
            findings.extend(limit.map(|limit| huge_limit(place, limit, END)));
        }
    }
}
