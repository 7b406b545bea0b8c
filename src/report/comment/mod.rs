//! Markdown of reports, as GitHub, GitLab and Gitea render it in comments: a section for each command, which several
//! commands write into one file (docs/reports.md).
//!
//! `text` escapes texts of files, `block` has the parts of a section and its limit; `file` puts a section into a file,
//! also that of a command that fails. `findings` writes the section of `validate`, `lint`, `test` and `compare`, `page`
//! that of `simulate`.

mod block;
mod file;
mod findings;
mod page;
#[cfg(test)]
mod tests;
mod text;

pub use file::{Failure, FileError, check, document, is_comment, merge};
pub(super) use findings::render;
pub use page::markdown;
