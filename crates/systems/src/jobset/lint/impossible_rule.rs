//! Rules for failures that the Jobs of the set cannot have.

use super::failures::{Case, Failures};
use super::shadowed::covered;
use super::subject::Subject;
use crate::job::FailureReason;
use crate::job::lint::failures::JobFailure;
use crate::job::lint::pod_facts::Cause;
use crate::jobset::manifest::{MessagePattern, Rule};
use document::diag::{Code, Diagnostic, Findings};
use document::pattern::{Difference, Pattern, common_text};
use std::collections::BTreeSet;

/// The number of comparisons of a pattern with a form of messages up to which a rule is examined.
const MAX_COMPARISONS: usize = 200;

/// Adds a finding for each such rule that no earlier one covers.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    let jobs: Vec<&str> = failures.jobs.iter().map(|job| &*job.name).collect();
    if jobs.is_empty() {
        return;
    }
    for (number, rule, node) in subject.rules() {
        let Some(why) = impossible(failures, number, rule) else { continue };
        if covered(&subject.policy.rules, &jobs, number).is_covered() {
            continue;
        }
        let (field, reason, help) = match why {
            Why::Reason(reason) => (
                "onJobFailureReasons",
                reason,
                "remove the rule, or make the failure possible".to_owned(),
            ),
            Why::Message(example) => (
                "onJobFailureMessagePatterns",
                "its patterns are found in no message of such a failure".to_owned(),
                format!("a message is `{example}`"),
            ),
        };
        let place = subject.place(node.get(field).unwrap_or(node));
        let message = format!("rule {number} matches no failure: {reason}");
        findings.push(Diagnostic::warning(Code::ImpossibleRule, place, message).help(help));
    }
}

/// The part of a rule that holds for no failure.
enum Why {
    Reason(String),
    /// The patterns; a message in which they are not found.
    Message(String),
}

/// Returns why a rule matches no failure; `None` if it may match one.
fn impossible(failures: &Failures<'_>, number: usize, rule: &Rule) -> Option<Why> {
    // A rule that decides about a failure matches it.
    if failures.reaching(number).next().is_some() {
        return None;
    }
    let is_target = |job: usize| {
        rule.targets.is_empty() || rule.targets.iter().any(|it| *it == failures.jobs[job].name)
    };
    let is_listed = |reason: FailureReason| {
        rule.reasons.is_empty() || rule.reasons.iter().any(|it| **it == *reason.as_str())
    };
    let cases: Vec<&Case<'_>> = failures
        .cases
        .iter()
        .filter(|case| is_target(case.job) && is_listed(case.failure.reason))
        .collect();
    let Some(example) = cases.first() else {
        let reason = FailureReason::ALL.iter().copied().find(|reason| is_listed(*reason))?;
        let job = (0..failures.jobs.len()).find(|job| is_target(*job))?;
        let why = failures.impossible(job, reason)?;
        let (name, reason) = (&failures.jobs[job].name, reason.as_str());
        return Some(Why::Reason(format!("a Job of `{name}` never fails for `{reason}`: {why}")));
    };
    let is_found = |case: &&Case<'_>| rule.patterns.iter().any(|it| it.is_match(&case.message));
    if rule.patterns.is_empty() || cases.iter().any(is_found) {
        return None;
    }
    // Other messages differ in the name of the pod, or in an exit code for which there is no case.
    let failures = failures.all.iter().filter(|(job, it)| is_target(*job) && is_listed(it.reason));
    // Most Jobs of a set have the same messages.
    let messages: BTreeSet<String> =
        failures.filter_map(|(_, failure)| messages(failure)).collect();
    let is_possible = may_match(&rule.patterns, &messages);
    (!is_possible).then(|| Why::Message(example.message.clone()))
}

/// Returns whether one of a rule's patterns may be found in a message of one of these forms.
fn may_match(patterns: &[MessagePattern], messages: &BTreeSet<String>) -> bool {
    let patterns = patterns.iter().filter_map(|pattern| Pattern::parse(pattern.as_str()).ok());
    let patterns: Vec<Pattern> = patterns.filter(|pattern| pattern.regex().is_ok()).collect();
    // More comparisons take seconds.
    if patterns.len().saturating_mul(messages.len()) > MAX_COMPARISONS {
        return true;
    }
    messages.iter().any(|messages| match Pattern::parse(messages) {
        Ok(messages) => {
            let is_common = |it: &Pattern| common_text(&[&messages, it]) != Difference::Empty;
            patterns.iter().any(is_common)
        }
        Err(_) => true,
    })
}

/// Returns a pattern of all messages of a failure that names a pod (`pkg/controller/job/pod_failure_policy.go`).
fn messages(failure: &JobFailure<'_>) -> Option<String> {
    /// Codes that no process of Linux ends with.
    const OTHER_CODES: &str = "-[0-9]+|25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|[0-9]{4,}";
    const NAME: &str = "[a-z0-9][-a-z0-9.]*/[a-z0-9][-a-z0-9.]*";
    let (rule, cause) = failure.cause.as_ref()?;
    let what = match cause {
        Cause::ExitCodes { container, codes, has_others } => {
            let mut codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
            if *has_others {
                codes.push(OTHER_CODES.to_owned());
            }
            let (container, codes) = (regex_syntax::escape(container), codes.join("|"));
            format!("Container {container} for pod {NAME} failed with exit code ({codes})")
        }
        Cause::Condition { kind, .. } => {
            format!("Pod {NAME} has condition {}", regex_syntax::escape(kind))
        }
    };
    Some(format!("^{what} matching FailJob rule at index {rule}$"))
}
