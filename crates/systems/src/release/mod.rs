//! The differences between releases in retry policies: one table, a row for each.
//!
//! Owns the rows with their sources, the versions of programs, and what older releases make of fields that they do not have.
//! A row is in force from a version on; `--release` sets the versions. Engines read documents from which [`prepare()`] has
//! removed what the release drops.

mod airflow;
mod armada;
mod assumed;
mod compare;
mod difference;
mod fields;
mod jobset;
mod kubernetes;
mod prepare;
mod program;
mod releases;
mod replayed;
mod table;
#[cfg(test)]
mod tests;
mod version;

pub use assumed::{AssumedRelease, ReleaseOrigin, assumed_releases, has_releases_of, programs_of};
pub use compare::{ReachedDifference, example_answers, reached_differences, rows_without_model};
pub use difference::{
    Difference, DifferenceKind, Effect, EffectAction, Example, InPlace, Model, Needs, Owner,
};
pub use prepare::prepare;
pub use program::{Program, Release};
pub use releases::Releases;
pub use table::differences;
pub use version::Version;
