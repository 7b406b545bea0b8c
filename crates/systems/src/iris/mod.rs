//! Iris: the decision about a task that ended, about its gang and about its job.
//!
//! A job has a number of tasks, and each task has attempts. A task has two budgets, one for failed attempts
//! and one for lost ones. The job survives a number of failures ([`Policy`]). `Job::apply` takes one event
//! and decides about the task, about the tasks that are placed together with it and about the job. There are
//! two sources of rules, which differ ([`Profile`]): the seed, which is the project's document of task
//! states, and the controller's code (marin-community/marin,
//! `lib/iris/src/iris/cluster/controller/reconcile`). The job's rules do not depend on histories; `engine`,
//! `report` and `system` connect them with commands and with the simulator. This module neither reads nor
//! prints.
//!
//! Open points of both sources, and the choice made here:
//!
//! - An end of a task that is over changes nothing, and neither does an event of a job that is over. Upstream
//!   lets a cancel turn a job in `WORKER_FAILED` to `KILLED`, which is left out.
//! - The phase of an event overrides the state that the task was in before.
//! - The seed frees only preemptions of `ASSIGNED` tasks, so lost workers are charged there.
//! - The seed's "running siblings" are all that have a worker, and its gangs have no cascade if the task is
//!   retried.
//! - The seed lists no rule for a job whose tasks are all over and of which some failed, but no more than
//!   `max_task_failures`: such a job stays `RUNNING`. Where the seed does not order its rules, upstream's
//!   order applies.
//! - A running task that is killed with its job is charged a preemption upstream, since counts are derived
//!   from attempts there; the seed charges only when it decides about a retry.
//! - A task with a worker that is reported unschedulable gets that state and is charged nothing.
//! - A limit below 0 is spent by the first attempt, and one of `max_task_failures` fails the job at its first
//!   event, unless all its tasks have succeeded by then: neither source makes it unlimited.
//! - Tasks without records run until all others are over, and then succeed. The record of a cancel applies to
//!   the job, whatever the state of the task that it names.
//! - If another task's end queues a gang's task again, its next recorded attempt is the first that began no
//!   earlier than that end. An attempt that began before was cut off by it.
//!
//! The cap of 1000 on `max_retries_preemption` at submission, since May 2026, is applied on reading and under
//! `upstream` only; its source is pull requests, not the code of submission. Left out: child jobs, and the
//! wait for a worker.

mod compared;
pub mod convert;
mod coverage;
mod engine;
mod lint;
mod manifest;
mod record;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod validate;

pub use engine::IrisEngine;
pub use engine::outcome::Outcome;
pub use manifest::{IrisProfile, Policy, Profile, Rules};
pub use {
    engine::IrisUnit,
    engine::decision::{Cause, Decision, Event, Ignored, Ruling},
    engine::job::Job,
    engine::job_state::{JobState, TaskCounts},
    engine::outcome::{Phase, Verdict},
    engine::task::{Budget, Counts, Task, TaskState},
    record::IrisFields,
};
