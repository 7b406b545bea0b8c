//! What is found in policies themselves, of every system, without a failure of a job.
//!
//! Owns the lints, and what suppresses their findings. It reads no files and prints nothing.

pub mod lint;
pub mod suppression;
