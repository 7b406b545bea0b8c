//! The evaluation of a failure policy over the Jobs that have failed (`failure_policy.go`,
//! `executeFailurePolicy` and `ruleIsApplicable`).
//!
//! Owns the match of a rule with a failed Job, and the choice of the rule and of the Job that it is based on.
//!
//! Rules are tried in order, each against all failed Jobs: the first rule that applies to any of them
//! decides, even if another Job failed earlier and a later rule applies to it. Among the Jobs that the rule
//! applies to, it is based on the one that failed earliest. The controller leaves ties to the order of a
//! cache; here the alphabetically first name is used.

use super::counters::{Counted, Counters};
use crate::jobset::manifest::{Action, FailurePolicy, FeatureGates, ReplicatedJob, Rule};
use document::names;

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluated {
    /// The rule's index; `None` if none applies.
    pub rule: Option<usize>,
    /// The index of the Job that the decision is based on, among the failed ones.
    pub job: usize,
    /// The action; `None` without a failure policy.
    pub action: Option<Action>,
    /// The effect of the action.
    pub applied: Applied,
}

/// The effect of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The set has failed.
    Failed(Terminal),
    /// The whole set restarts.
    SetRestarted,
    /// Only the Job that the decision is based on restarts. Other failed Jobs get an evaluation of their own.
    JobRestarted,
    /// The controller fails to act, and fails again at every retry; nothing has changed.
    Stuck(ReconcileError),
}

names! {
    /// The reason of a failed JobSet (`pkg/constants/constants.go`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Terminal {
        /// The set has no failure policy.
        FailedJobs = "FailedJobs",
        /// A rule with the action `FailJobSet` applied.
        FailJobSetFailurePolicyAction = "FailJobSetFailurePolicyAction",
        /// A restart would exceed `maxRestarts`.
        ReachedMaxRestarts = "ReachedMaxRestarts",
    }
}

/// Why the controller cannot apply a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReconcileError {
    /// The gate `RestartJob` is off; it was on when the JobSet was admitted.
    #[error("the feature gate RestartJob is off")]
    GateOff,
    /// The Job's label does not name a replicated Job of the set.
    #[error("the Job names no replicated Job of the set")]
    NoReplicatedJob,
    /// The Job has no index.
    #[error("the Job has no index")]
    NoIndex,
    /// The Job's index is not below `replicas`.
    #[error("the Job's index is not below its replicated Job's replicas")]
    IndexOutOfRange,
}

/// Evaluates a failure policy over all Jobs of the present generation that have failed, and updates the
/// counters. `None` if no Job has failed.
pub fn evaluate<'j>(
    policy: Option<&FailurePolicy>,
    replicated_jobs: &[ReplicatedJob],
    gates: FeatureGates,
    failed: impl Iterator<Item = FailedJob<'j>> + Clone,
    counters: &mut Counters,
) -> Option<Evaluated> {
    let Some(policy) = policy else {
        let job = earliest(failed)?;
        let applied = Applied::Failed(Terminal::FailedJobs);
        return Some(Evaluated { rule: None, job, action: None, applied });
    };
    let Choice { rule, job } = select(&policy.rules, failed.clone())?;
    // Without a rule the set restarts, the default of a failure policy.
    let rule_action = rule.and_then(|index| policy.rules.get(index)).map(|rule| rule.action);
    let action = rule_action.unwrap_or(Action::RestartJobSet);
    let matched = failed.clone().nth(job)?;
    let budget = Budget { max_restarts: policy.max_restarts, gates, replicated_jobs };
    let applied = budget.apply(action, &matched, counters);
    Some(Evaluated { rule, job, action: Some(action), applied })
}

/// The limits of restarts.
struct Budget<'p> {
    max_restarts: i32,
    gates: FeatureGates,
    replicated_jobs: &'p [ReplicatedJob],
}

impl Budget<'_> {
    fn apply(&self, action: Action, job: &FailedJob<'_>, counters: &mut Counters) -> Applied {
        let reached = Applied::Failed(Terminal::ReachedMaxRestarts);
        match action {
            Action::FailJobSet => Applied::Failed(Terminal::FailJobSetFailurePolicyAction),
            // Compared before the count rises: N restarts are granted, and the next one fails the set.
            Action::RestartJobSet if self.is_spent(counters) => reached,
            Action::RestartJobSet => {
                counters.restart_set(Counted::Yes);
                Applied::SetRestarted
            }
            Action::RestartJobSetAndIgnoreMaxRestarts => {
                counters.restart_set(Counted::No);
                Applied::SetRestarted
            }
            Action::RestartJob | Action::RestartJobAndIgnoreMaxRestarts
                if !self.gates.restart_job =>
            {
                Applied::Stuck(ReconcileError::GateOff)
            }
            Action::RestartJob if self.is_spent(counters) => reached,
            Action::RestartJob => self.restart_job(job, Counted::Yes, counters),
            Action::RestartJobAndIgnoreMaxRestarts => self.restart_job(job, Counted::No, counters),
        }
    }

    /// Returns whether no restart is left. A restart is granted while the count is below `maxRestarts`: N
    /// restarts are N+1 runs.
    fn is_spent(&self, counters: &Counters) -> bool {
        let counted = counters.counted(self.gates.restart_job);
        i128::from(counted) >= i128::from(self.max_restarts)
    }

    fn restart_job(
        &self,
        job: &FailedJob<'_>,
        counted: Counted,
        counters: &mut Counters,
    ) -> Applied {
        let mut named = self.replicated_jobs.iter();
        let Some(replicated_job) = named.position(|named| *named.name == *job.replicated_job)
        else {
            return Applied::Stuck(ReconcileError::NoReplicatedJob);
        };
        let Some(index) = job.job_index else { return Applied::Stuck(ReconcileError::NoIndex) };
        let replicas = self.replicated_jobs.get(replicated_job).map_or(0, |named| named.replicas);
        // A record may have an index of an older set with more replicas.
        if index >= replicas {
            return Applied::Stuck(ReconcileError::IndexOutOfRange);
        }
        counters.restart_job(replicated_job, index as usize, counted);
        Applied::JobRestarted
    }
}

/// The values of a failed child Job that rules match on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedJob<'a> {
    /// The Job's name, which decides ties.
    pub name: &'a str,
    /// The replicated Job that its label names; empty if it has no such label.
    pub replicated_job: &'a str,
    /// The Job's index among those of its replicated Job, from its label.
    pub job_index: Option<u32>,
    /// The reason of its `Failed` condition.
    pub reason: &'a str,
    /// The message of its `Failed` condition. May be empty if no rule reads messages.
    pub message: &'a str,
    /// The time of its failure in whole seconds: Kubernetes' times are not finer.
    pub failed_at: i64,
}

/// The first part of a rule that does not hold for a failed Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The reason is not one of `onJobFailureReasons`.
    Reason,
    /// No pattern of `onJobFailureMessagePatterns` is found in the message.
    Message,
    /// The Job has no replicated Job, so no rule applies to it.
    NoReplicatedJob,
    /// The Job's replicated Job is not one of `targetReplicatedJobs`.
    Target,
}

/// Returns why a rule does not apply to a failed Job; `None` if it does.
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
    // JobSet reads the label of the Job, and an absent one is in no list.
    if job.replicated_job.is_empty() {
        return Some(Mismatch::NoReplicatedJob);
    }
    (!listed(&rule.targets, job.replicated_job)).then_some(Mismatch::Target)
}

impl Mismatch {
    /// Describes the mismatch with the Job's values.
    pub fn why(self, job: &FailedJob<'_>) -> String {
        match self {
            Self::Reason => {
                format!("reason `{}` is not one of onJobFailureReasons", job.reason)
            }
            Self::Message if job.message.is_empty() => {
                "the Job's failure has no message, and onJobFailureMessagePatterns requires one"
                    .to_owned()
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

/// A rule and the Job that it is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The rule's index; `None` if none applies and the default action is used.
    pub rule: Option<usize>,
    /// The Job's index among the failed ones.
    pub job: usize,
}

/// Returns the rule that decides; `None` if no Job has failed.
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

/// Returns the index of the Job that failed earliest.
pub fn earliest<'j>(failed: impl Iterator<Item = FailedJob<'j>>) -> Option<usize> {
    first(failed.enumerate())
}

fn first<'j>(jobs: impl Iterator<Item = (usize, FailedJob<'j>)>) -> Option<usize> {
    jobs.min_by_key(|(_, job)| (job.failed_at, job.name)).map(|(place, _)| place)
}
