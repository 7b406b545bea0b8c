//! The time that the restarts of a set last if each Job fails at once.

use super::failures::{Case, Failures};
use super::subject::{Subject, job_specs};
use crate::job::lint::Subject as JobSubject;
use crate::job::lint::budget::{describe_needs, disrupted_action, retries, wait};
use crate::job::lint::pod_facts::Cause;
use crate::job::lint::worst_case::{BACKOFF, waits};
use crate::job::{ConditionStatus, FailureReason, JobPolicy, PodAction};
use crate::jobset::manifest::Action;
use crate::lint::short_budget;
use crate::{Bounds, Budget};
use document::diag::Findings;
use replay::history::DISRUPTION_TARGET;

/// The end of a Job whose pods are disrupted one after the other.
struct DisruptedJob<'a> {
    /// The index of the replicated Job.
    job: usize,
    name: &'a str,
    /// The pods until the Job fails.
    pods: u32,
    /// The time from the last of them to the failure, in seconds: up to the deadline, if that fails the Job.
    rest: f64,
}

/// Adds the finding that the restarts of a set, with the retries of its Jobs, are used up before an outage ends. The Job
/// with the fewest retries decides.
pub(super) fn check(
    subject: &Subject<'_>,
    failures: &Failures<'_>,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    let Some(entry) = subject.field("maxRestarts") else { return };
    // A negative limit grants nothing, as 0.
    let restarts = u64::try_from(subject.policy.max_restarts).unwrap_or(0);
    let jobs = 0..subject.set.replicated_jobs.len();
    let charged = jobs.filter_map(|job| charged(subject, failures, job, bounds));
    let Some(job) = charged.min_by_key(|job| job.pods).filter(|_| restarts > 0) else { return };
    let pods = u64::from(job.pods);
    let remedy = remedy(subject, &job);
    let budget = Budget {
        // A restart of the set follows the last pod of each Job.
        retries: (restarts + 1).saturating_mul(pods) - 1,
        wait: &|number| match number % job.pods {
            0 => (job.rest, job.rest),
            in_job => wait(in_job),
        },
        scope: &format!(" of `{}`, in all restarts of the set,", job.name),
        assumption: "",
        remedy: &remedy,
        // Only all pods of a Job are a restart more.
        limit: &|retries| {
            let restarts = (u64::from(retries) + 1).div_ceil(pods) - 1;
            let is_within = (restarts + 1).saturating_mul(pods) <= bounds.attempts;
            is_within.then(|| format!("`maxRestarts: {restarts}`"))
        },
    };
    findings.extend(short_budget(subject.place(&entry.value), &budget, bounds));
}

fn remedy(subject: &Subject<'_>, job: &DisruptedJob<'_>) -> String {
    let spec = job_specs(subject.document).nth(job.job).flatten();
    let policy = &subject.set.replicated_jobs[job.job].job;
    let needs = spec.map_or(String::new(), |spec| {
        describe_needs(&JobSubject { document: subject.document, spec, policy, set: None })
    });
    format!(
        "{needs}restart for disruptions without counting: as the first rule of `{}` a FailJob on the condition \
         DisruptionTarget, and as the first of the set `{{action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: \
         [PodFailurePolicy], onJobFailureMessagePatterns: [\"condition DisruptionTarget\"]}}`",
        job.name
    )
}

/// Returns the end of a Job whose pods are disrupted, if the set then restarts, and counts it; `None` if disruptions use no
/// retries, the set fails, or the pods are more than the bound.
fn charged<'a>(
    subject: &Subject<'a>,
    failures: &Failures<'_>,
    job: usize,
    bounds: &Bounds,
) -> Option<DisruptedJob<'a>> {
    let replicated = &subject.set.replicated_jobs[job];
    let policy = &replicated.job;
    let (pods, rest) = match disrupted_action(policy) {
        Some(PodAction::FailIndex) => return None,
        // Only a deadline ends such a Job.
        Some(PodAction::Ignore) => {
            policy.active_deadline?;
            pods_until_failure(policy, u64::MAX, bounds)?
        }
        Some(PodAction::FailJob) => (1, 0.0),
        Some(PodAction::Count) | None => pods_until_failure(policy, retries(policy), bounds)?,
    };
    let is_end = |case: &&Case<'_>| {
        let reason = case.failure.reason;
        case.job == job
            && match disrupted_action(policy) {
                Some(PodAction::FailJob) => is_disruption_target(case),
                _ if rest > 0.0 => reason == FailureReason::DeadlineExceeded,
                _ => case.failure.cause.is_none() && reason != FailureReason::DeadlineExceeded,
            }
    };
    let mut ends = failures.cases.iter().filter(is_end).peekable();
    ends.peek()?;
    let is_counted = |case: &Case<'_>| {
        matches!(Failures::action(subject.policy, case), Action::RestartJobSet | Action::RestartJob)
    };
    ends.all(is_counted).then_some(DisruptedJob { job, name: &replicated.name, pods, rest })
}

fn is_disruption_target(case: &Case<'_>) -> bool {
    matches!(
        case.failure.cause.as_ref(),
        Some((_, Cause::Condition { kind: DISRUPTION_TARGET, status: ConditionStatus::True }))
    )
}

/// Returns the pods of which each is disrupted at once until the Job fails after `most` replacements or at its deadline, and
/// the time from the last of them to the failure; `None` if there are more than the bound.
fn pods_until_failure(policy: &JobPolicy, most: u64, bounds: &Bounds) -> Option<(u32, f64)> {
    let is_before = |number: &u64| {
        let wait = waits(&BACKOFF, *number);
        policy.active_deadline.is_none_or(|deadline| wait < deadline.as_secs_f64())
    };
    let replaced = (1..=most.min(bounds.attempts)).take_while(is_before).count();
    let replaced = u32::try_from(replaced).ok()?;
    let rest = match policy.active_deadline {
        Some(deadline) if u64::from(replaced) < most => {
            deadline.as_secs_f64() - waits(&BACKOFF, replaced.into())
        }
        _ => 0.0,
    };
    (u64::from(replaced) < bounds.attempts).then_some((replaced + 1, rest))
}
