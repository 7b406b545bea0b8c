//! Iris: what becomes of a task that ended, of its gang and of its job.
//!
//! A job is a number of tasks, each of which has attempts. A task has two budgets, one for attempts
//! that failed and one for attempts that were lost, and the job bears so many failures
//! ([`Policy`]). [`Job::apply`] takes one event and says what follows for the task, for the tasks
//! that are placed together with it and for the job, and why. Two texts are followed, and they
//! differ ([`Profile`]): the seed, the project's document of task states, and the controller's
//! code (marin-community/marin, `lib/iris/src/iris/cluster/controller/reconcile`). The job's rules
//! know no history; what commands and the simulator need of them stands in `engine`, `describe` and
//! `system`. Must not read or print anything.
//!
//! Not determined by the texts, and chosen:
//!
//! - An end of a task that is over changes nothing, and neither does an event of a job that is
//!   over. Upstream lets a cancel turn a job in `WORKER_FAILED` to `KILLED`, which is left out.
//! - What an event says of a task's phase holds, whatever the task was last seen doing.
//! - The seed frees preemptions of `ASSIGNED` tasks alone, so that lost workers are charged there.
//! - The seed's "running siblings" are all that have a worker, and its gangs know no cascade where
//!   the task comes back.
//! - The seed lists no rule for a job whose tasks are all over, some failed, though not too many:
//!   such a job stays `RUNNING`. Where its other rules have no place, upstream's order is taken.
//! - A running task that is killed with its job is charged a preemption upstream, since counts are
//!   derived from attempts there; the seed charges where it decides about a retry, and so nothing.
//! - A task with a worker that is called unschedulable becomes so and is charged nothing.
//! - A limit below 0 is spent by the first attempt, and one of `max_task_failures` fails the job at
//!   its first event, unless all its tasks have succeeded by then: nothing in either text makes it
//!   unlimited.
//!
//! - Tasks that are not on record go on until all others are over, and then succeed. The record of
//!   a cancel holds for the job, whatever the task that it stands on has come to.
//! - A gang's task that another's end queues again has its next attempt on record: the first that
//!   began no earlier than that end. One that began before was cut off by it.
//!
//! That submission caps `max_retries_preemption` at 1000 since May 2026 is the reader's, and
//! `upstream`'s; pull requests say so, it was not seen in the code of submission. Left out: child jobs, and the wait for a worker.

mod apply;
mod budget;
pub mod convert;
mod decision;
mod describe;
mod engine;
#[cfg(test)]
mod engine_tests;
mod fields;
mod gang;
mod job;
#[cfg(test)]
mod oracle;
mod outcome;
mod policy;
#[cfg(test)]
mod properties;
mod read;
mod record;
mod sentence;
mod shape;
mod standing;
mod system;
mod tally;
mod task;
mod trace;

pub use budget::{Budget, Counts};
pub use decision::{Cause, Change, Decision, Event, Ignored, Ruling};
pub use engine::{IrisEngine, IrisUnit};
pub use fields::RECORD;
pub use gang::Cascade;
pub use job::Job;
pub use outcome::{Outcome, Phase, Resolved, Verdict};
pub use policy::{MAX_REPLICAS, Policy, Profile, Rules};
pub use read::IrisProfile;
pub use record::IrisFields;
pub use shape::PROFILE;
pub use standing::{JobState, Standing};
pub use tally::Tally;
pub use task::{Task, TaskState};
