//! The decision about a pod that has ended.
//!
//! Owns the ends of runs, and their effect on a Job and its members.

use super::pod::Pod;
use super::rule_match::RuleMatch;
use super::status::{Failure, FailureReason, Ruling};
use crate::systems::job::manifest::PodAction;
use crate::systems::job::record::PodFields;
use crate::units::{GoDuration, Time};
use std::borrow::Cow;

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionCode {
    /// The pod is replaced, and counts.
    Retry,
    /// The pod is replaced, and counts towards no limit.
    RetryIgnored,
    /// The pod is not replaced: another's success is enough, or it has no index of an Indexed Job.
    NotReplaced,
    /// The pod's index fails.
    FailIndex,
    /// The Job fails.
    Fail(FailureReason),
}

impl DecisionCode {
    /// The code as outputs show it.
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

    /// Whether another pod takes the place of the one that ended.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry | Self::RetryIgnored)
    }
}

/// A limit, and how much of it has been used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitUse {
    /// Failed pods, or restarts, counted against the limit, after the decision.
    pub count: u32,
    /// The limit.
    pub limit: u32,
    /// Its field.
    pub source: &'static str,
    /// Whether the count is of restarts in place.
    pub restarts: bool,
}

/// A decision about one pod. It holds no text: names and messages are made on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The code.
    pub code: DecisionCode,
    /// The manifest, among the engine's.
    pub manifest: u32,
    /// The rule that matched the pod, where one did.
    pub matched: Option<RuleMatch>,
    /// Whether it is about a pod that failed; others are about the Job, at a pod's record.
    pub pod_failed: bool,
    /// The limit that was consulted; a deadline is none, nor is that all indexes are done.
    pub used: Option<LimitUse>,
    /// `status.failed` after the decision.
    pub failed: u32,
    /// Failed pods ignored so far.
    pub ignored: u32,
    /// Indexes failed so far.
    pub failed_indexes: u32,
    /// Indexes taken to have succeeded because nothing of them is on record.
    pub presumed: u32,
    /// Pods replaced so far.
    pub replaced: u32,
    /// How long the replacement waits, where there is one.
    pub delay: Option<GoDuration>,
    /// When the wait is over, if that is known.
    pub not_before: Option<Time>,
}

impl Decision {
    /// The system's own name: the matched rule's action, else the Job's default.
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

    /// Why the Job failed, if it did.
    pub fn failure(&self) -> Option<FailureReason> {
        match self.code {
            DecisionCode::Fail(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A run of a member that has ended, or whose containers have been restarted in place.
#[derive(Debug, Clone, Copy)]
pub struct PodEnd<'r> {
    /// Which of the Job's members it is of.
    pub member: usize,
    /// The fields of its record.
    pub fields: &'r PodFields,
    /// When it ended, if that is known.
    pub at: Option<Time>,
}

/// How a Job is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// Every pod on record did its work.
    Complete,
    /// It failed.
    Failed(Failure),
}

/// The effect on a member whose run ended, in a Job that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Its run goes on.
    Running,
    /// It succeeded.
    Succeeded,
    /// Another pod takes its place.
    Replaced {
        /// The wait.
        delay: GoDuration,
        /// When the wait is over, if that is known.
        not_before: Option<Time>,
    },
    /// Its index has failed.
    IndexFailed,
    /// No pod takes its place: another's success is enough, or it has no index of the Job.
    NotReplaced,
}

impl Ruling {
    /// The message of the Job's failure, if the pod that was ruled on brought it about.
    pub fn failure_message(
        &self,
        reason: FailureReason,
        pod: &Pod<'_>,
    ) -> Option<Cow<'static, str>> {
        let fixed = reason.message().map(Cow::Borrowed);
        let fails = self.matched.filter(|matched| matched.action == PodAction::FailJob);
        fixed.or_else(|| fails.map(|matched| crate::systems::job::message(matched, pod).into()))
    }
}
