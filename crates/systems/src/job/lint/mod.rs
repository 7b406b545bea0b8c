//! Findings about a Job that is valid, and probably not what its author intended.
//!
//! A lint is a file of this folder, and a page under `docs/lints`. Most are computed over [`PodFacts`]: what a failed pod
//! may show, and the rules that match it.

pub(crate) mod budget;
mod charged_disruptions;
mod duplicate_values;
mod exit_code_range;
pub(crate) mod failures;
mod limits;
pub(crate) mod memory;
pub(crate) mod pod_facts;
mod redundant_rule;
mod restarts;
mod shadowed;
mod subject;
#[cfg(test)]
pub(crate) mod tests;
mod unlimited;
pub(crate) mod worst_case;

pub(crate) use subject::{FailedJob, OwningSet, Subject, container_names};

use crate::lint::report_shadowed;
use document::diag::Findings;
use pod_facts::PodFacts;

/// Adds the findings about a Job's spec, but for those about its worst case.
pub(crate) fn lint(subject: &Subject<'_>, findings: &mut Findings) {
    let rules = subject.policy.rules();
    let covered = |number| shadowed::covered(rules, number);
    report_shadowed(subject.document, subject.rule_nodes(), covered, findings);
    restarts::check(subject, findings);
    limits::check(subject, findings);
    exit_code_range::check(subject, findings);
    duplicate_values::check(subject, findings);
    if let Some(facts) = PodFacts::for_job(subject.policy, &subject.containers()) {
        if subject.set.is_none_or(|set| set.failed == FailedJob::Fails) {
            charged_disruptions::check(subject, &facts, findings);
        }
        unlimited::check(subject, &facts, findings);
        redundant_rule::check(subject, &facts, findings);
        memory::check(subject, &facts, findings);
    }
}
