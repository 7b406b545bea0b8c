//! The evaluator: what becomes of a job whose run has failed.
//!
//! Owns the meaning of policies (semantics.md). Two profiles, one code path: what differs between `v1` and
//! `v1beta1` is data ([`Profile`]). It reads no document and no clock, and allocates nothing after its buffers
//! have grown.
//!
//! A scheduler that embeds it compiles an [`Evaluator`], keeps a [`JobState`] a job and calls
//! [`Evaluator::decide`] with each failed run; `examples/embed.rs` does.

#[cfg(test)]
mod agreement;
mod backoff;
mod counts;
mod decide;
mod decision;
mod evaluator;
mod failure;
mod gate;
mod index;
mod memory;
mod names;
mod patterns;
mod profile;
mod reason;
mod resolve;
mod scope;
mod settings;
mod state;
mod table;
mod trace;

pub use decision::{Decision, DecisionCode, Grant, LegacyCause, LimitSource, RuleId, Use};
pub use evaluator::{Evaluator, Route, RuleName};
#[cfg(feature = "internals")]
pub use failure::Failure;
pub use index::Scratch;
pub use profile::{Profile, SpecialJobs, V1, V1BETA1};
pub use resolve::{Bindings, Effective, MissingPolicy};
pub use state::JobState;
pub use trace::Tried;
