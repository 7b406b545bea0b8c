//! Rules without which their pods would be decided the same.

use super::pod_facts::PodFacts;
use super::subject::Subject;
use crate::job::manifest::{JobPolicy, PodAction};
use document::diag::{Code, Diagnostic, Findings};

/// The effect of a rule on a pod, without the rule's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    FailJob,
    FailIndex,
    Ignore,
    Count,
}

/// Adds a finding for each such rule. Where a set reads messages, which name the rule's number, every rule changes
/// something.
pub(super) fn check(subject: &Subject<'_>, facts: &PodFacts<'_>, findings: &mut Findings) {
    if subject.set.is_some_and(|set| set.reads_messages) {
        return;
    }
    for (number, _, node) in subject.rules() {
        let Some(instead) = redundant(subject.policy, facts, number) else { continue };
        let instead = match instead {
            Instead::Rule(rule) => format!("rule {rule} has the same effect on its pods"),
            Instead::Default => "its pods count by default".to_owned(),
        };
        let message = format!("rule {number} changes no action: without it, {instead}");
        // No warning, as such a rule may be there to document what it does.
        let finding = Diagnostic::info(Code::RedundantRule, subject.place(node), message);
        findings.push(finding.help("keep it if it is to document these failures, else remove it"));
    }
}

/// The part of a policy that decides in place of a rule that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// The rule with this number.
    Rule(usize),
    /// The default: pods count.
    Default,
}

/// Returns the rule that decides without a rule that changes no action, or the default; `None` if the rule changes one, or
/// never decides.
pub(super) fn redundant(
    policy: &JobPolicy,
    facts: &PodFacts<'_>,
    number: usize,
) -> Option<Instead> {
    let rules = policy.rules();
    let effect_of = |rule: Option<usize>| {
        let action = rule.and_then(|rule| rules.get(rule)).and_then(|rule| rule.action);
        effect(policy, action)
    };
    let effect = effect_of(Some(number));
    let next = facts.next_rules(number);
    let is_same = next.iter().all(|next| effect_of(*next) == effect);
    // The default is the first in order; a rule in its place is worth a mention.
    let last = next.last().copied().filter(|_| is_same)?;
    Some(last.map_or(Instead::Default, Instead::Rule))
}

fn effect(policy: &JobPolicy, action: Option<PodAction>) -> Effect {
    match action {
        Some(PodAction::FailJob) => Effect::FailJob,
        // An index that survives no failure fails by each that counts.
        Some(PodAction::FailIndex) if policy.backoff_limit_per_index != Some(0) => {
            Effect::FailIndex
        }
        Some(PodAction::Ignore) => Effect::Ignore,
        Some(PodAction::FailIndex | PodAction::Count) | None => Effect::Count,
    }
}
