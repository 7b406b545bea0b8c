//! Limits under which nothing is restarted, and limits that limit nothing.

use super::failures::Failures;
use super::subject::Subject;
use crate::jobset::manifest::Action;
use crate::lint::{HUGE_LIMIT, huge_limit};
use document::Node;
use document::diag::{Code, Diagnostic, Findings};

/// Adds the findings.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    findings.extend(no_restart(subject, failures));
    findings.extend(huge(subject));
}

/// Returns the finding that a rule's restart is never granted.
fn no_restart(subject: &Subject<'_>, failures: &Failures<'_>) -> Option<Diagnostic> {
    if subject.policy.max_restarts > 0 {
        return None;
    }
    let mut restarts = subject.rules().filter(|(number, rule, _)| {
        matches!(rule.action, Action::RestartJobSet | Action::RestartJob)
            && failures.reaching(*number).next().is_some()
    });
    let (number, rule, node) = restarts.next()?;
    let action: &Node = node.get("action").unwrap_or(node);
    let written = subject.field("maxRestarts");
    let (limit, place) = match written {
        Some(entry) => (subject.policy.max_restarts.to_string(), subject.place(&entry.value)),
        None => ("0, its default".to_owned(), subject.place(action)),
    };
    let action_name = rule.action.as_str();
    let message =
        format!("`{action_name}` of rule {number} is never granted: `maxRestarts` is {limit}");
    let mut finding = Diagnostic::warning(Code::ZeroLimit, place, message);
    if written.is_some() {
        finding = finding.also(subject.place(action), "this restart is never granted");
    }
    Some(finding.help("write the number of restarts, or `action: FailJobSet`"))
}

/// Returns the finding that the set ends after so many restarts that this is no limit. The largest number is another
/// finding.
fn huge(subject: &Subject<'_>) -> Option<Diagnostic> {
    let limit = u64::try_from(subject.policy.max_restarts).ok()?;
    if limit < HUGE_LIMIT || subject.policy.max_restarts == i32::MAX {
        return None;
    }
    let value = &subject.field("maxRestarts")?.value;
    Some(huge_limit(subject.place(value), limit, "a set that always fails runs for days"))
}
