//! The states of a task and of its attempts, and its two budgets.
//!
//! Owns the charge of an attempt, and the condition under which a budget is spent (upstream,
//! `attempt_counts.py` and `task_state.py`).

use crate::iris::manifest::{Profile, Rules};

/// The state of a task, or of one of its attempts, with its number in the protocol
/// (`iris/resources/state.py`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TaskState {
    /// The task waits for a worker: new, or queued again.
    Pending = 1,
    /// The worker fetches and builds the task's inputs.
    Building = 2,
    /// The command runs.
    Running = 3,
    /// The command ended with code 0.
    Succeeded = 4,
    /// The task ended by itself, without success.
    Failed = 5,
    /// The task was stopped for good.
    Killed = 6,
    /// The worker was lost.
    WorkerFailed = 7,
    /// No worker was found in time.
    Unschedulable = 8,
    /// The task has a worker that has not begun with it.
    Assigned = 9,
    /// The worker was given to a task of higher priority.
    Preempted = 10,
    /// The task ended because of another task of its gang. Upstream only.
    CoschedFailed = 11,
}

impl TaskState {
    /// All of them, by number.
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

    /// Returns the name, without the protocol's `TASK_STATE_`.
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

    /// Returns the state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Returns whether an attempt in this state is over. Its task may still be retried
    /// (`Rules::is_finished`).
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

    /// Returns whether the task has a worker: `ASSIGNED`, `BUILDING` or `RUNNING`.
    pub fn is_active(self) -> bool {
        self == Self::Assigned || self.is_executing()
    }

    /// Returns whether a worker has begun with the task: `BUILDING` or `RUNNING`. Both set the attempt's
    /// `started_at`.
    pub fn is_executing(self) -> bool {
        matches!(self, Self::Building | Self::Running)
    }
}

/// A task of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The task's state.
    pub state: TaskState,
    /// The charges of its attempts so far.
    pub counts: Counts,
    /// The number of attempts so far, the running one included.
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

/// One of a task's two independent budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Budget {
    /// `max_retries_failure`, charged by failed attempts.
    Failure,
    /// `max_retries_preemption`, charged by lost attempts.
    Preemption,
}

impl Budget {
    /// Returns the field that sets the limit.
    pub fn field(self) -> &'static str {
        match self {
            Self::Failure => "max_retries_failure",
            Self::Preemption => "max_retries_preemption",
        }
    }
}

/// The charges of all attempts of a task; nothing lowers or resets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// `failure_count`, in attempts.
    pub failure: u32,
    /// `preemption_count`, in attempts. The seed's cascade over a gang sets it to one above the limit.
    pub preemption: u32,
}

impl Counts {
    /// Returns the charges to a budget.
    pub fn of(self, budget: Budget) -> u32 {
        match budget {
            Budget::Failure => self.failure,
            Budget::Preemption => self.preemption,
        }
    }

    /// Adds an attempt that is charged to a budget, or to none.
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
    /// Returns the budget that an attempt charges whose end left it in the state `ended`. `started` is
    /// whether a worker had begun with it.
    ///
    /// Upstream a stopped attempt is charged like a lost one, whoever stopped it: the reported preemptions
    /// include kills of running tasks.
    pub fn charge(self, ended: TaskState, started: bool) -> Option<Budget> {
        match (ended, self) {
            (TaskState::Failed, _) => Some(Budget::Failure),
            (TaskState::WorkerFailed, Self::Seed) => Some(Budget::Preemption),
            (TaskState::WorkerFailed | TaskState::Killed, Self::Upstream)
            | (TaskState::Preempted, _) => started.then_some(Budget::Preemption),
            _ => None,
        }
    }

    /// Sums the charges of a task's attempts, each with its state and whether it had begun. Attempts that are
    /// not over charge nothing.
    pub fn counts(self, attempts: impl IntoIterator<Item = (TaskState, bool)>) -> Counts {
        let charges = attempts.into_iter().map(|(ended, started)| self.charge(ended, started));
        charges.fold(Counts::default(), Counts::charged)
    }
}

impl Rules {
    /// Returns the limit of a budget, as submitted.
    pub fn limit(&self, budget: Budget) -> i32 {
        match budget {
            Budget::Failure => self.policy.max_retries_failure,
            Budget::Preemption => self.policy.max_retries_preemption,
        }
    }

    /// Returns whether a budget is spent: the count, the attempt that just ended included, is above the
    /// limit. So a limit of N allows N + 1 attempts.
    pub fn is_spent(&self, budget: Budget, counts: Counts) -> bool {
        i64::from(counts.of(budget)) > i64::from(self.limit(budget))
    }

    /// Returns the smallest count above the preemption limit.
    pub(crate) fn spent_preemptions(&self) -> u32 {
        let above = i64::from(self.policy.max_retries_preemption).saturating_add(1);
        // A limit below -1 has no count below it; 0 exceeds it.
        u32::try_from(above).unwrap_or(0)
    }

    /// Returns whether a task is finished (`task_is_finished`). The end of its attempt is not enough: in
    /// `FAILED`, `WORKER_FAILED` and `PREEMPTED` the budget must be spent too.
    ///
    /// A task that upstream failed for a timeout may have budget left. It is not finished by this rule,
    /// although it is never queued again.
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
        assert!(size_of::<crate::iris::Job>() <= 64);
    }
}
