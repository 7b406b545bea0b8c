//! What a task's retry settings say.

use super::profile::Profile;
use super::timedelta::TimeDelta;

/// A task's retry settings under a release, with Airflow's defaults for what is not said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AirflowPolicy {
    /// The release that judges.
    pub profile: Profile,
    /// `retries`: tries after the first. By default `core.default_task_retries`, which is 0.
    pub retries: u32,
    /// `retry_delay`: the delay before a retry, and the base that it grows from; 5 minutes.
    pub retry_delay: TimeDelta,
    /// `retry_exponential_backoff`: whether, or how fast, it grows; not by default.
    pub backoff: Backoff,
    /// `max_retry_delay`: the longest delay of those that grow. None caps nothing, nor does zero.
    pub max_retry_delay: Option<TimeDelta>,
    /// `core.max_task_retry_delay`: the longest of all delays that grow, in seconds; a day. It is
    /// set for the whole of an installation.
    pub max_task_retry_delay: u64,
}

impl Default for AirflowPolicy {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            retries: 0,
            retry_delay: TimeDelta::from_micros(300_000_000),
            backoff: Backoff::Flag(false),
            max_retry_delay: None,
            max_task_retry_delay: 86_400,
        }
    }
}

/// `retry_exponential_backoff`, as a DAG's file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Whether delays double. Reading a stored DAG makes 2.0 of true and 0 of false
    /// (`airflow/serialization/serialized_objects.py`).
    Flag(bool),
    /// The multiplier; before 3.2 any but 0 means doubling.
    Number(f64),
}
