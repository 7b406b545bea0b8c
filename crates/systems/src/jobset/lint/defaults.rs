//! Defaults of the Jobs of a set whose effect is easily overlooked, and the limit that all pods of a Job share.

use super::subject::{Subject, job_specs};
use crate::job::lint::Subject as JobSubject;
use crate::job::lint::worst_case::most_runs;
use crate::job::manifest::{JobPolicy, RestartPolicy};
use crate::jobset::manifest::{JobSet, RestartStrategy};
use crate::lint::{surprising_default, time_text};
use document::Document;
use document::diag::{Code, Diagnostic, Findings, Severity, plural};

/// Adds a finding for each replicated Job that retries by the default of `backoffLimit`, before the set sees a failure.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let has_effect = subject.policy.can_restart() || !subject.policy.rules.is_empty();
    if !has_effect || subject.policy.restart_strategy == RestartStrategy::InPlaceRestart {
        return;
    }
    let jobs = subject.set.replicated_jobs.iter().zip(job_specs(subject.document));
    for (job, spec) in jobs {
        let Some(spec) = spec else { continue };
        let job_subject =
            JobSubject { document: subject.document, spec, policy: &job.job, set: None };
        let is_written = ["backoffLimit", "backoffLimitPerIndex"]
            .iter()
            .any(|field| job_subject.field(field).is_some());
        if is_written {
            continue;
        }
        let limit = job.job.backoff_limit;
        let Some(runs) = most_runs(&job.job).filter(|runs| runs.attempts > 1) else { continue };
        let retries = runs.attempts - 1;
        let effect = match job.job.restart_policy {
            RestartPolicy::Never => format!(
                "a Job of `{}` replaces {}, for {}, before the set restarts",
                job.name,
                plural(retries, "failed pod", "failed pods"),
                time_text(runs.wait)
            ),
            RestartPolicy::OnFailure => format!(
                "containers of `{}` restart {} in place before the set restarts",
                job.name,
                plural(retries, "time", "times")
            ),
        };
        let mut finding = surprising_default(
            job_subject.place(spec),
            ("backoffLimit", &limit.to_string()),
            &effect,
            "write `backoffLimit: 0` if the first failed pod is to restart the set, else the number",
        );
        finding.severity = Severity::Info;
        findings.push(finding);
    }
}

/// Adds a finding for each replicated Job whose pods run side by side and share a limit.
pub(super) fn check_shared(document: &Document, set: &JobSet, findings: &mut Findings) {
    for (job, spec) in set.replicated_jobs.iter().zip(job_specs(document)) {
        let Some(spec) = spec else { continue };
        let subject = JobSubject { document, spec, policy: &job.job, set: None };
        findings.extend(shared_limit(&subject));
    }
}

/// Returns the finding that the pods of a Job share its limit.
fn shared_limit(subject: &JobSubject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let entry = subject.field("backoffLimit")?;
    let pods = at_once(policy);
    let limit = policy.backoff_limit;
    // A limit of 0 is the same for each pod, and one of at least the number of pods was chosen for all.
    if !(1..pods).contains(&limit) || policy.backoff_limit_per_index.is_some() {
        return None;
    }
    let message = format!(
        "`backoffLimit: {limit}` is shared by all {pods} pods of the Job: {} failed pods in all fail it",
        u64::from(limit) + 1
    );
    let help = if policy.is_indexed() {
        "write `backoffLimitPerIndex` for a limit of each pod"
    } else {
        "raise it if each pod may fail so often"
    };
    Some(Diagnostic::info(Code::SurprisingDefault, subject.place(&entry.value), message).help(help))
}

/// Returns the number of pods that run side by side.
fn at_once(policy: &JobPolicy) -> u32 {
    // A Job never runs more pods than it needs.
    policy.completions.map_or(policy.parallelism, |it| it.min(policy.parallelism))
}
