//! The states of a task and of its attempts, and its two budgets.
//!
//! Owns the charge of an attempt, and when a budget is spent (facts, 1, "Budgets" and "ASSIGNED is
//! free"; upstream, `attempt_counts.py` and `task_state.py`).

use crate::systems::iris::manifest::{Profile, Rules};

/// The state of a task, or of one of its attempts, with its number in the protocol (facts, 1,
/// "States and numbers"; `iris/resources/state.py`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TaskState {
    /// It waits for a worker: new, or queued again.
    Pending = 1,
    /// Its worker fetches and builds what it needs.
    Building = 2,
    /// Its command runs.
    Running = 3,
    /// Its command ended with code 0.
    Succeeded = 4,
    /// It ended by itself, without success.
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
}

impl TaskState {
    /// All of them, by number.
    #[cfg(feature = "internals")]
    pub const ALL: [Self; 11] = [
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
    ];

    /// The name, without the protocol's `TASK_STATE_`.
    pub fn as_str(self) -> &'static str {
        match self {
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
        }
    }

    /// The state of this name.
    #[cfg(feature = "internals")]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether an attempt in this state is over. A task may still come back from it
    /// while its budget lasts.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Succeeded
            | Self::Failed
            | Self::Killed
            | Self::WorkerFailed
            | Self::Unschedulable
            | Self::Preempted
            | Self::CoschedFailed => true,
            Self::Pending | Self::Building | Self::Running | Self::Assigned => false,
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

/// One of a task's two budgets, which are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Budget {
    /// `max_retries_failure`, charged by attempts that failed.
    Failure,
    /// `max_retries_preemption`, charged by attempts that were lost.
    Preemption,
}

impl Budget {
    /// The field that sets its limit.
    pub fn field(self) -> &'static str {
        match self {
            Self::Failure => "max_retries_failure",
            Self::Preemption => "max_retries_preemption",
        }
    }
}

/// The charges of a task's attempts, over its whole life; nothing lowers or resets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// `failure_count`: attempts.
    pub failure: u32,
    /// `preemption_count`: attempts. The seed's cascade over a gang sets it to one above the limit.
    pub preemption: u32,
}

impl Counts {
    /// The charges to a budget.
    pub fn of(self, budget: Budget) -> u32 {
        match budget {
            Budget::Failure => self.failure,
            Budget::Preemption => self.preemption,
        }
    }

    /// With one attempt more charged to a budget, or to none.
    #[must_use]
    pub fn charged(mut self, budget: Option<Budget>) -> Self {
        match budget {
            Some(Budget::Failure) => self.failure = self.failure.saturating_add(1),
            Some(Budget::Preemption) => self.preemption = self.preemption.saturating_add(1),
            None => {}
        }
        self
    }
}

impl Profile {
    /// The budget that an attempt charges which ended in a state; `started` is whether a worker had
    /// begun with it.
    ///
    /// Upstream a stopped attempt charges as a lost one does, whoever stopped it: the reported
    /// preemptions include kills of running tasks.
    pub fn charge(self, ended: TaskState, started: bool) -> Option<Budget> {
        match (ended, self) {
            (TaskState::Failed, _) => Some(Budget::Failure),
            (TaskState::WorkerFailed, Self::Seed) => Some(Budget::Preemption),
            (TaskState::WorkerFailed | TaskState::Killed, Self::Upstream)
            | (TaskState::Preempted, _) => started.then_some(Budget::Preemption),
            _ => None,
        }
    }

    /// The charges of a task's attempts, each with its state and whether it had begun. Attempts
    /// that are not over charge nothing.
    #[cfg(feature = "internals")]
    pub fn counts(self, attempts: impl IntoIterator<Item = (TaskState, bool)>) -> Counts {
        let charges = attempts.into_iter().map(|(ended, started)| self.charge(ended, started));
        charges.fold(Counts::default(), Counts::charged)
    }
}

impl Rules {
    /// The limit of a budget, as it was submitted.
    pub fn limit(&self, budget: Budget) -> i32 {
        match budget {
            Budget::Failure => self.policy.max_retries_failure,
            Budget::Preemption => self.policy.max_retries_preemption,
        }
    }

    /// Whether a budget is spent: the count, the attempt that just ended included, is above the
    /// limit. So a limit of N allows N + 1 attempts.
    pub fn is_spent(&self, budget: Budget, counts: Counts) -> bool {
        i64::from(counts.of(budget)) > i64::from(self.limit(budget))
    }

    /// The least count that is above the preemption limit.
    pub(crate) fn spent_preemptions(&self) -> u32 {
        let above = i64::from(self.policy.max_retries_preemption).saturating_add(1);
        u32::try_from(above).unwrap_or(0)
    }

    /// Whether a task is finished (`task_is_finished`), which is more than that its attempt is
    /// over: in `FAILED`, `WORKER_FAILED` and `PREEMPTED` the budget has to be spent too.
    ///
    /// A task that upstream failed for a timeout may have budget left. It is not finished by this,
    /// though nothing queues it again.
    #[cfg(feature = "internals")]
    pub fn is_finished(&self, task: &Task) -> bool {
        match task.state {
            TaskState::Succeeded
            | TaskState::Killed
            | TaskState::Unschedulable
            | TaskState::CoschedFailed => true,
            TaskState::Failed => self.is_spent(Budget::Failure, task.counts),
            TaskState::WorkerFailed | TaskState::Preempted => {
                self.is_spent(Budget::Preemption, task.counts)
            }
            TaskState::Pending | TaskState::Building | TaskState::Running | TaskState::Assigned => {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_stand_at_their_numbers() {
        for (number, state) in (1..).zip(TaskState::ALL) {
            assert_eq!(state as usize, number, "{state:?}");
            assert_eq!(TaskState::from_name(state.as_str()), Some(state));
            assert!(!(state.is_terminal() && state.is_active()));
        }
    }

    #[test]
    fn a_job_of_one_task_is_small() {
        assert_eq!(size_of::<Task>(), 16);
        assert!(size_of::<crate::systems::iris::Job>() <= 64);
    }
}
