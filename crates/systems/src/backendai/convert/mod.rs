//! Conversion between a profile of the BEP-1053 draft and a `v1` policy.
//!
//! An Armada job is run again until its policy decides Fail, and so is a chain of sessions: limits and delays
//! carry over. The draft has one budget for all causes, and jitter. Armada has a budget per rule, and no
//! jitter. The draft distinguishes failures by cause, Armada by the state of the pod: `matchers` maps one to
//! the other.
//!
//! A conversion is exact if no jitter is added, delays do not shrink, events are on, only the causes
//! `oom_killed` and `kernel_nonzero_exit` differ from the others, and there is one budget.

mod from_v1;
mod matchers;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
