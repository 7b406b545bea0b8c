//! How attempts and jobs end, and the effect of that on a task and on its gang.
//!
//! A gang consists of the tasks that are placed together (upstream, `reconcile/peers.py` and `batches.py`).

use super::task::{Budget, Counts, TaskState};
use crate::iris::manifest::{Profile, Rules};
use document::names;

names! {
    /// How an attempt ended, or an event of a task or its job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Outcome {
        /// The command ended with code 0.
        Succeeded = "SUCCEEDED",
        /// The command, or its build, failed.
        #[default]
        Failed = "FAILED",
        /// The worker was lost.
        WorkerFailed = "WORKER_FAILED",
        /// The controller gave the worker to a task of higher priority.
        Preempted = "PREEMPTED",
        /// The worker reported a stop by something outside of Iris.
        WorkerReportedKilled = "WORKER_REPORTED_KILLED",
        /// The user cancelled the job, with all its tasks.
        CancelJob = "CANCEL_JOB",
        /// The attempt exceeded its time limit.
        Timeout = "TIMEOUT",
        /// No worker was found for the task in time; it has no attempt.
        Unschedulable = "UNSCHEDULABLE",
    }
}

impl Outcome {
    /// Returns whether this outcome is the end of an attempt.
    pub fn ends_attempt(self) -> bool {
        !matches!(self, Self::CancelJob | Self::Unschedulable)
    }

    /// Returns the state of an attempt with this outcome.
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

    /// Returns the state of a task with this outcome that is not queued again. It differs from the attempt's
    /// state only for a worker's report of a kill, and only upstream (PR 6432).
    fn task_state(self, profile: Profile) -> TaskState {
        match (self, profile) {
            (Self::WorkerReportedKilled, Profile::Upstream) => TaskState::WorkerFailed,
            _ => self.attempt_state(profile),
        }
    }

    /// Returns whether a task may be queued again after this outcome.
    pub(crate) fn may_retry(self, profile: Profile) -> bool {
        match self {
            Self::Failed | Self::WorkerFailed | Self::Preempted => true,
            Self::WorkerReportedKilled => profile == Profile::Upstream,
            Self::Succeeded | Self::CancelJob | Self::Timeout | Self::Unschedulable => false,
        }
    }
}

/// The phase of a task when its attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Phase {
    /// The task had a worker that had not begun with it.
    Assigned,
    /// The worker was building.
    Building,
    /// The command was running.
    #[default]
    Running,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 3] = [Self::Assigned, Self::Building, Self::Running];

    /// Returns the state of a task in this phase.
    pub fn state(self) -> TaskState {
        match self {
            Self::Assigned => TaskState::Assigned,
            Self::Building => TaskState::Building,
            Self::Running => TaskState::Running,
        }
    }

    /// Returns the name as records write it.
    pub fn as_str(self) -> &'static str {
        self.state().as_str()
    }

    /// Returns the phase with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == name)
    }
}

/// The decision about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The task is queued again; the attempt is charged to this budget.
    Retry(Budget),
    /// The task is queued again without a charge: no worker had begun with it.
    RetryFree,
    /// The budget is spent.
    Exhausted(Budget),
    /// The outcome is final, whatever the budgets.
    Final,
}

impl Verdict {
    /// Returns whether the task is queued again.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry(_) | Self::RetryFree)
    }
}

/// The effect of an outcome on a task, without its job and its gang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// The decision.
    pub verdict: Verdict,
    /// The task's new state.
    pub state: TaskState,
    /// The task's counts, this attempt included.
    pub counts: Counts,
}

impl Rules {
    /// Returns the effect of an outcome on a task whose counts were `before` (upstream,
    /// `resolve_task_failure_state` and `apply_one_transition` in `reconcile/task.py`). `started` is whether
    /// a worker had begun with the attempt.
    ///
    /// The next attempt has no delay.
    pub fn resolve(&self, outcome: Outcome, started: bool, before: Counts) -> Resolution {
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
        Resolution { verdict, state, counts }
    }
}

/// The effect on the siblings that have a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cascade {
    /// The siblings end in `WORKER_FAILED`, and their preemption budget counts as spent. Seed only.
    Exhaust,
    /// The siblings end in `COSCHED_FAILED`, without a charge. Upstream only, if the task is not retried.
    Terminate,
    /// The siblings are queued again without a charge, so that the gang is placed together. Upstream only, if
    /// the task is retried.
    Requeue,
}

impl Cascade {
    /// Returns the state of a sibling after the cascade.
    pub fn state(self) -> TaskState {
        match self {
            Self::Exhaust => TaskState::WorkerFailed,
            Self::Terminate => TaskState::CoschedFailed,
            Self::Requeue => TaskState::Pending,
        }
    }
}

impl Rules {
    /// Returns the effect of a task's end on its siblings, if any.
    ///
    /// The seed has a cascade for final failures of the task or its worker. A preemption has none, and a
    /// killed task ends the job anyway. Upstream every end of an attempt except a success has one. A task
    /// that found no worker ends the job, and its siblings with it.
    pub fn cascade(&self, outcome: Outcome, verdict: Verdict) -> Option<Cascade> {
        let takes_along = match self.profile {
            Profile::Seed => {
                matches!(outcome, Outcome::Failed | Outcome::WorkerFailed) && !verdict.retries()
            }
            Profile::Upstream => outcome.ends_attempt() && outcome != Outcome::Succeeded,
        };
        let cascade = match self.profile {
            Profile::Seed => Cascade::Exhaust,
            Profile::Upstream if verdict.retries() => Cascade::Requeue,
            Profile::Upstream => Cascade::Terminate,
        };
        (self.policy.coscheduled && takes_along).then_some(cascade)
    }
}
