//! Restarts that count towards no limit, of failures that are no disruptions.

use super::broad_rule::kinds;
use super::failures::{Case, Failures};
use super::subject::Subject;
use crate::jobset::manifest::{Action, RestartStrategy};
use crate::lint::unlimited_retries;
use document::diag::{Diagnostic, Findings};

/// Restarts of a set begin as soon as the old Jobs are deleted.
const PACE: &str = " and without a wait";

/// Adds the findings.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    findings.extend(no_limit(subject, failures));
    for (number, rule, node) in subject.rules() {
        let restarted = match rule.action {
            Action::RestartJobSetAndIgnoreMaxRestarts => "the set",
            Action::RestartJobAndIgnoreMaxRestarts => "the failed Job",
            Action::FailJobSet | Action::RestartJobSet | Action::RestartJob => continue,
        };
        let own: Vec<&Case<'_>> =
            failures.reaching(number).filter(|case| case.is_own_failure()).collect();
        // A rule that is for disruptions too has another finding.
        if own.is_empty() || kinds(failures, number, rule).is_some() {
            continue;
        }
        let place = subject.place(node.get("action").unwrap_or(node));
        let restarted =
            format!("rule {number} restarts {restarted} for {}", failures.describe(&own));
        findings.push(unlimited_retries(place, &restarted, PACE).help(help(rule.action)));
    }
}

fn help(action: Action) -> String {
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
