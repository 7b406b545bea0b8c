//! The states of a task and of its attempts, and what is counted of a task.

use super::budget::Counts;

/// The state of a task, or of one of its attempts, with its number in the protocol (facts, 1,
/// "States and numbers"; `iris/resources/state.py`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TaskState {
    /// Never used in practice.
    Unspecified = 0,
    /// It waits for a worker: new, or queued again.
    Pending = 1,
    /// Its worker fetches and builds what it needs.
    Building = 2,
    /// Its command runs.
    Running = 3,
    /// Its command ended with code 0.
    Succeeded = 4,
    /// It ended by itself, in vain.
    Failed = 5,
    /// Somebody or something stopped it for good.
    Killed = 6,
    /// Its worker was lost.
    WorkerFailed = 7,
    /// No worker was found in time.
    Unschedulable = 8,
    /// It has a worker, which has not begun with it.
    Assigned = 9,
    /// A task of higher priority took its place.
    Preempted = 10,
    /// It was taken down with another task of its gang. Upstream only.
    CoschedFailed = 11,
    /// Its worker does not know of it. Upstream only.
    Missing = 12,
}

impl TaskState {
    /// All of them, by number.
    pub const ALL: [Self; 13] = [
        Self::Unspecified,
        Self::Pending,
        Self::Building,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::Killed,
        Self::WorkerFailed,
        Self::Unschedulable,
        Self::Assigned,
        Self::Preempted,
        Self::CoschedFailed,
        Self::Missing,
    ];

    /// The name, without the protocol's `TASK_STATE_`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Pending => "PENDING",
            Self::Building => "BUILDING",
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Killed => "KILLED",
            Self::WorkerFailed => "WORKER_FAILED",
            Self::Unschedulable => "UNSCHEDULABLE",
            Self::Assigned => "ASSIGNED",
            Self::Preempted => "PREEMPTED",
            Self::CoschedFailed => "COSCHED_FAILED",
            Self::Missing => "MISSING",
        }
    }

    /// The state of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether an attempt in this state is over. A task may still come back from it
    /// ([`Rules::is_finished`](super::Rules::is_finished)).
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Succeeded
            | Self::Failed
            | Self::Killed
            | Self::WorkerFailed
            | Self::Unschedulable
            | Self::Preempted
            | Self::CoschedFailed => true,
            Self::Unspecified
            | Self::Pending
            | Self::Building
            | Self::Running
            | Self::Assigned
            | Self::Missing => false,
        }
    }

    /// Whether a worker has it: `ASSIGNED`, `BUILDING` or `RUNNING`.
    pub fn is_active(self) -> bool {
        self == Self::Assigned || self.is_executing()
    }

    /// Whether a worker has begun with it: `BUILDING` or `RUNNING`, either of which stamps the
    /// attempt's `started_at`.
    pub fn is_executing(self) -> bool {
        matches!(self, Self::Building | Self::Running)
    }
}

/// A task of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Its state.
    pub state: TaskState,
    /// What its attempts have charged so far.
    pub counts: Counts,
    /// Attempts so far, the live one included.
    pub attempts: u32,
}

impl Task {
    /// A task as it is submitted.
    pub const NEW: Self = Self {
        state: TaskState::Pending,
        counts: Counts { failure: 0, preemption: 0 },
        attempts: 0,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_stand_at_their_numbers() {
        for (number, state) in TaskState::ALL.into_iter().enumerate() {
            assert_eq!(state as usize, number, "{state:?}");
            assert_eq!(TaskState::from_name(state.as_str()), Some(state));
            assert!(!(state.is_terminal() && state.is_active()));
        }
    }

    #[test]
    fn a_job_of_one_task_is_small() {
        assert_eq!(size_of::<Task>(), 16);
        assert!(size_of::<super::super::Job>() <= 64);
    }
}
