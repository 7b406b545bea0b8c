//! Conversion between the retry strategies of a workflow and `v1` policies.
//!
//! A retry node is run until it succeeds or its retries are used up, as an Armada job is. Argo's phases are Armada's
//! outcomes of a run in part: an attempt that is Failed is a failed run, and one in Error is a run without an exit code, a
//! deleted pod or an error of the controller, which Armada's rules match by conditions, if at all. Without a `lost` note,
//! the same failures lead to another attempt after the same delay, or to the end.

mod from_v1;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
