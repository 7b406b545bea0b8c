//! Conversion between an Airflow profile and a `v1` policy.
//!
//! A task instance is tried until it succeeds or its retries are used up, as an Armada job is run. Airflow's
//! settings do not distinguish failures by reason, and its retry policies only by their exceptions, which Armada does
//! not have, so the `v1` policy has no rules. Delays are constant, or
//! grow with a jitter, which `v1` does not have. Without a `lost` note, the same failures lead to another try
//! after the same delay, or to the end. A profile does not contain what a try itself reports
//! (`AirflowFailException`, that it was cleared), so that is not converted.

mod from_v1;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
