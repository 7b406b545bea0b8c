//! A profile of the BEP-1053 draft as a `v1` policy, and a `v1` policy as such a profile.
//!
//! An Armada job is run again until its policy says Fail, and so is a chain of sessions: limits and
//! waits carry over. The draft has one budget for all causes and jitter, Armada a budget a rule and
//! none. A failure is known to the draft by its cause, to Armada by what its pod says: `matchers`
//! has what stands for what.
//!
//! Nothing is lost where no jitter is added, waits do not shrink, events are on, and failures are
//! told apart by `oom_killed` and `kernel_nonzero_exit` alone, without a second budget.

mod from_v1;
mod matchers;
#[cfg(test)]
mod note_tests;
#[cfg(test)]
mod tests;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
