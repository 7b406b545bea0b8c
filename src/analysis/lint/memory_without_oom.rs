//! Memory that grows after failures which are not for lack of memory.

use super::context::{Context, present};
use super::definition::Lint;
use super::mutate_of_expired_lease::is_of_expired_leases;
use armada_retry::policy::{Action, Condition, Operator, Rule};
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::MemoryWithoutOom, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            if rule.action != Action::Retry || rule.memory.is_none() || is_of_memory(rule) {
                continue;
            }
            let Some(memory) =
                node.at(&["mutate", "resources"]).and_then(|it| present(it, "memory"))
            else {
                continue;
            };
            let message = format!(
                "{} grows the memory of jobs that did not run out of it",
                policy.rule_name(number)
            );
            findings.push(
                Diagnostic::warning(Code::MemoryWithoutOom, policy.place(memory.key_span), message)
                    .help(
                        "grow memory in a rule on `OOMKilled`, or on the category of that failure",
                    ),
            );
        }
    }
}

/// Whether a rule is on failures for lack of memory, or its memory does not grow: by its conditions, by exit code 137, or by a name or pattern with
/// `oom` or `mem` in it.
fn is_of_memory(rule: &Rule) -> bool {
    let names_it = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("oom") || text.contains("mem")
    };
    let only_oom =
        !rule.conditions.is_empty() && rule.conditions.iter().all(|it| *it == Condition::OomKilled);
    let is_killed = rule
        .exit_codes
        .as_ref()
        .is_some_and(|codes| codes.operator == Operator::In && codes.values == [137]);
    let of_names = |names: &[String]| !names.is_empty() && names.iter().all(|name| names_it(name));
    only_oom
        || is_killed
        || is_of_expired_leases(rule)
        || rule.message.as_ref().is_some_and(|pattern| names_it(pattern.as_str()))
        || of_names(&rule.categories)
        || of_names(&rule.subcategories)
}
