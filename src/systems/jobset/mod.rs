//! JobSet, `jobset.x-k8s.io/v1alpha2`: its failure policy and the effect of it.
//!
//! A JobSet is a set of child Jobs, made from `replicatedJobs`. When a child Job has failed, the failure
//! policy decides about the whole set or, with a feature gate, about that Job alone. [`super::job`] decides
//! whether a child Job fails. The rules are those of the controller (kubernetes-sigs/jobset,
//! `pkg/controllers/failure_policy.go` and `in_place_restart.go`) and of the webhook
//! (`pkg/webhooks/jobset_webhook.go`), as of v0.12; the enhancement proposal differs in places and is not
//! followed. This module does not depend on the form of a history, and neither reads nor prints.

pub mod convert;
mod engine;
mod manifest;
mod record;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod validate;

pub use engine::counters::{Counters, JobCount, PodAttempt, in_place_limit};
pub use engine::decision::{RuleAction, SetCode, SetDecision};
pub use engine::failure_policy::{
    Applied, Choice, Evaluated, FailedJob, Mismatch, ReconcileError, Terminal, earliest, evaluate,
    mismatch, select,
};
pub use engine::state::SetState;
pub use engine::{JobSetEngine, SetMemory};
pub use manifest::read::{meaning, read};
pub use manifest::shape::JOBSET;
pub use manifest::{
    Action, FailurePolicy, FeatureGates, JobSet, MessagePattern, ReplicatedJob, RestartStrategy,
    Rule, SuccessOperator, SuccessPolicy, default_rule_name,
};
pub use record::SetFields;
pub use report::reason::trace;
pub use validate::{NameFault, REASONS, name_faults};
