//! Whether a rule applies to a failed Job (`failure_policy.go`, `ruleIsApplicable`), and why not.

use super::model::Rule;

/// A child Job that has failed, as rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedJob<'a> {
    /// The Job's name, which breaks ties.
    pub name: &'a str,
    /// The replicated Job that its label names; empty if it has no such label.
    pub replicated_job: &'a str,
    /// Its index among the Jobs of its replicated Job, as its label has it.
    pub job_index: Option<u32>,
    /// The reason of its `Failed` condition.
    pub reason: &'a str,
    /// The message of its `Failed` condition. May be left empty if no rule reads messages.
    pub message: &'a str,
    /// When it failed, in whole seconds: Kubernetes' times have no finer.
    pub failed_at: i64,
}

/// Why a rule does not apply to a failed Job: the first part that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The reason is not one of `onJobFailureReasons`.
    Reason,
    /// No pattern of `onJobFailureMessagePatterns` is found in the message.
    Message,
    /// The Job does not say which replicated Job it is of, so that no rule applies to it.
    NoReplicatedJob,
    /// Its replicated Job is not one of `targetReplicatedJobs`.
    Target,
}

/// Why a rule does not apply to a failed Job; `None` if it does.
pub fn mismatch(rule: &Rule, job: &FailedJob<'_>) -> Option<Mismatch> {
    let listed = |list: &[Box<str>], text: &str| {
        list.is_empty() || list.iter().any(|listed| **listed == *text)
    };
    if !listed(&rule.reasons, job.reason) {
        return Some(Mismatch::Reason);
    }
    let found = || rule.patterns.iter().any(|pattern| pattern.is_match(job.message));
    if !rule.patterns.is_empty() && !found() {
        return Some(Mismatch::Message);
    }
    if job.replicated_job.is_empty() {
        return Some(Mismatch::NoReplicatedJob);
    }
    (!listed(&rule.targets, job.replicated_job)).then_some(Mismatch::Target)
}

impl Mismatch {
    /// A sentence about it, naming what the Job has.
    pub fn why(self, job: &FailedJob<'_>) -> String {
        match self {
            Self::Reason => {
                format!("reason `{}` is not one of onJobFailureReasons", job.reason)
            }
            Self::Message if job.message.is_empty() => {
                "no message, and onJobFailureMessagePatterns wants one".to_owned()
            }
            Self::Message => "no pattern of onJobFailureMessagePatterns is found".to_owned(),
            Self::NoReplicatedJob => {
                format!("`{}` names no replicated Job, so no rule applies to it", job.name)
            }
            Self::Target => {
                format!("`{}` is not one of targetReplicatedJobs", job.replicated_job)
            }
        }
    }
}
