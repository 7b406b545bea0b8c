//! The worst case of the work of one pod: the runs of its Job, times those of the set.

use super::failures::Failures;
use super::subject::{Subject, job_specs};
use crate::job::lint::worst_case::{Runs, most_runs};
use crate::jobset::manifest::{Action, JobSet, ReplicatedJob};
use crate::lint::HUGE_LIMIT;
use crate::{Bounds, WorstCase};
use document::diag::{Findings, Place, plural};
use document::{Document, Node};

/// Adds a finding for each replicated Job of a set without a failure policy whose worst case is beyond the bounds.
pub(super) fn check_without_restarts(
    document: &Document,
    set: &JobSet,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    if set.failure_policy.is_some() {
        return;
    }
    for (job, spec) in set.replicated_jobs.iter().zip(job_specs(document)) {
        report(document, (job, spec), (0, None), bounds, findings);
    }
}

/// Adds a finding for each replicated Job whose worst case is beyond the bounds.
pub(super) fn check(
    subject: &Subject<'_>,
    failures: &Failures<'_>,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    let place = subject.field("maxRestarts").map(|entry| subject.place(&entry.value));
    for (number, spec) in job_specs(subject.document).enumerate() {
        let Some(job) = subject.set.replicated_jobs.get(number) else { continue };
        let restarts = most_restarts(subject, failures, number);
        // More restarts have another finding.
        if restarts < HUGE_LIMIT {
            let restarts = (restarts, place.clone());
            report(subject.document, (job, spec), restarts, bounds, findings);
        }
    }
}

/// Returns the restarts of a Job that count, at most.
pub(super) fn most_restarts(subject: &Subject<'_>, failures: &Failures<'_>, job: usize) -> u64 {
    let restarts = |case: &_| match Failures::action(subject.policy, case) {
        Action::RestartJobSet => true,
        Action::RestartJob => case.job == job,
        _ => false,
    };
    let limit = u64::try_from(subject.policy.max_restarts).unwrap_or(0);
    if failures.cases.iter().any(restarts) { limit } else { 0 }
}

/// Returns the runs of a pod's work, at most, in a set with some restarts.
pub(super) fn runs_in_set(job: &ReplicatedJob, restarts: u64) -> Option<Runs> {
    let runs = most_runs(&job.job)?;
    #[expect(clippy::cast_precision_loss, reason = "restarts are below 2^32")]
    let times = (restarts + 1) as f64;
    Some(Runs { attempts: runs.attempts * (restarts + 1), wait: runs.wait * times })
}

fn report(
    document: &Document,
    (job, spec): (&ReplicatedJob, Option<&Node>),
    (restarts, place): (u64, Option<Place>),
    bounds: &Bounds,
    findings: &mut Findings,
) {
    let Some((runs, spec)) = runs_in_set(job, restarts).zip(spec) else { return };
    let worst = WorstCase { attempts: runs.attempts, wait: runs.wait, memory_factor: 1.0 };
    let source = document.source.text();
    let limit = spec.get("backoffLimitPerIndex").or_else(|| spec.get("backoffLimit"));
    let head = limit.unwrap_or(spec).span.first_line(source);
    let restarts =
        place.map(|place| (place, format!("up to {}", plural(restarts, "restart", "restarts"))));
    let subject = format!("a pod of `{}`", job.name);
    let causes = [restarts.clone(), restarts, None];
    findings.extend(worst.finding(bounds, (document.place(head), &subject), causes, ""));
}
