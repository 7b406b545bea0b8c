//! The time that the retries of a Job last if each pod fails at once.

use super::pod_facts::PodFacts;
use super::subject::Subject;
use super::worst_case::BACKOFF;
use crate::job::manifest::{ConditionStatus, JobPolicy, PodAction, RestartPolicy};
use crate::lint::short_budget;
use crate::{Bounds, Budget};
use document::diag::Findings;
use replay::history::DISRUPTION_TARGET;

/// Adds the finding that the retries of a Job by itself are used up before an outage ends.
pub(crate) fn check(subject: &Subject<'_>, bounds: &Bounds, findings: &mut Findings) {
    // A Job with a deadline before the end of the outage is not meant to outlast it.
    let is_short = subject.policy.active_deadline.is_some_and(|deadline| deadline < bounds.outage);
    if is_short || ignores_disruptions(subject.policy) {
        return;
    }
    let per_index = subject.field("backoffLimitPerIndex").filter(|_| subject.policy.is_indexed());
    let Some(entry) = per_index.or_else(|| subject.field("backoffLimit")) else { return };
    let budget = Budget {
        retries: retries(subject.policy),
        wait: &wait,
        scope: &format!(" of `{}`", entry.key),
        assumption: "",
        remedy: match subject.policy.restart_policy {
            RestartPolicy::Never => "ignore pods with the condition DisruptionTarget",
            // The API server refuses a podFailurePolicy beside OnFailure.
            RestartPolicy::OnFailure => {
                "write `restartPolicy: Never`, and ignore pods with the condition DisruptionTarget"
            }
        },
    };
    findings.extend(short_budget(subject.place(&entry.value), &budget, bounds));
}

/// Returns the failed pods that are replaced.
pub(crate) fn retries(policy: &JobPolicy) -> u64 {
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    u64::from(per_index.map_or(policy.backoff_limit, |it| it.min(policy.backoff_limit)))
}

/// Returns the wait before a replacement, by its number from 1.
pub(crate) fn wait(number: u32) -> (f64, f64) {
    let wait = BACKOFF.delay(number).as_secs_f64();
    (wait, wait)
}

/// Returns whether pods that are disrupted use no retry, or end the Job at once.
pub(crate) fn ignores_disruptions(policy: &JobPolicy) -> bool {
    let Some(facts) = PodFacts::new(policy.rules(), &[]) else { return false };
    let disrupted = facts.matching_condition(DISRUPTION_TARGET, ConditionStatus::True);
    let action = disrupted.and_then(|rule| policy.rules().get(rule)?.action);
    matches!(action, Some(PodAction::Ignore | PodAction::FailJob | PodAction::FailIndex))
}
