//! Findings about the policies themselves, of every system, without a failure of a job.
//!
//! Owns the lints, and what suppresses their findings: comments and baselines. `unit_test` runs the tests that authors of
//! policies write, and counts which rules, defaults and limits the tests cover; decisions come from the systems' engines,
//! through the replay of `simulate`. It reads no files and prints nothing.

pub mod baseline;
mod formatted;
pub mod lint;
pub mod lint_config;
pub mod suppression;
pub mod unit_test;

pub use formatted::formatted_kind;
