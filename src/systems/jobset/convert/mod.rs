//! A JobSet as `v1` policies, and a `v1` policy as a JobSet.
//!
//! A set restarts as a whole, so it is one Armada job only where it is one pod. Its failures take
//! two steps, from the pod to its Job and from the Job to the set; a `v1` policy says both in one.

mod from_v1;
mod job_failure;
mod messages;
mod outcomes;
mod set;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
