//! A simulated cluster as text: the answer, first on a screen; the tables that are named; all tables.

mod answer;
mod comparison;
mod details;
pub(super) mod figures;
pub(super) mod headline;
mod queues;
mod sections;
pub(super) mod summary;
pub(super) mod table;
mod tables;
#[cfg(test)]
mod tests;
pub(super) mod verdict;

pub use answer::{answer, quiet, wide};
pub use sections::Section;
