//! Rules on the reason `PodFailurePolicy` that are for disruptions, and also take exit codes, or the opposite: the reason
//! is the same for every rule of `podFailurePolicy`.

use super::failures::{Case, Failures};
use super::subject::Subject;
use crate::job::FailureReason;
use crate::job::lint::pod_facts::Cause;
use crate::jobset::manifest::{Action, Rule};
use document::diag::{Code, Diagnostic, Findings};

/// Adds a finding for each such rule.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    for (number, rule, node) in subject.rules() {
        let Some((disruptions, others)) = kinds(failures, number, rule) else { continue };
        let place = subject.place(node.get("onJobFailureReasons").unwrap_or(node));
        let others_text = failures.describe(&others);
        let ends = if rule.action == Action::FailJobSet {
            let disruption = failures.describe(&disruptions);
            format!("fails the set for {others_text} and also for {disruption}")
        } else {
            let restarted = if rule.action.restarts_one_job() { "the Job" } else { "the set" };
            format!(
                "is for disruptions and also takes {others_text}: it restarts {restarted} without a limit and without a wait"
            )
        };
        let message = format!(
            "rule {number} {ends}; the reason is `PodFailurePolicy` for every rule of podFailurePolicy"
        );
        let finding = Diagnostic::warning(Code::BroadRule, place, message);
        findings.push(finding.help(help(rule, &disruptions, &others)));
    }
}

/// Returns the disruptions that a rule on the reason decides about, and the other failures by rules of `podFailurePolicy`;
/// `None` if these do not differ, or the rule is for other reasons too.
pub(super) fn kinds<'c, 'a>(
    failures: &'c Failures<'a>,
    number: usize,
    rule: &Rule,
) -> Option<(Vec<&'c Case<'a>>, Vec<&'c Case<'a>>)> {
    // A restart that counts is what happens without a rule too.
    let has_effect = !matches!(rule.action, Action::RestartJobSet | Action::RestartJob);
    let reaching: Vec<&Case<'_>> = failures.reaching(number).collect();
    let is_by_rule = |case: &&Case<'_>| case.failure.reason == FailureReason::PodFailurePolicy;
    if !has_effect || rule.reasons.is_empty() || !reaching.iter().all(is_by_rule) {
        return None;
    }
    let (disruptions, others): (Vec<_>, Vec<_>) =
        reaching.into_iter().partition(|case| case.failure.is_disruption());
    (!disruptions.is_empty() && !others.is_empty()).then_some((disruptions, others))
}

fn help(rule: &Rule, disruptions: &[&Case<'_>], others: &[&Case<'_>]) -> String {
    let condition = match disruptions.first().and_then(|case| case.failure.cause.as_ref()) {
        Some((_, Cause::Condition { kind, .. })) => format!("condition {kind}"),
        _ => String::new(),
    };
    let other = match others.first().and_then(|case| case.failure.cause.as_ref()) {
        Some((_, Cause::ExitCodes { codes, .. })) => {
            format!("exit code {} matching", codes.first().copied().unwrap_or_default())
        }
        Some((_, Cause::Condition { kind, .. })) => format!("condition {kind}"),
        None => String::new(),
    };
    if rule.action == Action::FailJobSet {
        return format!(
            "add `onJobFailureMessagePatterns: [\"{other}\"]`, or put a rule for `\"{condition}\"` before it"
        );
    }
    format!(
        "add `onJobFailureMessagePatterns: [\"{condition}\"]`, or put a rule before it: `{{action: FailJobSet, \
         onJobFailureMessagePatterns: [\"{other}\"]}}`"
    )
}
