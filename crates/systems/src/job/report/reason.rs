//! The reason of a decision, as a sentence and as a list of checks.
//!
//! `explain decision` shows every rule that was compared with a failed pod, and why it does not match.

use super::text::presumed_text;
use crate::Tried;
use crate::job::engine::JobEngine;
use crate::job::engine::decision::{Decision, DecisionCode, LimitUse};
use crate::job::engine::pod::{Pod, PodContainer};
use crate::job::engine::rule_match::{MatchSource, match_requirement};
use crate::job::engine::status::FailureReason;
use crate::job::manifest::{ExitCodes, Operator, PodRule, Requirement};
use document::diag::plural;
use replay::simulate::RuleLabel;

impl JobEngine {
    /// Returns the reason of a decision, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let name = self.manifest(decision).map_or("", |manifest| &manifest.name);
        let rule = match decision.matched {
            Some(matched) => {
                format!("{name} rule {} has action {}", matched.rule, matched.action.as_str())
            }
            None => "no rule matched".to_owned(),
        };
        let used = decision.used.map_or_else(String::new, used_text);
        match decision.code {
            DecisionCode::Retry => format!("{rule}; {used}"),
            DecisionCode::RetryIgnored => format!("{rule}: the pod is replaced and not counted"),
            DecisionCode::NotReplaced if !decision.pod_failed => {
                "the pod has no index of the Job: it is neither counted nor replaced".to_owned()
            }
            DecisionCode::NotReplaced => {
                format!("{rule}; {}, so that none is replaced", self.not_replaced(decision))
            }
            DecisionCode::FailIndex
                if decision.action() == "FailIndex" && decision.matched.is_some() =>
            {
                rule
            }
            DecisionCode::Fail(FailureReason::PodFailurePolicy) => rule,
            DecisionCode::FailIndex | DecisionCode::Fail(FailureReason::BackoffLimitExceeded) => {
                used
            }
            DecisionCode::Fail(FailureReason::DeadlineExceeded) => {
                "it was active for longer than activeDeadlineSeconds".to_owned()
            }
            DecisionCode::Fail(FailureReason::MaxFailedIndexesExceeded) => {
                let most = decision.used.map_or(0, |used| used.limit);
                let failed = plural(decision.failed_indexes, "failed index", "failed indexes");
                format!("maxFailedIndexes {most}: {failed}")
            }
            DecisionCode::Fail(FailureReason::FailedIndexes) => {
                let failed = plural(decision.failed_indexes, "index has", "indexes have");
                let presumed = presumed_text(decision.presumed);
                format!("all indexes are done, and {failed} failed{presumed}")
            }
        }
    }

    /// Returns why no pod is needed in the place of one that has failed.
    fn not_replaced(&self, decision: &Decision) -> &'static str {
        let policy = self.manifest(decision).map(|manifest| &manifest.policy);
        let by_policy = policy.is_some_and(|policy| !policy.success_rules.is_empty());
        let is_enough = policy.is_some_and(|policy| policy.completions.is_none());
        match (by_policy, is_enough && decision.has_success) {
            (true, _) => "the successPolicy is met",
            (false, true) => "a pod has succeeded",
            (false, false) => "as many pods run as the Job still requires",
        }
    }
}

fn used_text(used: LimitUse) -> String {
    let what = if used.restarts {
        plural(used.count, "restart", "restarts")
    } else {
        plural(used.count, "failed pod", "failed pods")
    };
    format!("{} {}: {what}", used.source, used.limit)
}

/// Compares every rule of a pod failure policy with a pod, in order, then the default. Rules behind the first
/// match are compared too.
pub fn trace(policy: &str, rules: &[PodRule], pod: &Pod<'_>) -> Vec<Tried> {
    let label = |index| RuleLabel::new(policy, index);
    let each = rules.iter().enumerate().map(|(index, rule)| {
        let (matched, why) = tried(rule, pod);
        Tried { rule: label(Some(index)), matched, why }
    });
    let mut tried: Vec<Tried> = each.collect();
    let matched = tried.iter().all(|tried| !tried.matched);
    let why = if matched { "no rule matches" } else { "a rule matches" };
    tried.push(Tried { rule: label(None), matched, why: why.to_owned() });
    tried
}

/// Returns whether a rule's requirement holds and its action is known; and by what, or why not.
fn tried(rule: &PodRule, pod: &Pod<'_>) -> (bool, String) {
    let matched = match_requirement(&rule.requirement, pod);
    let why = match (matched, &rule.requirement) {
        (Some(_), _) if rule.action.is_none() => {
            return (false, "its action is not known".to_owned());
        }
        (Some(MatchSource::Container(place)), _) => {
            pod.containers.get(place).map_or_else(String::new, ended_with)
        }
        (Some(MatchSource::Condition(place)), _) => pod
            .conditions
            .get(place)
            .map_or_else(String::new, |c| format!("{} is {}", c.kind, c.status.as_str())),
        (None, Requirement::ExitCodes(codes)) => no_container(codes, pod),
        (None, Requirement::Conditions(patterns)) => {
            let wanted = patterns.iter().map(|p| format!("{} is {}", p.kind, p.status.as_str()));
            format!("false: {}", wanted.collect::<Vec<_>>().join(", "))
        }
        (None, Requirement::Nothing) => "it has no requirement".to_owned(),
    };
    (matched.is_some(), why)
}

fn ended_with(container: &PodContainer) -> String {
    let code = container.exit_code.unwrap_or_default();
    match &*container.name {
        "" => format!("a container ended with {code}"),
        name => format!("{name} ended with {code}"),
    }
}

/// Describes why no container meets a requirement.
fn no_container(codes: &ExitCodes, pod: &Pod<'_>) -> String {
    let named = |c: &&PodContainer| codes.container.as_ref().is_none_or(|name| **name == *c.name);
    let ended = |c: &&PodContainer| c.exit_code.is_some_and(|code| code != 0);
    let failed: Vec<String> =
        pod.containers.iter().filter(named).filter(ended).map(ended_with).collect();
    match (codes.operator, &codes.container) {
        (None, _) => "its operator is not known".to_owned(),
        (_, Some(name)) if failed.is_empty() => format!("{name} did not fail"),
        _ if failed.is_empty() => "no container failed".to_owned(),
        (Some(Operator::In), _) => format!("{}: none of the values", failed.join(", ")),
        (Some(Operator::NotIn), _) => format!("{}: one of the values", failed.join(", ")),
    }
}
