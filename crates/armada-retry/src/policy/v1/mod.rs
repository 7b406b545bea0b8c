//! The `armadaproject.io/v1` form of policies, with `metadata` and `spec`.

mod read;
mod shape;

pub(super) use read::{backoff, limit, memory, memory_text, read};
pub use shape::{BACKOFF, POLICY_V1};
pub(super) use shape::{LIMIT, RESOURCES, RULE};
