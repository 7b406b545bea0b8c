//! Conversion between a job definition and a `v1` policy.
//!
//! Both compare a failure with rules in order. They differ in what a rule compares: AWS Batch compares texts of its own,
//! of which two have a counterpart in Armada, a terminated host and exceeded memory; in the default, which retries here
//! and fails there unless it is set; and in the count: all retries of an AWS Batch job share its attempts, and each `v1`
//! rule has its own. Without a `lost` note, and apart from those that are approximated, the same failures lead to another
//! attempt or to the end.

mod from_v1;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
