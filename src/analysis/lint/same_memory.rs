//! Rules on OOM kills that retry with the same memory.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::policy::{Condition, Coverage, ExitCodes, Operator, Rule};
use document::diag::{Code, Findings};
use replay::disruption::DISRUPTION_CONDITIONS;
use systems::same_memory;

pub(super) const LINT: Lint = Lint { code: Code::SameMemory, check };

const REMEDY: &str =
    "let it grow: `mutate: {resources: {memory: {factor: 1.5}}}`, or write `action: Fail`";

/// SIGKILL, which the kernel sends a container that exceeds its memory.
const KILLED: i32 = 137;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            let is_limited_to_0 = policy.limit(Some(rule)) == Some(0);
            if rule.memory.is_some() || !policy.can_retry(number) || is_limited_to_0 {
                continue;
            }
            if let Some(of) = oom_sign(policy, number, rule) {
                let subject = format!("{} retries {of}", policy.rule_name(number));
                findings.push(same_memory(policy.place(node.span), &subject, REMEDY));
            }
        }
    }
}

/// The failures of a rule, if all are OOM kills: by its conditions, its categories or subcategories, or by exit code 137
/// where an earlier rule takes disruptions.
fn oom_sign(policy: &Policy<'_>, number: usize, rule: &Rule) -> Option<&'static str> {
    let is_named = |names: &[String]| {
        let is_oom = |name: &String| name.to_ascii_lowercase().contains("oom");
        !names.is_empty() && names.iter().all(is_oom)
    };
    let of_condition = !rule.conditions.is_empty()
        && rule.conditions.iter().all(|condition| *condition == Condition::OomKilled);
    if of_condition || is_named(&rule.categories) || is_named(&rule.subcategories) {
        return Some("OOM kills");
    }
    let only_killed = rule.matchers().len() == 1
        && rule.exit_codes.as_ref().is_some_and(|codes| {
            codes.operator == Operator::In && codes.values.iter().all(|code| *code == KILLED)
        });
    let is_taken = |condition: Condition| {
        // Of a container that the rule names, the code is not that of the first one, which earlier rules may read.
        let codes = ExitCodes { operator: Operator::In, values: vec![KILLED] };
        let disrupted = Rule {
            exit_codes: rule.container.is_none().then_some(codes),
            conditions: vec![condition],
            ..Rule::new(rule.action)
        };
        matches!(policy.rules.coverage_of_other(&disrupted, number), Coverage::Covered(_))
    };
    (only_killed && DISRUPTION_CONDITIONS.into_iter().all(is_taken))
        .then_some("exit code 137, which is that of OOM kills,")
}
