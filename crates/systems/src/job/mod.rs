//! The `batch/v1` Job: which failures of its pods it survives.
//!
//! Owns the meaning of a Job's manifest, the API server's checks of it, the match of a `podFailurePolicy`'s
//! rules with a pod, and the end of the Job. The rules are those of Kubernetes' Job controller
//! (`pkg/controller/job`), its defaults and its validation (`pkg/apis/batch`). Where its documentation
//! differs from the code, this module follows the code.

pub(crate) mod compared;
pub mod convert;
pub(crate) mod coverage;
mod engine;
mod index_source;
pub(crate) mod layers;
pub(crate) mod lint;
pub(crate) mod manifest;
mod parts;
pub(crate) mod record;
pub(crate) mod report;
mod system;
#[cfg(test)]
pub(crate) mod tests;
mod validate;
mod validate_containers;

pub use engine::decision::{JobEnd, Next, PodEnd, Successor};
pub use engine::pod::{IndexFailures, Pod};
pub use engine::pool::KnownPod;
pub use engine::replacement::JobOptions;
pub use engine::rule_match::{first_match, message};
pub use engine::state::{JobState, KnownMember};
pub use engine::status::{Failure, FailureReason, Ruling};
pub use engine::{JobEngine, JobManifest};
pub use manifest::read::{Creator, FeatureGates, read};
pub use manifest::shape::{JOB, JOB_SPEC};
pub use manifest::{
    CompletionMode, ConditionPattern, ConditionStatus, ExitCodes, JobPolicy, Operator, PodAction,
    PodRule, Requirement, RestartPolicy,
};
pub use parts::PodValues;
pub use record::pod_fields::has_failed;
pub use record::pods::{job_name, recorded_count};
pub use record::{PodFields, PodOutcome};
pub use report::reason::trace;
pub use report::text::{
    container_text, decided_text, ending, labels, pod_name, presumed_text, still_running,
};
pub(crate) use system::no_index;
pub use validate::admit;
pub use {
    engine::manage::{ManageResult, uncounted_failures},
    engine::pod::{Phase, PodCondition, PodContainer},
    engine::replacement::BackoffRecord,
    engine::rule_match::{MatchSource, RuleMatch, counts},
    engine::status::{Status, SyncContext},
};
