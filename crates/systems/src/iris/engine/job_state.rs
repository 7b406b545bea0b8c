//! The state of a job, which depends on the number of its tasks in each state (upstream, `reconcile/job.py`).
//!
//! The counts are updated as tasks change.

use super::task::TaskState;
use crate::iris::manifest::{Profile, Rules};
use document::names;

names! {
    /// The state of a job. The protocol's `UNSPECIFIED` and `BUILDING` are never used.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum JobState {
        /// No task has had a worker.
        Pending = "PENDING",
        /// Tasks have or had workers.
        Running = "RUNNING",
        /// All tasks succeeded.
        Succeeded = "SUCCEEDED",
        /// Too many failures occurred, or a final one.
        Failed = "FAILED",
        /// A task or the job was killed.
        Killed = "KILLED",
        /// All tasks are over, and some were lost and not retried.
        WorkerFailed = "WORKER_FAILED",
        /// A task found no worker.
        Unschedulable = "UNSCHEDULABLE",
    }
}

impl JobState {
    /// Returns whether the job is over. A terminal state never changes.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

/// The reason for a job's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateReason {
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
    /// At least one task has a worker.
    TasksActive,
    /// No task has a worker now, but one had.
    EverStarted,
    /// No task ever had a worker.
    NeverStarted,
    /// The user cancelled the job.
    Cancelled,
}

impl StateReason {
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
    /// Returns the reason for the state of a job that is not over yet: the first rule that holds. `failures`
    /// are compared with `max_task_failures`: for the seed tasks in `FAILED`; upstream failed attempts,
    /// including those whose task was queued again (PR 6673).
    pub fn state_reason(
        &self,
        task_counts: &TaskCounts,
        failures: u32,
        ever_started: bool,
    ) -> StateReason {
        let over = task_counts.total() > 0 && task_counts.waiting == 0 && task_counts.active == 0;
        if over && task_counts.succeeded == task_counts.total() {
            StateReason::AllSucceeded
        // Wider than both: the limit is signed in the protocol, and a negative one is exceeded by 0.
        } else if i64::from(failures) > i64::from(self.policy.max_task_failures) {
            StateReason::TooManyFailures
        } else if task_counts.unschedulable > 0 {
            StateReason::TaskUnschedulable
        } else if task_counts.killed > 0 {
            StateReason::TaskKilled
        } else if over && task_counts.lost > 0 {
            StateReason::TasksLost
        } else if over && self.profile == Profile::Upstream {
            StateReason::TasksFailed
        } else if task_counts.active > 0 {
            StateReason::TasksActive
        } else if ever_started {
            StateReason::EverStarted
        } else {
            StateReason::NeverStarted
        }
    }
}

/// Numbers of tasks by state. They are updated with every event, so that a job of many tasks is not counted
/// again each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskCounts {
    /// Tasks in `SUCCEEDED`.
    pub succeeded: u32,
    /// Tasks in `FAILED`.
    pub failed: u32,
    /// Tasks in `UNSCHEDULABLE`.
    pub unschedulable: u32,
    /// Tasks in `KILLED`.
    pub killed: u32,
    /// Tasks in `WORKER_FAILED`, `PREEMPTED` or `COSCHED_FAILED`.
    pub lost: u32,
    /// Tasks in `ASSIGNED`, `BUILDING` or `RUNNING`.
    pub active: u32,
    /// Tasks in any other state: neither over nor with a worker.
    pub waiting: u32,
}

impl TaskCounts {
    /// Counts these numbers of tasks in these states.
    pub fn of(states: impl IntoIterator<Item = (TaskState, u32)>) -> Self {
        let mut task_counts = Self::default();
        for (state, count) in states {
            let slot = task_counts.slot(state);
            *slot = slot.saturating_add(count);
        }
        task_counts
    }

    /// Returns the number of all tasks.
    pub fn total(&self) -> u32 {
        let over = [self.succeeded, self.failed, self.unschedulable, self.killed, self.lost];
        let all = over.into_iter().chain([self.active, self.waiting]);
        all.fold(0, u32::saturating_add)
    }

    /// Moves one task from a state to another.
    pub(crate) fn move_task(&mut self, from: TaskState, to: TaskState) {
        let slot = self.slot(from);
        *slot = slot.saturating_sub(1);
        let slot = self.slot(to);
        *slot = slot.saturating_add(1);
    }

    fn slot(&mut self, state: TaskState) -> &mut u32 {
        match state {
            TaskState::Succeeded => &mut self.succeeded,
            TaskState::Failed => &mut self.failed,
            TaskState::Unschedulable => &mut self.unschedulable,
            TaskState::Killed => &mut self.killed,
            TaskState::WorkerFailed | TaskState::Preempted | TaskState::CoschedFailed => {
                &mut self.lost
            }
            TaskState::Assigned | TaskState::Building | TaskState::Running => &mut self.active,
            TaskState::Pending => &mut self.waiting,
        }
    }
}
