//! The `batch/v1` Job: which failures of its pods it survives.
//!
//! Owns what a Job's manifest means, what the API server refuses of one, which rule of a
//! `podFailurePolicy` matches a pod, and when the Job is over. The rules are those of Kubernetes'
//! Job controller (`pkg/controller/job`), its defaults and its validation (`pkg/apis/batch`); where
//! its documentation says something else, the code is followed.

mod admission;
#[cfg(test)]
mod admission_tests;
mod backoff;
mod decision;
mod describe;
mod engine;
#[cfg(test)]
mod engine_tests;
mod indexes;
mod limits;
mod manage;
mod matching;
mod model;
mod pod;
mod pods;
mod read;
pub(in crate::systems) mod record;
#[cfg(test)]
mod record_tests;
mod shape;
mod state;
mod status;
mod system;

pub use admission::admit;
pub use backoff::{BackoffRecord, JobOptions};
pub use decision::{Decision, DecisionCode, Use};
pub use describe::{ending, failure, labels, pod_name};
pub use engine::{JobEngine, JobManifest, JobUnit};
pub use indexes::{Indexes, NoIndexes};
pub use limits::exceeded;
pub use manage::{Managed, kept};
pub use matching::{Matched, MatchedBy, Tried, counts, first_match, message, trace};
pub use model::{
    CompletionMode, ConditionPattern, ConditionStatus, ExitCodes, JobPolicy, Operator, PodAction,
    PodReplacementPolicy, PodRule, Requirement, RestartPolicy,
};
pub use pod::{IndexFailures, Phase, Pod, PodCondition, PodContainer};
pub use pods::{in_namespace, job_name};
pub use read::{Creator, FeatureGates, read};
pub use record::{PodFields, PodOutcome, RECORD};
pub use shape::{JOB, JOB_SPEC};
pub use state::{JobEnd, JobState, Next, PodEnd};
pub use status::{Around, Failure, FailureReason, Ruling, Status};
pub use system::tried;
