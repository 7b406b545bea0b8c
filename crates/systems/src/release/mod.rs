//! The differences between releases in retry policies: one table, a row for each.
//!
//! Owns the rows with their sources, the versions of programs, and what older releases make of fields that they do not have.
//! A row is in force from a version on; `--release` sets the versions. Engines read documents from which [`prepare()`] has
//! removed what the release drops.

mod airflow;
mod armada;
mod compare;
mod difference;
mod jobset;
mod kubernetes;
mod prepare;
mod program;
mod releases;
mod table;
#[cfg(test)]
mod tests;
mod version;

pub use compare::{
    ReachedDifference, assumed_releases, example_answers, has_releases_of, programs_of,
    reached_differences,
};
pub use difference::{Difference, DifferenceKind, Effect, EffectAction, Example, Model, Owner};
pub use prepare::prepare;
pub use program::{Program, Release};
pub use releases::Releases;
pub use table::differences;
pub use version::Version;
