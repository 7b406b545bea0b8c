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
pub mod convert;
mod decision;
mod describe;
mod end;
mod engine;
#[cfg(test)]
mod engine_tests;
pub(in crate::systems) mod fields;
mod indexes;
mod limits;
pub(in crate::systems) mod line;
mod look;
mod manage;
mod matching;
mod model;
mod pod;
mod pods;
mod read;
mod record;
#[cfg(test)]
mod record_tests;
mod rules_shape;
mod sentence;
pub(in crate::systems) mod shape;
mod state;
mod status;
mod success;
mod system;
mod trace;
mod words;

pub use admission::admit;
pub use backoff::{BackoffRecord, JobOptions};
pub use decision::{Decision, DecisionCode, Use};
pub use end::{JobEnd, Next, PodEnd};
pub use engine::{JobEngine, JobManifest, JobUnit};
pub use fields::RECORD;
pub use indexes::{Indexes, NoIndexes};
pub use limits::exceeded;
pub use manage::{Managed, kept};
pub use matching::{Matched, MatchedBy, counts, first_match, message};
pub use model::{
    CompletionMode, ConditionPattern, ConditionStatus, ExitCodes, JobPolicy, Operator, PodAction,
    PodReplacementPolicy, PodRule, Requirement, RestartPolicy,
};
pub use pod::{IndexFailures, Phase, Pod, PodCondition, PodContainer};
pub use pods::{job_name, recorded_count};
pub use read::{Creator, FeatureGates, read};
pub use record::{PodFields, PodOutcome};
pub use shape::{JOB, JOB_SPEC};
pub use state::{JobState, KnownMember};
pub use status::{Around, Failure, FailureReason, Ruling, Status};
pub use success::{SuccessRule, met_rule};
pub(in crate::systems) use system::no_index;
pub use trace::trace;
pub use words::{
    container_text, ending, failed, failure, labels, pod_name, presumed, still_running,
};
