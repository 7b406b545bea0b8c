//! Fields of Fail rules that have an effect only on retries (semantics.md, section 5, step 8).

use super::context::{Context, present};
use super::definition::Lint;
use armada_retry::policy::Action;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::FailRuleFields, check };

const FIELDS: [&str; 4] = ["retryLimit", "backoff", "antiAffinity", "mutate"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            if rule.action != Action::Fail {
                continue;
            }
            let action = present(node, "action").map(|entry| policy.place(entry.value.span));
            for entry in FIELDS.iter().filter_map(|field| present(node, field)) {
                let message = format!(
                    "`{}` has no effect in {}: it fails the job",
                    entry.key,
                    policy.rule_name(number)
                );
                let place = policy.place(entry.key_span);
                let mut finding = Diagnostic::warning(Code::FailRuleFields, place, message);
                if let Some(action) = action.clone() {
                    finding = finding.also(action, "no retry");
                }
                let title = format!("remove `{}`", entry.key);
                let fix = context.fix(policy, title, |layout| layout.remove_entry(entry));
                findings.push(finding.help("remove it, or write `action: Retry`").fixed_by(fix));
            }
        }
    }
}
