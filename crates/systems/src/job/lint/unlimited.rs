//! Failures that count towards no limit, so that their pods are replaced as long as they fail.

use super::memory::{ignores_kills, is_of_signal};
use super::pod_facts::{Cause, PodFacts, codes_text};
use super::subject::Subject;
use crate::job::engine::replacement::JobOptions;
use crate::job::manifest::{PodAction, RestartPolicy};
use crate::lint::unlimited_retries;
use document::diag::{Diagnostic, Findings, Severity};
use std::collections::BTreeSet;

/// The limit that is none: the largest of the field's type, and its default beside `backoffLimitPerIndex`.
pub(super) const NO_LIMIT: u32 = i32::MAX as u32;

/// Adds the findings. A deadline ends such a Job.
pub(super) fn check(subject: &Subject<'_>, facts: &PodFacts<'_>, findings: &mut Findings) {
    if subject.policy.active_deadline.is_some() {
        return;
    }
    findings.extend(no_limit(subject));
    for (number, rule, node) in subject.rules() {
        if rule.action != Some(PodAction::Ignore) {
            continue;
        }
        let ignores_kills = ignores_kills(rule, facts, number);
        if let Some(own) = own_failures(facts, number, ignores_kills) {
            let place = subject.place(node.get("action").unwrap_or(node));
            let replaced = format!("`Ignore` replaces {}", own.pods);
            let finding = unlimited_retries(place, &replaced, &pace());
            let finding = Diagnostic { severity: own.severity, ..finding };
            findings.push(finding.help(
                "write `Count`, so that a limit applies, or set activeDeadlineSeconds; for disruptions, ignore \
                 `onPodConditions: [{type: DisruptionTarget}]` only",
            ));
        }
    }
}

/// The pods that a rule is the first to match and that may fail for reasons of their own.
struct OwnFailures {
    /// The pods, for texts.
    pods: String,
    severity: Severity,
}

/// Returns such pods; `None` if there are none. If the rule `ignores_kills`, pods that were killed are left out: they
/// have a finding of their own.
fn own_failures(facts: &PodFacts<'_>, rule: usize, ignores_kills: bool) -> Option<OwnFailures> {
    let own = || facts.reaching(rule).filter(|fact| fact.cause.is_own_failure());
    let codes: BTreeSet<i32> = own()
        .filter_map(|fact| match &fact.cause {
            Cause::ExitCodes { codes, .. } => Some(codes),
            Cause::Condition { .. } => None,
        })
        .flatten()
        .copied()
        .filter(|code| !(ignores_kills && is_of_signal(*code)))
        .collect();
    if !codes.is_empty() {
        // A signal ends the containers of disrupted pods. That of a program's own failure is rare.
        let is_of_signals = codes.iter().all(|code| is_of_signal(*code));
        let severity = if is_of_signals { Severity::Info } else { Severity::Warning };
        let codes: Vec<i32> = codes.into_iter().collect();
        return Some(OwnFailures {
            pods: format!("a pod that ends with {}", codes_text(&codes)),
            severity,
        });
    }
    own().find_map(|fact| match &fact.cause {
        Cause::Condition { kind, status } => {
            let status = status.as_str();
            let pods = format!("every failed pod, which has the condition `{kind}` {status},");
            Some(OwnFailures { pods, severity: Severity::Warning })
        }
        Cause::ExitCodes { .. } => None,
    })
}

fn pace() -> String {
    format!(", after at most {} each time", JobOptions::default().backoff_cap)
}

/// Returns the finding that no limit ends the Job, whatever the rules.
fn no_limit(subject: &Subject<'_>) -> Option<Diagnostic> {
    let policy = subject.policy;
    let restarts_in_place = subject.set.is_some_and(|set| set.restarts_in_place);
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
    let has_limit = per_index.unwrap_or(policy.backoff_limit) < NO_LIMIT;
    if has_limit || policy.backoff_limit < NO_LIMIT || restarts_in_place {
        return None;
    }
    let field = if per_index.is_some() { "backoffLimitPerIndex" } else { "backoffLimit" };
    let value = &subject.field(field)?.value;
    let (restarted, pace) = match policy.restart_policy {
        RestartPolicy::Never => ("failed pods are replaced", pace()),
        RestartPolicy::OnFailure => ("containers that fail are restarted", String::new()),
    };
    let finding = unlimited_retries(subject.place(value), restarted, &pace);
    Some(finding.help("write the number of failures to survive, or set activeDeadlineSeconds"))
}
