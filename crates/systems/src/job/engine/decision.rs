//! The decision about a pod that has ended.
//!
//! Owns the ends of runs, and their effect on a Job and its members.

use super::pod::Pod;
use super::rule_match::RuleMatch;
use super::status::{Failure, FailureReason, Ruling};
use crate::job::manifest::PodAction;
use crate::job::record::PodFields;
use document::units::{GoDuration, Time};
use std::borrow::Cow;

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionCode {
    /// The pod is replaced, and counts towards the limit.
    Retry,
    /// The pod is replaced, and counts towards no limit.
    RetryIgnored,
    /// The pod is not replaced: the Job requires no other pod, or the pod has no index of an Indexed Job.
    NotReplaced,
    /// The pod's index fails.
    FailIndex,
    /// The Job fails.
    Fail(FailureReason),
}

impl DecisionCode {
    /// Returns the code as outputs show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::RetryIgnored => "retry_ignored",
            Self::NotReplaced => "not_replaced",
            Self::FailIndex => "fail_index",
            Self::Fail(FailureReason::PodFailurePolicy) => "fail_job",
            Self::Fail(FailureReason::BackoffLimitExceeded) => "fail_backoff_limit",
            Self::Fail(FailureReason::DeadlineExceeded) => "fail_deadline",
            Self::Fail(FailureReason::MaxFailedIndexesExceeded) => "fail_max_failed_indexes",
            Self::Fail(FailureReason::FailedIndexes) => "fail_indexes",
        }
    }

    /// Returns whether another pod replaces the one that ended.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry | Self::RetryIgnored)
    }
}

/// A limit, and the part of it that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitUse {
    /// Failed pods, or restarts, counted against the limit, after the decision.
    pub count: u32,
    pub limit: u32,
    /// The field of the limit.
    pub source: &'static str,
    /// Whether the count is one of restarts in place.
    pub restarts: bool,
}

/// A decision about one pod. It contains no text: names and messages are made on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    pub code: DecisionCode,
    /// The index of the manifest among the engine's.
    pub manifest: u32,
    /// The rule that matched the pod, if one did.
    pub matched: Option<RuleMatch>,
    /// Whether the decision is about a pod that failed; other decisions are about the Job, at a pod's record.
    pub pod_failed: bool,
    /// The limit that was compared; `None` for a deadline, and for the end of all indexes.
    pub used: Option<LimitUse>,
    /// `status.failed` after the decision.
    pub failed: u32,
    /// The number of ignored failed pods so far.
    pub ignored: u32,
    /// The number of failed indexes so far.
    pub failed_indexes: u32,
    /// The number of indexes without records, which are assumed to have succeeded.
    pub presumed: u32,
    /// The number of replaced pods so far.
    pub replaced: u32,
    /// Whether a pod has succeeded.
    pub has_success: bool,
    /// The delay of the replacement, if there is one.
    pub delay: Option<GoDuration>,
    /// The end of the delay, if it is known.
    pub not_before: Option<Time>,
}

impl Decision {
    /// Returns the system's name of the action: that of the matched rule, else the Job's default.
    pub fn action(&self) -> &'static str {
        match (self.matched, self.code) {
            (_, DecisionCode::Fail(reason)) if reason != FailureReason::PodFailurePolicy => {
                PodAction::FailJob.as_str()
            }
            (Some(matched), _) => matched.action.as_str(),
            (None, DecisionCode::Fail(_)) => PodAction::FailJob.as_str(),
            (None, DecisionCode::FailIndex) => PodAction::FailIndex.as_str(),
            (None, DecisionCode::NotReplaced) if !self.pod_failed => PodAction::Ignore.as_str(),
            (None, DecisionCode::NotReplaced) => PodAction::Count.as_str(),
            (None, DecisionCode::Retry | DecisionCode::RetryIgnored) => "Retry",
        }
    }

    /// Returns why the Job failed, if it did.
    pub fn failure(&self) -> Option<FailureReason> {
        match self.code {
            DecisionCode::Fail(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A run of a member that has ended, or whose containers were restarted in place.
#[derive(Debug, Clone, Copy)]
pub struct PodEnd<'r> {
    /// The index of the member among the Job's.
    pub member: usize,
    /// The fields of its record.
    pub fields: &'r PodFields,
    /// The time of the end, if it is known.
    pub at: Option<Time>,
}

/// How a Job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// Every recorded pod completed its work.
    Complete,
    /// The Job failed.
    Failed(Failure),
}

/// The effect on a member whose run ended, in a Job that continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The run continues.
    Running,
    /// The member succeeded.
    Succeeded,
    /// Another pod replaces it.
    Replaced {
        /// The delay.
        delay: GoDuration,
        /// The end of the delay, if it is known.
        not_before: Option<Time>,
        /// The member that the other pod belongs to.
        by: Successor,
    },
    /// The index has failed.
    IndexFailed,
    /// No pod replaces it: the Job requires no other pod, or it has no index of the Job.
    NotReplaced,
}

/// The member that the replacement of a pod belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Successor {
    /// The pod's own.
    Same,
    /// Another one, if it is recorded.
    Other(Option<usize>),
}

impl Ruling {
    /// Returns the message of the Job's failure, if this ruling's pod caused it.
    pub fn failure_message(
        &self,
        reason: FailureReason,
        pod: &Pod<'_>,
    ) -> Option<Cow<'static, str>> {
        // Only the message of a pod failure policy names the pod.
        let fixed = reason.message().map(Cow::Borrowed);
        let fails = self.matched.filter(|matched| matched.action == PodAction::FailJob);
        fixed.or_else(|| fails.map(|matched| crate::job::message(matched, pod).into()))
    }
}
