//! Containers of rules on categories, which ignore them (semantics.md, section 4).

use super::context::{Context, present};
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::ContainerOfCategory, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let matchers = rule.matchers();
            if matchers.iter().any(|matcher| !matcher.is_of_category()) {
                continue;
            }
            for key in ["containerName", "includeInitContainers"] {
                let Some(entry) = present(node, key) else { continue };
                if entry.value.boolean() == Some(false) {
                    continue;
                }
                let message = format!(
                    "`{key}` has no effect in {}: a category is of the whole failure",
                    policy.rule_name(number)
                );
                findings.push(
                    Diagnostic::warning(
                        Code::ContainerOfCategory,
                        policy.place(entry.key_span),
                        message,
                    )
                    .help("remove it, or add a matcher on exit codes, conditions or messages")
                    .fixed_by(context.fix(
                        policy,
                        format!("remove `{key}`"),
                        |layout| layout.remove_entry(entry),
                    )),
                );
            }
        }
    }
}
