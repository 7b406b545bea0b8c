//! JobSet, `jobset.x-k8s.io/v1alpha2`: what its failure policy says and does.
//!
//! A JobSet is a set of child Jobs, made from `replicatedJobs`. When a child Job has failed, the
//! failure policy decides about the whole set or, behind a feature gate, about that Job alone. How
//! a child Job comes to fail is [`super::job`]'s to say. The rules are those of the controller
//! (kubernetes-sigs/jobset, `pkg/controllers/failure_policy.go` and `in_place_restart.go`) and of
//! the webhook (`pkg/webhooks/jobset_webhook.go`), as of v0.12; the enhancement proposal differs in
//! places and does not count. Must not know a history's form, nor read or print anything.

mod admission;
#[cfg(test)]
mod admission_tests;
mod apply;
mod child;
pub mod convert;
mod counters;
mod decision;
mod details;
mod engine;
mod gates;
mod in_place;
mod in_place_admission;
mod jobs_admission;
mod look;
mod model;
mod never_released;
#[cfg(test)]
mod oracle;
mod pods;
mod read;
mod record;
#[cfg(test)]
mod replays;
mod report;
mod rule;
mod select;
mod sentence;
mod shape;
mod state;
mod strangers;
mod system;
mod trace;

pub use admission::{NameFault, REASONS, name_faults};
pub use apply::{Applied, Evaluated, ReconcileError, Terminal, evaluate};
pub use counters::{Counters, JobCount};
pub use decision::{Said, SetCode, SetDecision};
pub use engine::{JobSetEngine, SetMemory};
pub use gates::FeatureGates;
pub use in_place::{PodAttempt, in_place_limit};
pub use model::{
    Action, FailurePolicy, JobSet, MessagePattern, ReplicatedJob, RestartStrategy, Rule,
    SuccessOperator, SuccessPolicy, default_rule_name,
};
pub use read::{meaning, read};
pub use record::{RECORD, SetFields};
pub use rule::{FailedJob, Mismatch, mismatch};
pub use select::{Choice, earliest, select};
pub use shape::JOBSET;
pub use state::SetState;
pub use trace::trace;
