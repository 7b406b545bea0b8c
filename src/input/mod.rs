//! Bytes in: files, directories and standard input, decompressed. Nothing in them is decided here.

mod decompress;
mod encoding;
mod files;
mod foreign;
mod globs;
mod pieces;
mod small;
mod stream;
mod utf8;
mod walk;

pub use files::{expand, read_text, unreadable, unreadable_name};
pub use pieces::{Piece, Pieces};
pub use small::SmallFile;
pub use stream::{Stream, open};
pub use utf8::NotUtf8;
pub use walk::Endings;
