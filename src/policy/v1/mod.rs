//! The form of the design: `armadaproject.io/v1`, under `metadata` and `spec` (seed 000).

mod read;
mod shape;

pub(super) use read::{backoff, limit, memory, memory_text, read};
pub use shape::{BACKOFF, POLICY_V1};
pub(super) use shape::{LIMIT, RESOURCES};
