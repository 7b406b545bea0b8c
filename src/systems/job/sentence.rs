//! Why a decision was made, as a sentence that a person understands.

use super::decision::{Decision, DecisionCode};
use super::engine::JobEngine;
use super::status::FailureReason;
use super::words::{plural, plural_of, presumed};

impl JobEngine {
    /// Why it was decided so, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let name = self.manifest(decision).map_or("", |manifest| &manifest.name);
        let rule = match decision.matched {
            Some(matched) => {
                format!("{name} rule {} says {}", matched.rule, matched.action.as_str())
            }
            None => "no rule matched".to_owned(),
        };
        let used = decision.used.map_or_else(String::new, |used| {
            let what = if used.restarts {
                plural(used.count, "restart")
            } else {
                plural(used.count, "failed pod")
            };
            format!("{} {}: {what}", used.source, used.limit)
        });
        match decision.code {
            DecisionCode::Retry => format!("{rule}; {used}"),
            DecisionCode::RetryIgnored => format!("{rule}: the pod is replaced and not counted"),
            DecisionCode::NotReplaced if !decision.pod_failed => {
                "the pod has no index of the Job: it is neither counted nor replaced".to_owned()
            }
            DecisionCode::NotReplaced => {
                let policy = self.manifest(decision).map(|manifest| &manifest.policy);
                let by_policy = policy.is_some_and(|policy| !policy.success_rules.is_empty());
                let what =
                    if by_policy { "the successPolicy is met" } else { "a pod has succeeded" };
                format!("{rule}; {what}, so that none is replaced")
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
                let failed = plural_of(decision.failed_indexes, "failed index", "failed indexes");
                format!("maxFailedIndexes {most}: {failed}")
            }
            DecisionCode::Fail(FailureReason::FailedIndexes) => {
                let failed = plural_of(decision.failed_indexes, "index has", "indexes have");
                let presumed = presumed(decision.presumed);
                format!("all indexes are done, and {failed} failed{presumed}")
            }
        }
    }
}
