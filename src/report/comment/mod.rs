//! Markdown of reports, as GitHub, GitLab and Gitea render it in comments: a section for each command, which several
//! commands write into one file (docs/reports.md).
//!
//! `text` escapes texts of files, `block` has the parts of a section and its limit; `file` puts a section into a file.
//! `findings` writes the section of `validate`, `lint` and `test`, `comparison` that of `compare`, both with a `table`; `page` writes
//! that of `simulate`, and `failure` that of any of them that fails.

mod block;
mod comparison;
mod failure;
mod file;
mod findings;
mod page;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use failure::Failure;
pub use file::{FileError, check, document, is_comment, merge};
pub(super) use findings::render;
pub use page::markdown;
