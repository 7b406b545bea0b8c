//! Conversion of a JobSet to `v1` policies, and of a `v1` policy to a JobSet.
//!
//! A set restarts as a whole, so it corresponds to one Armada job only if it has one pod. A failure takes two
//! steps, from the pod to its Job and from the Job to the set; a `v1` policy decides both in one.

mod from_v1;
mod job_failure;
mod outcomes;
mod set;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
