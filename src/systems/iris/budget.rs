//! The two budgets of a task: what an attempt charges, and when one is spent (facts, 1, "Budgets"
//! and "ASSIGNED is free"; upstream, `attempt_counts.py` and `task_state.py`).

use super::policy::{Profile, Rules};
use super::task::{Task, TaskState};

/// One of a task's two budgets. They know nothing of one another.
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

/// What a task's attempts have charged, over its whole life; nothing lowers or resets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// `failure_count`: attempts.
    pub failure: u32,
    /// `preemption_count`: attempts. The seed's cascade over a gang sets it to one above the limit.
    pub preemption: u32,
}

impl Counts {
    /// What is charged to a budget.
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
    /// The budget that an attempt charges which ended in a state; `started` says whether a worker
    /// had begun with it.
    ///
    /// Upstream a stopped attempt charges as a lost one does, whoever stopped it: what is reported
    /// as preemptions holds kills of running tasks too.
    pub fn charge(self, ended: TaskState, started: bool) -> Option<Budget> {
        match (ended, self) {
            (TaskState::Failed, _) => Some(Budget::Failure),
            (TaskState::WorkerFailed, Self::Seed) => Some(Budget::Preemption),
            (TaskState::WorkerFailed | TaskState::Killed, Self::Upstream)
            | (TaskState::Preempted, _) => started.then_some(Budget::Preemption),
            _ => None,
        }
    }

    /// What a task's attempts charge, each with its state and whether it had begun. Attempts that
    /// are not over charge nothing.
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
    /// limit. So a limit allows one attempt more than it says.
    pub fn is_spent(&self, budget: Budget, counts: Counts) -> bool {
        i64::from(counts.of(budget)) > i64::from(self.limit(budget))
    }

    /// The least count that is above the preemption limit.
    pub(super) fn spent_preemptions(&self) -> u32 {
        let above = i64::from(self.policy.max_retries_preemption).saturating_add(1);
        u32::try_from(above).unwrap_or(0)
    }

    /// Whether a task is finished (`task_is_finished`), which is more than that its attempt is over:
    /// in `FAILED`, `WORKER_FAILED` and `PREEMPTED` the budget has to be spent too.
    ///
    /// A task that upstream failed for a timeout may have budget left. It is not finished by this,
    /// though nothing queues it again.
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
            TaskState::Unspecified
            | TaskState::Pending
            | TaskState::Building
            | TaskState::Running
            | TaskState::Assigned
            | TaskState::Missing => false,
        }
    }
}
