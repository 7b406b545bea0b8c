//! Armada's evaluator: the decision about a job whose run failed.
//!
//! Owns the meaning of policies (semantics.md, sections 1 to 8). Step 1 of section 5 and gangs (section 9) are in
//! `crates/systems/src/armada/engine.rs`. Both profiles run through one code path: the
//! differences between `v1` and `v1beta1` are data ([`Profile`]). The evaluator reads neither documents nor
//! clocks. A decision allocates no memory once the working memory of its caller ([`Scratch`]) has its final
//! size.
//!
//! A scheduler that embeds it compiles one [`Evaluator`], keeps a [`JobState`] for each job and calls
//! [`Evaluator::decide`] for each failed run; `examples/embed.rs` is such a program.

#[cfg(test)]
mod agreement;
mod backoff;
pub mod compare;
mod counts;
mod decide;
mod decision;
mod evaluator;
mod failure;
mod gate;
mod index;
mod job;
mod memory;
mod names;
mod node_list;
mod profile;
mod reason;
mod resolve;
mod run;
mod scope;
mod settings;
mod state;
mod table;
mod trace;

pub use backoff::Schedule;
pub use decision::{Decision, DecisionCode, Grant, LegacyCause, LimitSource, RuleId, Use};
pub use evaluator::{Evaluator, Route, RuleName};
pub use failure::{Failure, OF_EXPIRED_LEASES};
pub use index::Scratch;
pub use job::{
    ANNOTATIONS, FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, JobFields, RETRY_POLICY, Resources,
};
pub use node_list::NodeList;
pub use profile::{Counting, Profile, QueuePolicies, SpecialJobs, V1, V1BETA1};
pub use resolve::{Bindings, Effective, MissingPolicy};
pub use run::{Container, EndedRun, Outcome, Unplaced};
pub use settings::Reload;
pub use state::JobState;
pub use trace::Tried;
