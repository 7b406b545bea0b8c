//! The time that the restarts of a set last if each Job fails at once.

use super::failures::{Case, Failures};
use super::subject::Subject;
use super::worst_case::most_restarts;
use crate::job::lint::budget::{ignores_disruptions, retries, wait};
use crate::job::{JobPolicy, PodAction};
use crate::jobset::manifest::Action;
use crate::lint::short_budget;
use crate::{Bounds, Budget};
use document::diag::Findings;

/// Adds the finding that the restarts of a set, with the retries of its Jobs, are used up before an outage ends. The Job
/// with the fewest retries decides.
pub(super) fn check(
    subject: &Subject<'_>,
    failures: &Failures<'_>,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    let Some(entry) = subject.field("maxRestarts") else { return };
    let charged = subject.set.replicated_jobs.iter().enumerate().filter(|(number, job)| {
        !is_free(subject, failures, *number) && !has_free_retries(&job.job)
    });
    let Some((number, job)) = charged.min_by_key(|(_, job)| retries(&job.job)) else { return };
    let (restarts, retries) = (most_restarts(subject, failures, number), retries(&job.job));
    let Some(attempts) = retries.checked_add(1).filter(|it| *it <= bounds.attempts) else { return };
    let of_job = u32::try_from(attempts).unwrap_or(u32::MAX);
    let budget = Budget {
        // A restart of the set follows the last retry of each Job.
        retries: if restarts == 0 { 0 } else { (restarts + 1).saturating_mul(attempts) - 1 },
        wait: &|number| if number % of_job == 0 { (0.0, 0.0) } else { wait(number % of_job) },
        scope: &format!(" of `{}`, in all restarts of the set,", job.name),
        assumption: "",
        remedy: "restart for disruptions without counting: a FailJob rule on the condition DisruptionTarget, and a rule of \
                 the set on its message",
    };
    findings.extend(short_budget(subject.place(&entry.value), &budget, bounds));
}

/// Returns whether pods that are disrupted use none of a Job's retries; if they fail the Job, the set decides.
fn has_free_retries(policy: &JobPolicy) -> bool {
    let fails = policy.rules().iter().any(|rule| rule.action == Some(PodAction::FailJob));
    ignores_disruptions(policy) && !fails
}

/// Returns whether a disruption of a Job uses no restart of the set: it restarts the set without counting, or fails it.
fn is_free(subject: &Subject<'_>, failures: &Failures<'_>, job: usize) -> bool {
    let of_job = |case: &&Case<'_>| case.job == job;
    let mut cases = failures.cases.iter().filter(of_job);
    cases.any(|case| {
        case.failure.is_disruption()
            && matches!(
                Failures::action(subject.policy, case),
                Action::FailJobSet
                    | Action::RestartJobSetAndIgnoreMaxRestarts
                    | Action::RestartJobAndIgnoreMaxRestarts
            )
    })
}
