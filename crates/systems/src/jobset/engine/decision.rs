//! A decision about a JobSet or a pod of one of its Jobs: numbers and codes, without text.

use super::failure_policy::{ReconcileError, Terminal};
use crate::job::{FailureReason, PodAction};
use crate::jobset::manifest::Action;
use document::units::{GoDuration, Time};

/// The code of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetCode {
    /// The set restarts, and the restart counts.
    RestartJobset,
    /// The set restarts; the restart does not count.
    RestartJobsetIgnored,
    /// A Job restarts, and the restart counts.
    RestartJob,
    /// A Job restarts; the restart does not count.
    RestartJobIgnored,
    /// A rule fails the set.
    FailRule,
    /// A restart would exceed `maxRestarts`.
    FailMaxRestarts,
    /// The set has no failure policy.
    FailNoPolicy,
    /// Pods were restarted in place too often.
    FailInPlaceLimit,
    /// The controller cannot apply the rule, and nothing changes.
    ReconcileError,
    /// The pod is replaced, and counts towards its Job's limit.
    Retry,
    /// The pod is replaced, and does not count.
    RetryIgnored,
    /// The pod's index fails.
    FailIndex,
    /// The pod, or the deadline, fails its Job.
    FailJob(FailureReason),
}

#[derive(Debug, Clone, Copy)]
pub struct SetDecision {
    pub code: SetCode,
    /// The rule that decided, by its index in its policy.
    pub rule: Option<u32>,
    /// The action of the rule.
    pub rule_action: RuleAction,
    /// The index of the manifest.
    pub manifest: usize,
    /// The index of the Job that it concerns or is based on, among the set's Jobs.
    pub child: usize,
    /// The index of the Job's replicated Job in the manifest.
    pub replicated_job: Option<usize>,
    /// The count after the decision, and the limit, if one was compared.
    pub used: Option<(u32, u32)>,
    /// `restarts` and `restartsCountTowardsMax` of the set, or failed and ignored pods of the Job.
    pub counts: (u32, u32),
    /// The number of the Job's failed indexes, if the decision is about a Job.
    pub failed_indexes: u32,
    /// The number of other failed Jobs that restart with that one.
    pub others: u32,
    /// The delay and earliest time of the next run, if there is one.
    pub grant: Option<(GoDuration, Option<Time>)>,
    /// The reason of the Job's failure, if it was derived and not recorded.
    pub failure: Option<FailureReason>,
    /// The Job's deadline, if it failed by that: the decision may be later.
    pub expired: Option<Time>,
    /// The number of restarts of the set and of its pods so far.
    pub total: u32,
}

/// The action of the rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleAction {
    /// An action of a failure policy, explicit or by default.
    Set(Action),
    /// An action of a pod failure policy; `None` if no rule matched.
    Pod(Option<PodAction>),
    /// The set has no failure policy.
    NoPolicy,
    /// The limit on restarts in place, whatever the rules.
    InPlace,
    /// An action that the controller cannot apply, and why.
    Stuck(Action, ReconcileError),
}

impl SetCode {
    /// Returns the code, as in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RestartJobset => "restart_jobset",
            Self::RestartJobsetIgnored => "restart_jobset_ignored",
            Self::RestartJob => "restart_job",
            Self::RestartJobIgnored => "restart_job_ignored",
            Self::FailRule => "fail_rule",
            Self::FailMaxRestarts => "fail_max_restarts",
            Self::FailNoPolicy => "fail_no_policy",
            Self::FailInPlaceLimit => "fail_in_place_limit",
            Self::ReconcileError => "reconcile_error",
            Self::Retry => "retry",
            Self::RetryIgnored => "retry_ignored",
            Self::FailIndex => "fail_index",
            Self::FailJob(reason) => match reason {
                FailureReason::PodFailurePolicy => "fail_job",
                FailureReason::BackoffLimitExceeded => "fail_backoff_limit",
                FailureReason::DeadlineExceeded => "fail_deadline",
                FailureReason::MaxFailedIndexesExceeded => "fail_max_failed_indexes",
                FailureReason::FailedIndexes => "fail_indexes",
            },
        }
    }

    /// Returns whether the decision is about a pod and its Job, rather than about the set.
    pub fn is_of_job(self) -> bool {
        matches!(self, Self::Retry | Self::RetryIgnored | Self::FailIndex | Self::FailJob(_))
    }

    /// Returns whether a pod, a Job or the set runs again.
    pub fn reruns(self) -> bool {
        matches!(
            self,
            Self::RestartJobset
                | Self::RestartJobsetIgnored
                | Self::RestartJob
                | Self::RestartJobIgnored
                | Self::Retry
                | Self::RetryIgnored
        )
    }

    /// Returns whether something runs again, and counts against a limit.
    pub fn uses_budget(self) -> bool {
        matches!(self, Self::RestartJobset | Self::RestartJob | Self::Retry)
    }

    /// Returns whether a limit prevented a retry.
    pub fn exhausted(self) -> bool {
        use FailureReason::{BackoffLimitExceeded, DeadlineExceeded, MaxFailedIndexesExceeded};
        matches!(
            self,
            Self::FailMaxRestarts
                | Self::FailInPlaceLimit
                | Self::FailJob(BackoffLimitExceeded | DeadlineExceeded | MaxFailedIndexesExceeded)
        )
    }

    /// Returns the reason of the set's failure, if it failed.
    pub fn terminal(self) -> Option<Terminal> {
        match self {
            Self::FailRule => Some(Terminal::FailJobSetFailurePolicyAction),
            Self::FailMaxRestarts | Self::FailInPlaceLimit => Some(Terminal::ReachedMaxRestarts),
            Self::FailNoPolicy => Some(Terminal::FailedJobs),
            _ => None,
        }
    }
}

impl RuleAction {
    /// Returns the system's name.
    pub fn as_str(self, code: SetCode) -> &'static str {
        match (self, code) {
            (Self::Set(action) | Self::Stuck(action, _), _) => action.as_str(),
            (Self::NoPolicy, _) => "FailedJobs",
            (Self::InPlace, _) => "InPlaceRestart",
            (Self::Pod(Some(action)), _) => action.as_str(),
            (Self::Pod(None), SetCode::FailIndex) => "FailIndex",
            (Self::Pod(None), SetCode::FailJob(_)) => "FailJob",
            (Self::Pod(None), _) => "Retry",
        }
    }
}
