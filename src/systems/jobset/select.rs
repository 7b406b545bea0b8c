//! Which rule decides, and by which failed Job (`failure_policy.go`).
//!
//! Rules are tried in order, each against all failed Jobs: the first rule that applies to any of
//! them wins, even if another Job failed earlier and a later rule applies to it. Among the Jobs it
//! applies to, the one that failed earliest is the one it goes by. The controller leaves ties to
//! the order of a cache; here the lesser name wins.

use super::model::Rule;
use super::rule::{FailedJob, mismatch};

/// A rule and the Job it goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The rule's index; `None` if none applies, and the default action is taken.
    pub rule: Option<usize>,
    /// The Job's place among those that failed.
    pub job: usize,
}

/// The rule that decides; `None` if no Job has failed.
pub fn select<'j>(
    rules: &[Rule],
    failed: impl Iterator<Item = FailedJob<'j>> + Clone,
) -> Option<Choice> {
    let by_rule = rules.iter().enumerate().find_map(|(index, rule)| {
        let applies = failed.clone().enumerate().filter(|(_, job)| mismatch(rule, job).is_none());
        first(applies).map(|job| Choice { rule: Some(index), job })
    });
    by_rule.or_else(|| earliest(failed).map(|job| Choice { rule: None, job }))
}

/// The place of the Job that failed earliest.
pub fn earliest<'j>(failed: impl Iterator<Item = FailedJob<'j>>) -> Option<usize> {
    first(failed.enumerate())
}

fn first<'j>(jobs: impl Iterator<Item = (usize, FailedJob<'j>)>) -> Option<usize> {
    jobs.min_by_key(|(_, job)| (job.failed_at, job.name)).map(|(place, _)| place)
}
