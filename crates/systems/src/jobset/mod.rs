//! JobSet, `jobset.x-k8s.io/v1alpha2`: its failure policy and the effect of it.
//!
//! A JobSet is a set of child Jobs, made from `replicatedJobs`. When a child Job has failed, the failure
//! policy decides about the whole set or, with a feature gate, about that Job alone. [`super::job`] decides
//! whether a child Job fails. The rules are those of the controller (kubernetes-sigs/jobset,
//! `pkg/controllers/failure_policy.go` and `in_place_restart.go`) and of the webhook
//! (`pkg/webhooks/jobset_webhook.go`), as of v0.12; the enhancement proposal differs in places and is not
//! followed. This module does not depend on the form of a history, and neither reads nor prints.

mod compared;
pub mod convert;
mod coverage;
mod engine;
mod layers;
mod lint;
mod manifest;
mod numbered;
mod parts;
mod record;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod unsupported;
mod validate;

pub use engine::JobSetEngine;
pub use manifest::read::read;
pub use manifest::{Action, JobSet, ReplicatedJob, RestartStrategy, Rule};
pub use report::reason::trace;
pub use {
    engine::counters::{Counters, JobCount, PodAttempt, in_place_limit},
    engine::failure_policy::{
        Applied, Evaluated, FailedJob, Terminal, earliest, evaluate, mismatch, select,
    },
    manifest::read::meaning,
    manifest::{FailurePolicy, FeatureGates, MessagePattern},
    record::SetFields,
    validate::{NameFault, name_faults},
};
