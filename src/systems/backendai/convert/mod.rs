//! A profile of the BEP-1053 draft as a `v1` policy, and a `v1` policy as such a profile.
//!
//! An Armada job is run again until its policy says Fail, and so is a chain of sessions: limits and
//! waits carry over. The draft has one budget for all causes and jitter, Armada a budget a rule and
//! none. The draft knows a failure by its cause, Armada by the state of its pod: `matchers` maps
//! one to the other.
//!
//! Nothing is lost where no jitter is added, waits do not shrink, events are on, and failures are
//! told apart by `oom_killed` and `kernel_nonzero_exit` alone, without a second budget.

mod from_v1;
mod matchers;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
