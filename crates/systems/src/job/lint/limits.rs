//! Limits under which nothing is restarted, and limits that limit nothing.

use super::subject::Subject;
use super::unlimited::NO_LIMIT;
use super::worst_case::{BACKOFF, waits};
use crate::job::manifest::{PodAction, RestartPolicy};
use crate::lint::{HUGE_LIMIT, correction, huge_limit};
use document::Entry;
use document::diag::{Code, Diagnostic, Findings, plural};

/// With more completions than this, `maxFailedIndexes` is required.
const MANY_COMPLETIONS: u32 = 100_000;

/// Adds the findings.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    findings.extend(no_restart(subject));
    findings.extend(huge(subject));
    findings.extend(failed_indexes(subject));
    findings.extend(index_limit(subject));
}

/// Returns the finding that the first restart of a container ends the Job: restarts are compared with `>=`.
fn no_restart(subject: &Subject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let entry = subject.field("backoffLimit")?;
    if policy.restart_policy != RestartPolicy::OnFailure || policy.backoff_limit != 1 {
        return None;
    }
    let message = "`backoffLimit: 1` grants no restart: with restartPolicy OnFailure, the first restart of a container \
                   fails the Job";
    let finding = Diagnostic::warning(Code::ZeroLimit, subject.place(&entry.value), message);
    Some(finding.help("write 2 for one restart, or `restartPolicy: Never` for one replacement"))
}

/// Returns the finding that a limit ends the Job after days. A limit that is none is another finding, and so is a limit
/// beside a deadline.
fn huge(subject: &Subject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    if policy.active_deadline.is_some() {
        return None;
    }
    let total = policy.backoff_limit;
    let (field, limit) = match policy.backoff_limit_per_index.filter(|_| policy.is_indexed()) {
        Some(limit) if limit < total => ("backoffLimitPerIndex", limit),
        Some(_) | None => ("backoffLimit", total),
    };
    if u64::from(limit) < HUGE_LIMIT || limit >= NO_LIMIT {
        return None;
    }
    let entry = subject.field(field)?;
    let days = waits(&BACKOFF, u64::from(limit)) / (24.0 * 60.0 * 60.0);
    let end = match policy.restart_policy {
        RestartPolicy::Never => format!("the waits before it take {days:.0} days"),
        RestartPolicy::OnFailure => {
            "a container that always fails is restarted for days".to_owned()
        }
    };
    Some(huge_limit(subject.place(&entry.value), limit.into(), &end))
}

/// Returns the finding that as many indexes may fail as there are.
fn failed_indexes(subject: &Subject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let entry = subject.field("maxFailedIndexes")?;
    let indexes = policy.indexes();
    if policy.max_failed_indexes? < indexes || !policy.is_indexed() {
        return None;
    }
    let indexes_text = plural(indexes, "index", "indexes");
    let message = format!(
        "`maxFailedIndexes: {indexes}` limits nothing: the Job has {indexes_text}, and fails once more have failed"
    );
    let finding = Diagnostic::warning(Code::HugeLimit, subject.place(&entry.value), message);
    // The API server requires the field with more completions, so that removing it would make the Job invalid.
    let is_optional = indexes <= MANY_COMPLETIONS;
    let fix = is_optional.then(|| removal(subject, entry)).flatten();
    Some(finding.help("lower it, or leave it out").fixed_by(fix))
}

fn removal(subject: &Subject<'_>, entry: &Entry) -> Option<document::diag::Fix> {
    correction(subject.document, "remove `maxFailedIndexes`", |layout| layout.remove_entry(entry))
}

/// Returns the finding that the Job fails before an index can: the failures of all indexes count towards `backoffLimit`.
fn index_limit(subject: &Subject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed())?;
    let (entry, total) = (subject.field("backoffLimitPerIndex")?, subject.field("backoffLimit")?);
    // The action FailIndex needs the field, and its indexes fail at once.
    let has_fail_index =
        policy.rules().iter().any(|rule| rule.action == Some(PodAction::FailIndex));
    if per_index < policy.backoff_limit || has_fail_index {
        return None;
    }
    let failures = u64::from(policy.backoff_limit) + 1;
    let message = format!(
        "`backoffLimitPerIndex: {per_index}` limits nothing: the failed pods of all indexes count towards `backoffLimit`, \
         and number {failures} fails the Job"
    );
    Some(
        Diagnostic::warning(Code::HugeLimit, subject.place(&entry.value), message)
            .also(subject.place(&total.value), "the limit of all indexes together")
            .help("raise `backoffLimit` above it, or leave `backoffLimit` out"),
    )
}
