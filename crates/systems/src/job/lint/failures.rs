//! The failures that a Job's manifest can lead to: reasons, and what their messages name.

use super::pod_facts::{Cause, PodFacts};
use crate::job::engine::status::FailureReason;
use crate::job::manifest::{JobPolicy, PodAction};

/// A failure of a Job.
#[derive(Debug, Clone)]
pub(crate) struct JobFailure<'p> {
    pub(crate) reason: FailureReason,
    /// The rule that fails the Job and what it matches, if one does.
    pub(crate) cause: Option<(usize, Cause<'p>)>,
}

impl JobFailure<'_> {
    /// Returns whether the failure is a disruption's.
    pub(crate) fn is_disruption(&self) -> bool {
        self.cause.as_ref().is_some_and(|(_, cause)| cause.is_disruption())
    }
}

/// Returns the failures that a Job can have: one for each reason, and for each fact by which a rule fails it.
pub(crate) fn possible_failures<'p>(
    policy: &JobPolicy,
    facts: &PodFacts<'p>,
) -> Vec<JobFailure<'p>> {
    let mut failures = Vec::new();
    for (number, rule) in policy.rules().iter().enumerate() {
        if rule.action == Some(PodAction::FailJob) {
            failures.extend(facts.reaching(number).map(|fact| JobFailure {
                reason: FailureReason::PodFailurePolicy,
                cause: Some((number, fact.cause.clone())),
            }));
        }
    }
    let others = [
        FailureReason::BackoffLimitExceeded,
        FailureReason::DeadlineExceeded,
        FailureReason::MaxFailedIndexesExceeded,
        FailureReason::FailedIndexes,
    ];
    let others = others.into_iter().filter(|reason| impossible(policy, facts, *reason).is_none());
    failures.extend(others.map(|reason| JobFailure { reason, cause: None }));
    failures
}

/// Returns the most counted failures of a Job with a limit per index. The one by which more than `maxFailedIndexes` indexes have failed
/// is the last, since the Job then fails.
fn most_failures(policy: &JobPolicy, indexes: u64, per_index: u64) -> u64 {
    // Each index uses up its limit, and those that fail have one failure more.
    let all = indexes.saturating_mul(per_index + 1);
    let failed = policy.max_failed_indexes.map(u64::from).filter(|failed| *failed < indexes);
    failed.map_or(all, |failed| {
        indexes.saturating_mul(per_index).saturating_add(failed).saturating_add(1)
    })
}

/// Returns why a Job cannot fail for a reason; `None` if it can.
pub(crate) fn impossible(
    policy: &JobPolicy,
    facts: &PodFacts<'_>,
    reason: FailureReason,
) -> Option<&'static str> {
    let indexes = u64::from(policy.indexes());
    let per_index = policy.backoff_limit_per_index.filter(|_| policy.is_indexed()).map(u64::from);
    let limit = u64::from(policy.backoff_limit);
    let has_rule = |action| {
        let rules = policy.rules().iter().enumerate();
        let mut rules = rules.filter(|(_, rule)| rule.action == Some(action));
        rules.any(|(number, _)| facts.reaching(number).next().is_some())
    };
    // The counted failures by which an index fails at least.
    let least = match per_index {
        Some(_) if has_rule(PodAction::FailIndex) => 1,
        Some(limit) => limit + 1,
        None => 0,
    };
    match (reason, per_index) {
        (FailureReason::PodFailurePolicy, _) => {
            let is_written = policy.rules().iter().any(|it| it.action == Some(PodAction::FailJob));
            (!has_rule(PodAction::FailJob)).then_some(if is_written {
                "its FailJob rules never decide"
            } else {
                "no rule of podFailurePolicy is a FailJob"
            })
        }
        (FailureReason::BackoffLimitExceeded, per_index) => {
            let most = per_index.map(|per_index| most_failures(policy, indexes, per_index));
            most.filter(|most| *most <= limit)
                .map(|_| "backoffLimitPerIndex ends all indexes before")
        }
        (FailureReason::DeadlineExceeded, _) => {
            policy.active_deadline.is_none().then_some("activeDeadlineSeconds is not set")
        }
        (FailureReason::FailedIndexes | FailureReason::MaxFailedIndexesExceeded, None) => {
            Some("backoffLimitPerIndex is not set")
        }
        (FailureReason::FailedIndexes, Some(_)) => {
            // The first index that fails exceeds 0, before all indexes have ended.
            if policy.max_failed_indexes == Some(0) {
                return Some("maxFailedIndexes is 0, which makes it MaxFailedIndexesExceeded");
            }
            (least > limit).then_some("backoffLimit fails the Job before an index fails")
        }
        (FailureReason::MaxFailedIndexesExceeded, Some(_)) => {
            impossible_by_failed_indexes(policy, indexes, least)
        }
    }
}

/// Returns why a Job cannot exceed `maxFailedIndexes`. An index fails by `least` counted failures at least.
fn impossible_by_failed_indexes(
    policy: &JobPolicy,
    indexes: u64,
    least: u64,
) -> Option<&'static str> {
    let Some(most) = policy.max_failed_indexes.map(u64::from) else {
        return Some("maxFailedIndexes is not set");
    };
    // More than all indexes cannot fail.
    if most >= indexes {
        return Some("maxFailedIndexes is the number of indexes");
    }
    ((most + 1).saturating_mul(least) > u64::from(policy.backoff_limit))
        .then_some("backoffLimit fails the Job before so many indexes fail")
}
