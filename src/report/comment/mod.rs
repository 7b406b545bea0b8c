//! Markdown of reports, as GitHub, GitLab and Gitea render it in comments: a section for each command, which several
//! commands write into one file (docs/reports.md).
//!
//! `text` escapes texts of files, `short_paths` has names of files, `block` the parts of a section and its limit; `file`
//! puts a section into a file. `findings` writes the section of `validate`, `lint` and `test`, `simulation` that of
//! `simulate`, and `failure` that of any of them that fails.

mod block;
mod failure;
mod file;
mod findings;
mod provenance;
mod short_paths;
mod simulation;
#[cfg(test)]
mod tests;
mod text;

pub(super) use block::Block;
pub use failure::Failure;
pub use file::{FileError, check, document, is_comment, merge};
pub(super) use findings::render;
pub use provenance::{InputFile, Provenance};
pub use short_paths::ShortPaths;
pub(super) use simulation::{SimulationSection, lines};
pub(super) use text::{code, inline};
