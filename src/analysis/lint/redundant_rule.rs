//! Fail rules without which their failures would fail too.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::policy::Action;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::RedundantRule, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (at, policy) in context.policies.iter().enumerate() {
        // Rules of other policies may follow.
        let is_last = context
            .queues
            .iter()
            .all(|queue| !queue.policies.contains(&at) || queue.policies.as_slice() == [at]);
        if policy.policy().default_action() == Action::Retry || !is_last {
            continue;
        }
        for number in 0..policy.policy().rules.len() {
            if is_redundant(policy, number) {
                findings.push(finding(policy, number));
            }
        }
    }
}

/// Whether a Fail rule can be reached and shares no failure with a later Retry rule.
fn is_redundant(policy: &Policy<'_>, number: usize) -> bool {
    let rules = &policy.policy().rules;
    let mut later = (number + 1..rules.len()).filter(|&later| rules[later].action == Action::Retry);
    rules[number].action == Action::Fail
        && !policy.coverage[number].is_covered()
        && later.all(|later| policy.rules.are_disjoint(number, later))
}

fn finding(policy: &Policy<'_>, number: usize) -> Diagnostic {
    let message = format!(
        "{} changes no action: without it, its failures fail by default",
        policy.rule_name(number)
    );
    Diagnostic::info(Code::RedundantRule, policy.rule_place(number), message)
        .also(policy.default_place(), "the default action")
        .help("keep it if reports are to name these failures, else remove it")
}
