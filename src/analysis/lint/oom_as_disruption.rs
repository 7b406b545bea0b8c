//! Rules that count OOM kills in the limit of disruptions.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::policy::{Condition, Coverage, Rule};
use document::diag::{Code, Findings};
use replay::disruption::DISRUPTION_CONDITIONS;
use systems::{NamedRule, oom_as_disruption};

pub(super) const LINT: Lint = Lint { code: Code::OomAsDisruption, check };

const REMEDY: &str = "take `OOMKilled` out, and put a rule of its own before it: `{action: Retry, retryLimit: 2, \
                      onConditions: [OOMKilled], mutate: {resources: {memory: {factor: 1.5}}}}`";

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, rule, node) in policy.numbered() {
            if !decides(policy, number, rule, Condition::OomKilled) {
                continue;
            }
            let own = DISRUPTION_CONDITIONS.into_iter();
            let disruptions: Vec<String> = own
                .filter(|condition| decides(policy, number, rule, *condition))
                .map(|condition| format!("`{}`", condition.as_str()))
                .collect();
            if disruptions.is_empty() {
                continue;
            }
            let items = node.get("onConditions").map(document::Node::items).unwrap_or_default();
            let oom = items.iter().find(|item| {
                item.text().and_then(Condition::from_name) == Some(Condition::OomKilled)
            });
            let place = policy.place(oom.unwrap_or(node).span);
            let rule = NamedRule { name: policy.rule_name(number), place };
            let disruptions = disruptions.join(", ");
            let effect = format!(
                "counts OOM kills like disruptions ({disruptions}): its limit is for failures that the job does not cause"
            );
            findings.push(oom_as_disruption(rule, &effect, REMEDY));
        }
    }
}

/// Whether a rule grants retries of failures for a condition that it lists.
fn decides(policy: &Policy<'_>, number: usize, rule: &Rule, condition: Condition) -> bool {
    // Conditions of the pod never hold for a container.
    let can_hold = rule.container.is_none() || condition == Condition::OomKilled;
    let alone = Rule { conditions: vec![condition], ..rule.clone() };
    rule.conditions.contains(&condition)
        && can_hold
        && policy.can_retry(number)
        && policy.limit(Some(rule)) != Some(0)
        && policy.rules.coverage_of_other(&alone, number) == Coverage::Reached
}
