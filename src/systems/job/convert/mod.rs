//! A Job as a `v1` policy, and a `v1` policy as a Job.
//!
//! An Armada job is one pod. So is a Job of one pod, and an index of a Job that counts its indexes
//! apart. Where nothing is lost, the same failures lead to another attempt after the same wait, or
//! to the end (`docs/converting.md` says where, and why). A JobSet is made of Jobs, and its
//! conversions lean on these.

mod asked;
mod codes;
mod from_v1;
mod matchers;
mod rules;
mod step;
mod template;
mod to_v1;

pub(in crate::systems) use asked::{Asked, Waits};
pub use from_v1::from_v1;
pub(in crate::systems) use from_v1::{MOST_RULES, template_of};
pub(in crate::systems) use step::{Follows, Ladder, Step, UNLIMITED};
pub(in crate::systems) use template::Template;
pub use to_v1::to_v1;
pub(in crate::systems) use to_v1::{WAITS, named, unsaid};
