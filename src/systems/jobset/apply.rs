//! One evaluation: what a failure policy makes of the Jobs that have failed
//! (`failure_policy.go`, `executeFailurePolicy`).

use super::counters::{Counted, Counters};
use super::gates::FeatureGates;
use super::model::{Action, FailurePolicy, ReplicatedJob};
use super::rule::FailedJob;
use super::select::{Choice, earliest, select};

/// What was decided, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluated {
    /// The rule's index; `None` where none applied.
    pub rule: Option<usize>,
    /// The place of the Job that the decision goes by, among those that failed.
    pub job: usize,
    /// The action; `None` where there is no failure policy.
    pub action: Option<Action>,
    /// What came of it.
    pub applied: Applied,
}

/// What came of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The set has failed.
    Failed(Terminal),
    /// The whole set restarts.
    SetRestarted,
    /// The Job that the decision goes by restarts, and nothing else. Other failed Jobs are looked
    /// at in an evaluation of their own.
    JobRestarted,
    /// The controller fails to act, tries again and fails again; nothing has changed.
    Stuck(ReconcileError),
}

/// The reason of a failed JobSet (`pkg/constants/constants.go`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// It has no failure policy.
    FailedJobs,
    /// A rule said so.
    FailJobSetFailurePolicyAction,
    /// A restart would have been one too many.
    ReachedMaxRestarts,
}

/// Why the controller cannot do what a rule says.
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

impl Evaluated {
    /// The reason of the condition `RestartingJobSet`, which a restart of the whole set brings;
    /// `rule` is the name of the rule that decided.
    pub fn restarting_reason(&self, rule: Option<&str>) -> Option<String> {
        (self.applied == Applied::SetRestarted).then(|| match rule {
            Some(name) => format!("FailurePolicy_{name}"),
            None => "DefaultFailurePolicy".to_owned(),
        })
    }
}

impl Terminal {
    /// The reason as conditions have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailedJobs => "FailedJobs",
            Self::FailJobSetFailurePolicyAction => "FailJobSetFailurePolicyAction",
            Self::ReachedMaxRestarts => "ReachedMaxRestarts",
        }
    }
}

/// Evaluates a failure policy over all Jobs of the present generation that have failed, and moves
/// the counters on. `None` if none has failed.
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
    let rule_action = rule.and_then(|index| policy.rules.get(index)).map(|rule| rule.action);
    let action = rule_action.unwrap_or(Action::RestartJobSet);
    let matched = failed.clone().nth(job)?;
    let budget = Budget { max_restarts: policy.max_restarts, gates, replicated_jobs };
    let applied = budget.apply(action, &matched, counters);
    Some(Evaluated { rule, job, action: Some(action), applied })
}

/// What limits restarts.
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

    /// A restart is granted while the count is below `maxRestarts`: N restarts are N+1 runs.
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
        if index >= replicas {
            return Applied::Stuck(ReconcileError::IndexOutOfRange);
        }
        counters.restart_job(replicated_job, index as usize, counted);
        Applied::JobRestarted
    }
}
