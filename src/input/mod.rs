//! Bytes in: files, directories and standard input, decompressed. Nothing in them is decided here.

mod decompress;
mod files;
mod lines;
mod stream;
mod utf8;

pub use files::{Endings, expand, read_text, unreadable};
pub use lines::{Line, Lines};
pub use stream::{Stream, open};
pub use utf8::NotUtf8;
