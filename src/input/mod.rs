//! Bytes in: files, directories and standard input. Nothing in them is decided here.

mod files;
mod lines;

pub use files::{expand, read_text};
pub use lines::{Layout, Line, Lines, Stream, open};
