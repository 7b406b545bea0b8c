//! The state of a job, which follows from how many of its tasks are in which state (facts, 1,
//! "Job state order"; upstream, `reconcile/job.py`).

use super::policy::{Profile, Rules};
use super::tally::Tally;

/// The state of a job. The protocol's `UNSPECIFIED` and `BUILDING` are never used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// No task has had a worker.
    Pending,
    /// Tasks have or had workers.
    Running,
    /// All tasks did their work.
    Succeeded,
    /// Too many failures, or one that is final.
    Failed,
    /// A task was killed, or the job was.
    Killed,
    /// All tasks are over, and some were lost for good.
    WorkerFailed,
    /// A task found no worker.
    Unschedulable,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::Killed,
        Self::WorkerFailed,
        Self::Unschedulable,
    ];

    /// The name, without the protocol's `JOB_STATE_`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Killed => "KILLED",
            Self::WorkerFailed => "WORKER_FAILED",
            Self::Unschedulable => "UNSCHEDULABLE",
        }
    }

    /// Whether the job is over. Nothing leads out of such a state.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

/// Why a job is in its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Every task succeeded.
    AllSucceeded,
    /// More failures than `max_task_failures`.
    TooManyFailures,
    /// A task is `UNSCHEDULABLE`.
    TaskUnschedulable,
    /// A task is `KILLED`.
    TaskKilled,
    /// All tasks are over, some in `WORKER_FAILED`, `PREEMPTED` or `COSCHED_FAILED`.
    TasksLost,
    /// All tasks are over, and some failed, though not too many. Upstream only.
    TasksFailed,
    /// Some task has a worker.
    TasksActive,
    /// None has one now, but there was one.
    EverStarted,
    /// There never was one.
    NeverStarted,
    /// The user cancelled it.
    Cancelled,
}

impl Standing {
    /// The state.
    pub fn state(self) -> JobState {
        match self {
            Self::AllSucceeded => JobState::Succeeded,
            Self::TooManyFailures | Self::TasksFailed => JobState::Failed,
            Self::TaskUnschedulable => JobState::Unschedulable,
            Self::TaskKilled | Self::Cancelled => JobState::Killed,
            Self::TasksLost => JobState::WorkerFailed,
            Self::TasksActive | Self::EverStarted => JobState::Running,
            Self::NeverStarted => JobState::Pending,
        }
    }
}

impl Rules {
    /// Where a job stands that is not over yet: the first rule that holds. `failures` are what
    /// `max_task_failures` is held against: for the seed tasks that are `FAILED`, upstream attempts
    /// that failed, those included whose task was queued again (PR 6673).
    pub fn standing(&self, tally: &Tally, failures: u32, ever_started: bool) -> Standing {
        let over = tally.total() > 0 && tally.waiting == 0 && tally.active == 0;
        if over && tally.succeeded == tally.total() {
            Standing::AllSucceeded
        } else if i64::from(failures) > i64::from(self.policy.max_task_failures) {
            Standing::TooManyFailures
        } else if tally.unschedulable > 0 {
            Standing::TaskUnschedulable
        } else if tally.killed > 0 {
            Standing::TaskKilled
        } else if over && tally.lost > 0 {
            Standing::TasksLost
        } else if over && self.profile == Profile::Upstream {
            Standing::TasksFailed
        } else if tally.active > 0 {
            Standing::TasksActive
        } else if ever_started {
            Standing::EverStarted
        } else {
            Standing::NeverStarted
        }
    }
}
