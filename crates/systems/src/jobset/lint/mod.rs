//! Findings about a JobSet, and the Jobs that it creates, that is valid and probably not what its author intended.
//!
//! A lint is a file of this folder, and a page under `docs/lints`. Most are computed over [`Failures`]: the failures that
//! the Jobs can have, and the rules that apply to them.

mod broad_rule;
mod budget;
mod defaults;
mod duplicate_values;
mod failures;
mod impossible_rule;
mod kinds;
mod limits;
mod memory;
mod redundant_rule;
mod shadowed;
mod subject;
#[cfg(test)]
pub(super) mod tests;
mod unlimited;
mod worst_case;

use super::manifest::{Action, FailurePolicy, JobSet, RestartStrategy};
use crate::Bounds;
use crate::job::FailureReason;
use crate::job::lint::{self, FailedJob, OwningSet};
use crate::lint::report_shadowed;
use document::diag::Findings;
use document::{Document, Node};
use failures::Failures;
use subject::{Subject, job_specs, rule_nodes};

/// Adds the findings about a JobSet.
pub(super) fn lint(document: &Document, set: &JobSet, bounds: &Bounds, findings: &mut Findings) {
    for (spec, job) in job_specs(document).zip(&set.replicated_jobs) {
        let Some(spec) = spec else { continue };
        let owner = Some(owning_set(set, &job.name));
        lint::lint(&lint::Subject { document, spec, policy: &job.job, set: owner }, findings);
    }
    defaults::check_shared(document, set, findings);
    worst_case::check_without_restarts(document, set, bounds, findings);
    let Some(policy) = &set.failure_policy else { return };
    let subject = Subject { document, set, policy };
    let jobs: Vec<&str> = set.replicated_jobs.iter().map(|job| &*job.name).collect();
    let covered = |number| shadowed::covered(&policy.rules, &jobs, number);
    report_shadowed(document, rule_nodes(document), covered, findings);
    duplicate_values::check(&subject, findings);
    defaults::check(&subject, findings);
    let specs: Vec<Option<&Node>> = job_specs(document).collect();
    let Some(failures) = Failures::new(set, policy, &specs) else { return };
    impossible_rule::check(&subject, &failures, findings);
    broad_rule::check(&subject, &failures, findings);
    unlimited::check(&subject, &failures, findings);
    memory::check(&subject, &failures, findings);
    limits::check(&subject, &failures, findings);
    redundant_rule::check(&subject, &failures, findings);
    worst_case::check(&subject, &failures, bounds, findings);
    budget::check(&subject, &failures, bounds, findings);
}

fn owning_set(set: &JobSet, replicated_job: &str) -> OwningSet {
    let policy = set.failure_policy.as_ref();
    OwningSet {
        failed: effect(set, replicated_job),
        reads_messages: policy.is_some_and(FailurePolicy::reads_messages),
        restarts_in_place: policy
            .is_some_and(|policy| policy.restart_strategy == RestartStrategy::InPlaceRestart),
    }
}

/// Returns the effect on the set of a Job that a rule of its `podFailurePolicy` fails.
fn effect(set: &JobSet, replicated_job: &str) -> FailedJob {
    let accepts = |list: &[Box<str>], name: &str| {
        list.is_empty() || list.iter().any(|listed| **listed == *name)
    };
    let Some(policy) = &set.failure_policy else { return FailedJob::Fails };
    let mut rules = policy.rules.iter().filter(|rule| {
        accepts(&rule.reasons, FailureReason::PodFailurePolicy.as_str())
            && accepts(&rule.targets, replicated_job)
    });
    match rules.next() {
        Some(rule) if rule.action == Action::FailJobSet => FailedJob::Fails,
        _ => FailedJob::Restarts,
    }
}
