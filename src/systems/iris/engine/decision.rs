//! The decision about one event: numbers and codes, no text.

use super::job_state::{JobState, StateReason};
use super::outcome::{Cascade, Outcome, Phase, Verdict};
use super::task::{Budget, Counts, TaskState};
use crate::systems::iris::manifest::Rules;

/// What happened to a task, or through it to its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The task, from 0.
    pub task: u32,
    /// What.
    pub outcome: Outcome,
    /// The phase of the task then.
    pub phase: Phase,
}

/// Why an event changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// The job is over.
    JobOver,
    /// The task is over.
    TaskOver,
    /// The job has no such task.
    NoTask,
}

/// What was done about an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// It was ignored.
    Ignored(Ignored),
    /// The user's word ended the job.
    Cancelled,
    /// It was decided about the task.
    Task(Verdict),
}

/// What an event did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The event.
    pub event: Event,
    /// What was done about it.
    pub ruling: Ruling,
    /// The task's state after it; none if there is no such task.
    pub task_state: Option<TaskState>,
    /// The task's counts after it.
    pub counts: Counts,
    /// The task's attempts so far.
    pub attempts: u32,
    /// Why the job is in its state after it.
    pub state_reason: StateReason,
    /// The failures that are compared with `max_task_failures`, after it.
    pub failures: u32,
    /// The cascade over the gang's other tasks.
    pub cascade: Option<Cascade>,
    /// The number of siblings that the cascade changed.
    pub siblings: u32,
    /// Tasks that were killed since the job is over, the event's own not counted.
    pub killed: u32,
    /// Whether the job ended with it.
    pub ends_job: bool,
}

/// The cause of a change of a task other than the event's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Its gang.
    Gang(Cascade),
    /// The end of its job.
    JobOver,
}

/// A change of a task other than the event's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The task, from 0.
    pub task: u32,
    /// Its state before.
    pub from: TaskState,
    /// Its state after.
    pub to: TaskState,
    /// The cause.
    pub cause: Cause,
}

impl Ignored {
    /// The code as reports have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JobOver => "ignored_job_terminal",
            Self::TaskOver => "ignored_task_terminal",
            Self::NoTask => "ignored_no_task",
        }
    }
}

impl Decision {
    /// The job's state after it.
    pub fn job_state(&self) -> JobState {
        self.state_reason.state()
    }

    /// Whether the task is queued again, and stays so: a job that is over queues nothing.
    pub fn retries(&self) -> bool {
        matches!(self.ruling, Ruling::Task(verdict) if verdict.retries()) && !self.ends_job
    }

    /// The budget that was checked, if any.
    pub fn budget(&self) -> Option<Budget> {
        match self.ruling {
            Ruling::Task(Verdict::Retry(budget) | Verdict::Exhausted(budget)) => Some(budget),
            _ => None,
        }
    }

    /// The code as reports have it.
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

    /// The code of a success, which may end a job that has failed.
    fn code_of_last(&self) -> &'static str {
        match self.state_reason {
            StateReason::TooManyFailures => "fail_max_task_failures",
            StateReason::TasksFailed => "fail_tasks_failed",
            StateReason::TasksLost => "fail_tasks_lost",
            _ => "succeeded",
        }
    }

    /// The count, the limit and the field that sets it; `None` if no limit applies.
    pub fn used(&self, rules: &Rules) -> Option<(u32, i32, &'static str)> {
        let retried = matches!(self.ruling, Ruling::Task(verdict) if verdict.retries());
        let of_job = retried && self.ends_job || self.event.outcome == Outcome::Succeeded;
        if of_job && self.state_reason == StateReason::TooManyFailures {
            return Some((self.failures, rules.policy.max_task_failures, "max_task_failures"));
        }
        let budget = self.budget()?;
        Some((self.counts.of(budget), rules.limit(budget), budget.field()))
    }
}
