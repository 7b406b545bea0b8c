//! How attempts and jobs end, and the effect of that on a task and on its gang.
//!
//! A gang is the tasks that are placed together (facts, 1, "Gangs"; upstream, `reconcile/peers.py`
//! and `batches.py`).

use super::task::{Budget, Counts, TaskState};
use crate::systems::iris::manifest::{Profile, Rules};

/// How an attempt ended, or what happened to a task or its job.
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
    /// Its worker reported that something outside of Iris stopped it.
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

    /// The state that it leaves a task in which is not queued again. It differs from the attempt's
    /// state only for a worker's report of a kill, and only upstream (PR 6432).
    fn task_state(self, profile: Profile) -> TaskState {
        match (self, profile) {
            (Self::WorkerReportedKilled, Profile::Upstream) => TaskState::WorkerFailed,
            _ => self.attempt_state(profile),
        }
    }

    /// Whether a task can be queued again after it.
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
    /// It is queued again without a charge: no worker had begun with it.
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

/// The effect of an outcome on a task, without its job and its gang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// What was decided.
    pub verdict: Verdict,
    /// The task's new state.
    pub state: TaskState,
    /// Its counts, this attempt included.
    pub counts: Counts,
}

impl Rules {
    /// The effect of an outcome on a task whose counts were `before` (upstream,
    /// `resolve_task_failure_state` and `apply_one_transition` in `reconcile/task.py`). `started`
    /// is whether a worker had begun with the attempt.
    ///
    /// There is no wait before the next attempt.
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
    /// They end in `WORKER_FAILED`, their preemption budget declared spent. The seed's.
    Exhaust,
    /// They end in `COSCHED_FAILED` and are charged nothing. Upstream's, where the task does not
    /// come back.
    Terminate,
    /// They are queued again, so that the gang is placed anew; they are charged nothing.
    /// Upstream's, where the task comes back.
    Requeue,
}

impl Cascade {
    /// The state of a sibling after it.
    pub fn state(self) -> TaskState {
        match self {
            Self::Exhaust => TaskState::WorkerFailed,
            Self::Terminate => TaskState::CoschedFailed,
            Self::Requeue => TaskState::Pending,
        }
    }
}

impl Rules {
    /// The effect of a task's end on its siblings, if any.
    ///
    /// The seed has a cascade for failures that are final, be they the task's own or its
    /// worker's; a preemption has none, and a task that is killed ends the job anyway. Upstream
    /// every end of an attempt but a success has one. A task that found no worker ends the job,
    /// which takes its siblings along.
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
