//! How attempts and jobs end, as records tell it, and what that alone makes of a task.

use super::budget::{Budget, Counts};
use super::policy::{Profile, Rules};
use super::task::TaskState;

/// How an attempt ended, or what befell a task or its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outcome {
    /// Its command ended with code 0.
    Succeeded,
    /// Its command, or its build, failed.
    #[default]
    Failed,
    /// Its worker was lost.
    WorkerFailed,
    /// The controller gave its place to a task of higher priority.
    Preempted,
    /// Its worker says that something outside of Iris stopped it.
    WorkerReportedKilled,
    /// The user cancelled the job; all tasks of it are meant.
    CancelJob,
    /// It ran for longer than it may.
    Timeout,
    /// No worker was found for it in time; it has no attempt.
    Unschedulable,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Succeeded,
        Self::Failed,
        Self::WorkerFailed,
        Self::Preempted,
        Self::WorkerReportedKilled,
        Self::CancelJob,
        Self::Timeout,
        Self::Unschedulable,
    ];

    /// The name as records write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::WorkerFailed => "WORKER_FAILED",
            Self::Preempted => "PREEMPTED",
            Self::WorkerReportedKilled => "WORKER_REPORTED_KILLED",
            Self::CancelJob => "CANCEL_JOB",
            Self::Timeout => "TIMEOUT",
            Self::Unschedulable => "UNSCHEDULABLE",
        }
    }

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }

    /// Whether an attempt ended with it, so that there was one.
    pub fn ends_attempt(self) -> bool {
        !matches!(self, Self::CancelJob | Self::Unschedulable)
    }

    /// The state that it leaves an attempt in (facts, 1, "Other differences").
    pub fn attempt_state(self, profile: Profile) -> TaskState {
        match (self, profile) {
            (Self::Succeeded, _) => TaskState::Succeeded,
            (Self::Failed, _) | (Self::Timeout, Profile::Upstream) => TaskState::Failed,
            (Self::WorkerFailed, _) => TaskState::WorkerFailed,
            (Self::Preempted, _) => TaskState::Preempted,
            (Self::Unschedulable, _) => TaskState::Unschedulable,
            (Self::WorkerReportedKilled | Self::CancelJob, _) | (Self::Timeout, Profile::Seed) => {
                TaskState::Killed
            }
        }
    }

    /// The state that it leaves a task in which is not queued again. Only a worker's report of a
    /// kill is another matter for the task than for its attempt, and only upstream (PR 6432).
    fn task_state(self, profile: Profile) -> TaskState {
        match (self, profile) {
            (Self::WorkerReportedKilled, Profile::Upstream) => TaskState::WorkerFailed,
            _ => self.attempt_state(profile),
        }
    }

    /// Whether a task can be queued again after it.
    pub(super) fn may_retry(self, profile: Profile) -> bool {
        match self {
            Self::Failed | Self::WorkerFailed | Self::Preempted => true,
            Self::WorkerReportedKilled => profile == Profile::Upstream,
            Self::Succeeded | Self::CancelJob | Self::Timeout | Self::Unschedulable => false,
        }
    }
}

/// What a task was doing when its attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Phase {
    /// It had a worker that had not begun with it.
    Assigned,
    /// Its worker was building.
    Building,
    /// Its command was running.
    #[default]
    Running,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Assigned, Self::Building, Self::Running];

    /// The state of a task in this phase.
    pub fn state(self) -> TaskState {
        match self {
            Self::Assigned => TaskState::Assigned,
            Self::Building => TaskState::Building,
            Self::Running => TaskState::Running,
        }
    }

    /// The name as records write it.
    pub fn as_str(self) -> &'static str {
        self.state().as_str()
    }

    /// The phase of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == name)
    }
}

/// What was decided about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is queued again, which a budget paid for.
    Retry(Budget),
    /// It is queued again for nothing: no worker had begun with it.
    RetryFree,
    /// A budget is spent.
    Exhausted(Budget),
    /// The outcome is final, whatever budgets say.
    Final,
}

impl Verdict {
    /// Whether the task is queued again.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry(_) | Self::RetryFree)
    }
}

/// What an outcome makes of a task, its job and its gang aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved {
    /// What was decided.
    pub verdict: Verdict,
    /// The task's new state.
    pub state: TaskState,
    /// Its counts, this attempt included.
    pub counts: Counts,
}

impl Rules {
    /// What becomes of a task whose counts were `before` (upstream, `resolve_task_failure_state`
    /// and `apply_one_transition` in `reconcile/task.py`). `started` says whether a worker had
    /// begun with the attempt.
    ///
    /// There is no wait before the next attempt.
    pub fn resolve(&self, outcome: Outcome, started: bool, before: Counts) -> Resolved {
        let charge = self.profile.charge(outcome.attempt_state(self.profile), started);
        let counts = before.charged(charge);
        let verdict = match charge {
            _ if !outcome.may_retry(self.profile) => Verdict::Final,
            None => Verdict::RetryFree,
            Some(budget) if self.is_spent(budget, counts) => Verdict::Exhausted(budget),
            Some(budget) => Verdict::Retry(budget),
        };
        let state =
            if verdict.retries() { TaskState::Pending } else { outcome.task_state(self.profile) };
        Resolved { verdict, state, counts }
    }
}
