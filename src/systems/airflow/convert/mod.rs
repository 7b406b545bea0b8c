//! A profile of Airflow's as a `v1` policy, and a `v1` policy as such a profile.
//!
//! A task instance is tried until it succeeds or its retries are used up, as an Armada job is run.
//! Airflow's settings name no reason of a failure, so that a `v1` policy without rules says as much; it
//! waits as long each time, or grows with a jitter, which `v1` has not. Where nothing is lost, the
//! same failures lead to another try after the same wait, or to the end. What a try says for itself
//! (`AirflowFailException`, a retry policy, that it was cleared) stands in no profile, and so in no
//! conversion.

mod from_v1;
#[cfg(test)]
mod tests;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
