//! Changes to jobs after an expired lease, which are not applied (semantics.md, section 7).

use super::context::{Context, present};
use super::definition::Lint;
use armada_retry::policy::{Action, Rule};
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::MutateOfExpiredLease, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let Some(entry) = present(node, "mutate") else { continue };
            if !is_of_expired_leases(rule) || rule.action != Action::Retry {
                continue;
            }
            let message = format!(
                "`mutate` has no effect in {}: it does not apply after an expired lease",
                policy.rule_name(number)
            );
            let place = policy.place(entry.key_span);
            let fix = context.fix(policy, "remove `mutate`", |layout| layout.remove_entry(entry));
            findings.push(
                Diagnostic::warning(Code::MutateOfExpiredLease, place, message)
                    .help("remove it")
                    .fixed_by(fix),
            );
        }
    }
}

/// Whether a rule matches only expired leases.
pub fn is_of_expired_leases(rule: &Rule) -> bool {
    let is_only = |list: &[String], name: &str| matches!(list, [one] if one == name);
    is_only(&rule.categories, "internal") && is_only(&rule.subcategories, "lease-expired")
}
