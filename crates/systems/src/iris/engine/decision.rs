//! The decision about one event: numbers and codes, without text.

use super::job_state::{JobState, StateReason};
use super::outcome::{Cascade, Outcome, Phase, Verdict};
use super::task::{Budget, Counts, TaskState};
use crate::iris::manifest::Rules;
use document::names;

/// An event of a task, or of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The task, from 0.
    pub task: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// The phase of the task at the event.
    pub phase: Phase,
}

names! {
    /// The reason why an event changed nothing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Ignored {
        /// The job is over.
        JobOver = "ignored_job_terminal",
        /// The task is over.
        TaskOver = "ignored_task_terminal",
        /// The job has no such task.
        NoTask = "ignored_no_task",
    }
}

/// The treatment of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// The event was ignored.
    Ignored(Ignored),
    /// The user cancelled the job.
    Cancelled,
    /// A verdict about the task.
    Task(Verdict),
}

/// The effects of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The event.
    pub event: Event,
    /// The treatment of the event.
    pub ruling: Ruling,
    /// The task's state after the event; `None` if there is no such task.
    pub task_state: Option<TaskState>,
    /// The task's counts after the event.
    pub counts: Counts,
    /// The number of the task's attempts so far.
    pub attempts: u32,
    /// The reason for the job's state after the event.
    pub state_reason: StateReason,
    /// The failures that are compared with `max_task_failures`, after the event.
    pub failures: u32,
    /// The cascade over the gang's other tasks.
    pub cascade: Option<Cascade>,
    /// The number of siblings that the cascade changed.
    pub siblings: u32,
    /// The number of tasks that were killed because the job is over, without the event's own.
    pub killed: u32,
    /// Whether the event ended the job.
    pub ends_job: bool,
}

/// The cause of a change of a task other than the event's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A cascade over its gang.
    Gang(Cascade),
    /// The end of its job.
    JobOver,
}

/// A change of a task other than the event's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The task, from 0.
    pub task: u32,
    /// The state before.
    pub from: TaskState,
    /// The state after.
    pub to: TaskState,
    pub cause: Cause,
}

impl Decision {
    /// Returns the job's state after the event.
    pub fn job_state(&self) -> JobState {
        self.state_reason.state()
    }

    /// Returns whether the task is queued again, and stays queued: a job that is over queues nothing.
    pub fn retries(&self) -> bool {
        matches!(self.ruling, Ruling::Task(verdict) if verdict.retries()) && !self.ends_job
    }

    /// Returns the budget that was checked, if any.
    pub fn budget(&self) -> Option<Budget> {
        match self.ruling {
            Ruling::Task(Verdict::Retry(budget) | Verdict::Exhausted(budget)) => Some(budget),
            _ => None,
        }
    }

    /// Returns the code, as in reports.
    pub fn code(&self) -> &'static str {
        let verdict = match self.ruling {
            Ruling::Ignored(why) => return why.as_str(),
            Ruling::Cancelled => return "cancelled",
            Ruling::Task(verdict) => verdict,
        };
        match verdict {
            Verdict::Retry(_) | Verdict::RetryFree if self.ends_job => "fail_max_task_failures",
            Verdict::Retry(Budget::Failure) => "retry_failure",
            Verdict::Retry(Budget::Preemption) => "retry_preemption",
            Verdict::RetryFree => "retry_assigned",
            Verdict::Exhausted(Budget::Failure) => "fail_max_retries_failure",
            Verdict::Exhausted(Budget::Preemption) => "fail_max_retries_preemption",
            Verdict::Final => match self.event.outcome {
                Outcome::Succeeded => self.code_of_last(),
                Outcome::Timeout => "fail_timeout",
                Outcome::Unschedulable => "fail_unschedulable",
                _ => "fail_killed",
            },
        }
    }

    /// Returns the code of a success, which may end a job that has failed.
    fn code_of_last(&self) -> &'static str {
        match self.state_reason {
            StateReason::TooManyFailures => "fail_max_task_failures",
            StateReason::TasksFailed => "fail_tasks_failed",
            StateReason::TasksLost => "fail_tasks_lost",
            _ => "succeeded",
        }
    }

    /// Returns the count, the limit and the field that sets it; `None` if no limit applies.
    pub fn used(&self, rules: &Rules) -> Option<(u32, i32, &'static str)> {
        // A retried task can end its job only by the limit of the job.
        let retried = matches!(self.ruling, Ruling::Task(verdict) if verdict.retries());
        let of_job = retried && self.ends_job || self.event.outcome == Outcome::Succeeded;
        if of_job && self.state_reason == StateReason::TooManyFailures {
            return Some((self.failures, rules.policy.max_task_failures, "max_task_failures"));
        }
        let budget = self.budget()?;
        Some((self.counts.of(budget), rules.limit(budget), budget.field()))
    }
}
