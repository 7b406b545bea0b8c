//! Restarts that count towards no limit, of failures that are no disruptions.

use super::failures::{Case, Failures, codes};
use super::kinds::{free_restart, kinds};
use super::subject::Subject;
use crate::job::lint::memory::is_of_signal;
use crate::jobset::manifest::{Action, RestartStrategy};
use crate::lint::unlimited_retries;
use document::diag::{Diagnostic, Findings, Severity};

/// Restarts of a set begin as soon as the old Jobs are deleted.
const PACE: &str = " and without a wait";

/// Adds the findings.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    findings.extend(no_limit(subject, failures));
    for (number, rule, node) in subject.rules() {
        let Some(restarted) = free_restart(rule.action) else { continue };
        let own: Vec<&Case<'_>> =
            failures.reaching(number).filter(|case| case.is_own_failure()).collect();
        // OOM kills have another finding, and so has a rule that is for disruptions too.
        let (_, own) = failures.divide_kills(&own);
        if own.is_empty() || kinds(failures, number, rule).is_some() {
            continue;
        }
        let place = subject.place(node.get("action").unwrap_or(node));
        let restarted =
            format!("rule {number} restarts {restarted} for {}", failures.describe(&own));
        let finding = unlimited_retries(place, &restarted, PACE).help(counted_help(rule.action));
        // A signal ends the containers of disrupted pods. That of a program's own failure is rare.
        let is_of_signals = own.iter().all(|case| {
            let codes = codes(&case.failure);
            !codes.is_empty() && codes.iter().all(|code| is_of_signal(*code))
        });
        let severity = if is_of_signals { Severity::Info } else { Severity::Warning };
        findings.push(Diagnostic { severity, ..finding });
    }
}

/// Returns the remedy of a restart that does not count.
pub(super) fn counted_help(action: Action) -> String {
    let counted = match action {
        Action::RestartJobAndIgnoreMaxRestarts => Action::RestartJob,
        _ => Action::RestartJobSet,
    };
    format!(
        "write `{}`, which counts; for disruptions, give the Jobs a FailJob rule on the condition DisruptionTarget, and \
         this rule `onJobFailureReasons: [PodFailurePolicy]` and `onJobFailureMessagePatterns: [\"condition \
         DisruptionTarget\"]`",
        counted.as_str()
    )
}

impl Case<'_> {
    /// Returns whether the failure may be a Job's own. The meaning of conditions of other kinds is not known.
    pub(super) fn is_own_failure(&self) -> bool {
        self.failure.cause.as_ref().is_none_or(|(_, cause)| cause.is_own_failure())
    }
}

/// Returns the finding that `maxRestarts` is the largest number of its type, which is no limit.
fn no_limit(subject: &Subject<'_>, failures: &Failures<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let is_counted = |case: &Case<'_>| {
        matches!(Failures::action(policy, case), Action::RestartJobSet | Action::RestartJob)
    };
    let restarts_in_place = policy.restart_strategy == RestartStrategy::InPlaceRestart;
    if policy.max_restarts < i32::MAX
        || !(restarts_in_place || failures.cases.iter().any(is_counted))
    {
        return None;
    }
    let value = &subject.field("maxRestarts")?.value;
    let finding = unlimited_retries(subject.place(value), "failed Jobs restart the set", PACE);
    Some(finding.help("write the number of restarts that may help"))
}
