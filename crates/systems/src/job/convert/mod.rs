//! Conversion between a Job and a `v1` policy.
//!
//! An Armada job is one pod. So is a Job of one pod, and an index of a Job with limits per index. Without a
//! `lost` note, the same failures lead to another attempt after the same delay, or to the end (see
//! `docs/converting-fields.md`). A JobSet consists of Jobs, and its conversions use these.

mod code_set;
mod from_v1;
mod matchers;
mod required_rules;
mod rules;
mod steps;
mod to_v1;

pub use from_v1::from_v1;
pub(crate) use from_v1::{MOST_RULES, template_of};
pub(crate) use required_rules::{FixedBackoff, RequiredRules};
pub(crate) use steps::{Consequence, Step, StepList, Template, UNLIMITED};
pub use to_v1::to_v1;
pub(crate) use to_v1::{JOB_BACKOFF, note_unsupported};
