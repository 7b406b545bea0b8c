//! Conditions of the pod in rules that name a container, which never match (semantics.md, section 4).

use super::context::{Context, present};
use super::definition::Lint;
use armada_retry::policy::Condition;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::ImpossibleCondition, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let (Some(container), Some(entry)) =
                (present(node, "containerName"), present(node, "onConditions"))
            else {
                continue;
            };
            let items = entry.value.items().iter();
            let of_pod = |name: &str| Condition::from_name(name) != Some(Condition::OomKilled);
            let impossible: Vec<_> = items.filter(|item| item.text().is_some_and(of_pod)).collect();
            let Some(first) = impossible.first() else { continue };
            let is_all = impossible.len() == rule.conditions.len();
            let message = if is_all {
                format!(
                    "{} matches no failure: conditions of the pod never hold for a container",
                    policy.rule_name(number)
                )
            } else {
                format!("`{}` never holds for a container", first.text().unwrap_or_default())
            };
            let left: Vec<&str> = entry
                .value
                .items()
                .iter()
                .filter_map(|item| item.text().filter(|name| !of_pod(name)))
                .collect();
            let fix = context.fix(policy, "remove the conditions of the pod", |layout| {
                layout.replace_list(entry, &left).filter(|_| !is_all)
            });
            findings.push(
                Diagnostic::warning(Code::ImpossibleCondition, policy.place(first.span), message)
                    .labelled("a condition of the pod")
                    .also(policy.place(container.key_span), "only this container counts")
                    .help("remove `containerName`, or match the condition in a rule without it")
                    .fixed_by(fix),
            );
        }
    }
}
