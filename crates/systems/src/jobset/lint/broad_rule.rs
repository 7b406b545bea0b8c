//! Rules on the reason `PodFailurePolicy` that are for disruptions, and also take exit codes, or the opposite: the reason
//! is the same for every rule of `podFailurePolicy`.

use super::failures::{Case, Failures, codes};
use super::kinds::{free_restart, kills, kinds};
use super::subject::Subject;
use crate::job::lint::pod_facts::Cause;
use crate::jobset::manifest::{Action, Rule};
use document::diag::{Code, Diagnostic, Findings};
use std::collections::BTreeSet;

/// Adds a finding for each such rule.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    for (number, rule, node) in subject.rules() {
        let Some((disruptions, others)) = kinds(failures, number, rule) else { continue };
        // A rule that takes OOM kills alone for disruptions has another finding.
        if free_restart(rule.action).is_some() && kills(failures, number, rule).is_some() {
            continue;
        }
        let place = subject.place(node.get("onJobFailureReasons").unwrap_or(node));
        let others_text = failures.describe(others.iter().copied());
        let ends = if rule.action == Action::FailJobSet {
            let disruption = failures.describe(disruptions.iter().copied());
            format!("fails the set for {others_text} and also for {disruption}")
        } else {
            let restarted = if rule.action.restarts_one_job() { "the Job" } else { "the set" };
            format!(
                "is for disruptions and also takes {others_text}: it restarts {restarted} without a limit and without a wait"
            )
        };
        let message = format!(
            "rule {number} {ends}; the reason is `PodFailurePolicy` for every rule of podFailurePolicy"
        );
        let finding = Diagnostic::warning(Code::BroadRule, place, message);
        findings.push(finding.help(help(rule, &disruptions, &others)));
    }
}

/// The remedies: patterns by which the rule is for one of the two kinds, or a rule before it for the other.
fn help(rule: &Rule, disruptions: &[&Case<'_>], others: &[&Case<'_>]) -> String {
    let (disruptions, others) = (patterns(rule, disruptions), patterns(rule, others));
    let (own, before, action) = match rule.action {
        Action::FailJobSet => (others, disruptions, Action::RestartJobSetAndIgnoreMaxRestarts),
        _ => (disruptions, others, Action::FailJobSet),
    };
    let list = |patterns: &[String]| {
        let quoted: Vec<String> = patterns.iter().map(|it| format!("\"{it}\"")).collect();
        format!("onJobFailureMessagePatterns: [{}]", quoted.join(", "))
    };
    let targets = match rule.targets.as_slice() {
        [] => String::new(),
        targets => format!(", targetReplicatedJobs: [{}]", targets.join(", ")),
    };
    let written = own.map(|own| format!("write `{}`", list(&own)));
    let inserted = before.map(|before| {
        let (action, list) = (action.as_str(), list(&before));
        format!("put a rule before it: `{{action: {action}, {list}{targets}}}`")
    });
    let remedies: Vec<String> = written.into_iter().chain(inserted).collect();
    remedies.join(", or ")
}

/// Returns patterns that are found in the messages of failures, and in no others that a rule decides about; `None` if
/// they would be too long.
fn patterns(rule: &Rule, cases: &[&Case<'_>]) -> Option<Vec<String>> {
    /// The exit codes of one pattern.
    // More are all of the rule: those of `NotIn`.
    const MAX_CODES: usize = 8;
    let codes: BTreeSet<i32> =
        cases.iter().flat_map(|case| codes(&case.failure)).copied().collect();
    let listed: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let of_codes = match listed.as_slice() {
        [] => None,
        [one] => Some(format!("exit code {one} matching")),
        some if some.len() <= MAX_CODES => Some(format!("exit code ({}) matching", some.join("|"))),
        _ if rule.patterns.is_empty() => Some("failed with exit code".to_owned()),
        _ => return None,
    };
    let kinds: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| match case.failure.cause.as_ref()?.1 {
            Cause::Condition { kind, .. } => Some(kind),
            Cause::ExitCodes { .. } => None,
        })
        .collect();
    let of_kinds = kinds.into_iter().map(|kind| format!("condition {kind}"));
    Some(of_codes.into_iter().chain(of_kinds).collect())
}
