//! Apache Airflow's task instance: whether a failed try is followed by another, and when.
//!
//! Owns what a task's retry settings mean, how they differ between releases, and how long a task
//! instance waits. The rules are those of `TaskInstance.next_retry_datetime` and
//! `is_eligible_to_retry` (`airflow/models/taskinstance.py`), read in the releases 2.6.3, 2.9.3,
//! 3.0.6 and 3.3.2 (facts, section 3). Numbers are floats only where Python's are: the delay in
//! seconds, the multiplier and its power; what comes of them is rounded up to a whole second, and
//! all else is whole numbers.
//!
//! What Airflow leaves open, and what is done here:
//! - Releases before 3.0.6 raise `OverflowError` where the power or the product is no finite
//!   number, and nothing is decided. Here the ceiling is taken, as later releases take it.
//! - Python's `**` is the platform's `pow`, and so is the one here: a base that falls within a
//!   rounding error of a whole second may differ between platforms, in Airflow as here.
//! - An override of the delay came with 3.3; older profiles know none and pass over it.
//! - Since 3.0 the worker is told whether to retry by the execution API, which asks for
//!   `max_tries != 0` where the model asks for the task's `retries`. They differ only once
//!   `max_tries` has been changed by hand; the model's rule is followed.
//! - A `retry_exponential_backoff` that is true means 2 since that is what reading a stored DAG
//!   makes of it; only an operator that never was stored has a true that is the number 1.
//!
//! A unit is a task instance, and a run one of its tries. What a record does not say: without a
//! `taskId` the unit's id is hashed in its place, without a `dagId` nothing is, without a
//! `logicalDate` `None` is. Without a `tryNumber` it is one more than that of the try before, and
//! the first is 1. A try that was cleared as it ran takes a number as any other, and is followed by
//! another all the same.

mod audit;
pub mod convert;
mod decide;
mod decision;
mod delay;
#[cfg(test)]
mod delay_tests;
mod describe;
mod eligible;
mod engine;
#[cfg(test)]
mod engine_tests;
mod fields;
mod jitter;
mod logical_date;
mod model;
mod profile;
mod read;
#[cfg(test)]
mod read_tests;
mod record;
#[cfg(test)]
mod record_tests;
mod sentence;
mod shape;
mod system;
mod timedelta;
mod trace;

pub use decide::{FailedTry, TryCounts};
pub use decision::Decision;
pub use delay::{Delay, DelayRule, delay};
pub use eligible::{Eligibility, InstanceState, Tries, eligibility};
pub use engine::{AirflowEngine, AirflowManifest, TaskUnit};
pub use fields::RECORD;
pub use jitter::{Hashed, TaskInstance};
pub use logical_date::LogicalDate;
pub use model::{AirflowPolicy, Backoff};
pub use profile::Profile;
pub use read::read;
pub use record::{TryFields, TryOutcome};
pub use shape::PROFILE;
pub use timedelta::TimeDelta;
