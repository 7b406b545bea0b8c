//! A simulated cluster as text: the answer, first on a screen; the tables that are named; all tables; and the section of a
//! comment.

mod answer;
mod comparison;
mod details;
mod figures;
mod headline;
mod markdown;
mod queues;
mod sections;
mod summary;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;

pub use answer::{answer, quiet, wide};
pub use markdown::markdown;
pub use sections::Section;
