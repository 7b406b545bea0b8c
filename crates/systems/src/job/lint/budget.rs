//! The time that the retries of a Job last if each pod fails at once.

use super::pod_facts::PodFacts;
use super::subject::Subject;
use super::worst_case::BACKOFF;
use crate::job::manifest::{ConditionStatus, JobPolicy, PodAction, RestartPolicy};
use crate::lint::{retries_text, short_budget};
use crate::{Bounds, Budget};
use document::Entry;
use document::diag::Findings;
use replay::history::DISRUPTION_TARGET;

/// Adds the finding that the retries of a Job by itself are used up before an outage ends.
pub(crate) fn check(subject: &Subject<'_>, bounds: &Bounds, findings: &mut Findings) {
    // A Job with a deadline before the end of the outage is not meant to outlast it.
    let is_short = subject.policy.active_deadline.is_some_and(|deadline| deadline < bounds.outage);
    if is_short || ignores_disruptions(subject.policy) {
        return;
    }
    let Some(entry) = limit_entry(subject) else { return };
    let per_index = subject.policy.backoff_limit_per_index.filter(|_| subject.policy.is_indexed());
    let is_per_index = entry.key == "backoffLimitPerIndex";
    let remedy =
        format!("{}ignore pods with the condition DisruptionTarget", describe_needs(subject));
    let budget = Budget {
        retries: retries(subject.policy),
        wait: &wait,
        scope: &format!(" of `{}`", entry.key),
        assumption: "",
        remedy: &remedy,
        // A limit per index above the one of all indexes limits nothing, and one of all above that of an index neither.
        limit: &|retries| {
            let is_reached = if is_per_index {
                retries < subject.policy.backoff_limit
            } else {
                per_index.is_none_or(|per_index| retries <= per_index)
            };
            retries_text(retries).filter(|_| is_reached)
        },
    };
    findings.extend(short_budget(subject.place(&entry.value), &budget, bounds));
}

/// Returns the entry of the limit that the failures of one pod reach first.
fn limit_entry<'a>(subject: &Subject<'a>) -> Option<&'a Entry> {
    let policy = subject.policy;
    let total = subject.field("backoffLimit");
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    match per_index {
        Some(limit) if total.is_none() || limit < policy.backoff_limit => {
            subject.field("backoffLimitPerIndex")
        }
        _ => total,
    }
}

/// Returns the changes that a `podFailurePolicy` needs in a Job, as the start of a remedy: the API server refuses it beside
/// other policies.
pub(crate) fn describe_needs(subject: &Subject<'_>) -> String {
    let mut changes = Vec::new();
    if subject.policy.restart_policy == RestartPolicy::OnFailure {
        changes.push("`restartPolicy: Never`");
    }
    let replacement = subject.field("podReplacementPolicy").and_then(|entry| entry.value.text());
    if replacement.is_some_and(|policy| policy != "Failed") {
        changes.push("`podReplacementPolicy: Failed`");
    }
    if changes.is_empty() {
        String::new()
    } else {
        format!("write {}, and ", changes.join(" and "))
    }
}

/// Returns the failed pods that are replaced.
pub(crate) fn retries(policy: &JobPolicy) -> u64 {
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    // The Job's limit counts the failures of all indexes, and may be the lower one.
    u64::from(per_index.map_or(policy.backoff_limit, |it| it.min(policy.backoff_limit)))
}

/// Returns the wait before a replacement, by its number from 1.
pub(crate) fn wait(number: u32) -> (f64, f64) {
    let wait = BACKOFF.delay(number).as_secs_f64();
    (wait, wait)
}

/// Returns whether pods that are disrupted use no retry, or end the Job at once.
fn ignores_disruptions(policy: &JobPolicy) -> bool {
    matches!(
        disrupted_action(policy),
        Some(PodAction::Ignore | PodAction::FailJob | PodAction::FailIndex)
    )
}

/// Returns the action of the first rule that matches a pod for its disruption; `None` if there is none.
pub(crate) fn disrupted_action(policy: &JobPolicy) -> Option<PodAction> {
    let facts = PodFacts::new(policy.rules(), &[])?;
    let rule = facts.matching_condition(DISRUPTION_TARGET, ConditionStatus::True)?;
    policy.rules().get(rule)?.action
}
