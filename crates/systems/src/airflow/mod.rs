//! Apache Airflow's task instance: whether a failed try is followed by another, and when.
//!
//! Owns the meaning of a task's retry settings, the differences between releases, and the delay of a task
//! instance. The rules are those of `TaskInstance.next_retry_datetime` and `is_eligible_to_retry`
//! (`airflow/models/taskinstance.py`) in the releases 2.6.3, 2.9.3, 2.11.2, 3.0.4, 3.0.6, 3.1.8, 3.2.2, 3.3.2 and 3.4.0b2, and for retry policies
//! those of the worker (`airflow/sdk/definitions/retry_policy.py`, `airflow/sdk/execution_time/task_runner.py`) in
//! task-sdk 1.3.2 and 1.4.0b2. Numbers are floats only
//! where Python's are: the delay in seconds, the multiplier and its power. Their product is rounded up to a
//! whole second; all other numbers are integers.
//!
//! Open points of Airflow, and the choice made here:
//! - Releases before 3.0.6 raise `OverflowError` if the power or the product is not finite. The scheduler computes the
//!   delay of every task that is `up_for_retry` (`NotInRetryPeriodDep`), so that the error ends it each time; the task
//!   is not tried again. Such a task instance has no end here.
//! - Python's `**` is the platform's `pow`, and so is the one here: a base within a rounding error of a whole
//!   second may differ between platforms, in Airflow as here.
//! - The override of the delay was added in 3.3; older profiles ignore it.
//! - Since 3.0 the worker gets its answer from the execution API, which checks `max_tries != 0` where the
//!   model checks the task's `retries`. They differ after clearing, and after the DAG's `retries` were lowered. The model
//!   decides where the worker has died or the task was not running.
//! - A `retry_exponential_backoff` of true means 2, since deserializing a stored DAG makes it 2; it is 1 only
//!   in an operator that was never stored.
//! - A retry policy runs in the worker, which alone has the exception. If the process or its worker dies, the scheduler
//!   ends the try by `retries` alone (`process_executor_events`, `_purge_task_instances_without_heartbeats`); such a try has
//!   `workerDied` in its record. The supervisor ends that of a process that was killed (`final_state`), which has
//!   `processExit`: task-sdk 1.0.0 to 1.1.1 fail the task, 1.1.2 and 1.1.3 retry it for signals only, later ones for any
//!   exit code but 0. A failed try without `exceptions` is decided the same way, and counted.
//! - Classes are compared by name. Another import path of a class is another name, except for a few of Python's and
//!   Airflow's own; an import that fails matches nothing in Airflow, and here it matches the class of that name.
//! - A try that ends before it begins keeps the delay that a retry policy set for the try before: Airflow clears
//!   `retry_delay_override` only as a try begins.
//! - A sensor's pokes count as reschedules of its try. They are not failures, so only `rescheduleCount` of a record has
//!   their number, and `reschedule_timeout` is counted from the first reschedule by the retry policy.
//!
//! A unit is a task instance, and a run is one of its tries. Defaults for absent fields of a record: the
//! unit's id replaces `taskId` in the hash, an empty text replaces `dagId`, and `None` replaces
//! `logicalDate`. An absent `tryNumber` is one more than that of the previous try, and the first is 1. A try
//! that was cleared while it ran takes a number like any other, and another try always follows.

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

pub use engine::{AirflowEngine, AirflowManifest};
pub use manifest::profile::Profile;
pub use manifest::python_time::TimeDelta;
pub use manifest::{AirflowPolicy, read};
pub use {
    engine::delay::{Hashed, TaskInstance, delay},
    engine::eligibility::{InstanceState, TryNumbers, eligibility},
    engine::failed_try::FailedTry,
    manifest::backoff::Backoff,
    manifest::python_time::LogicalDate,
    manifest::shape::PROFILE,
    record::{TryFields, TryOutcome},
};
