//! Bytes in: files, directories and standard input. Nothing in them is decided here.

mod files;
mod lines;
mod utf8;

pub use files::{expand, read_text};
pub use lines::{Layout, Line, Lines, Stream, open};
pub use utf8::NotUtf8;
