//! Bytes in: files, directories and standard input, decompressed. Nothing in them is decided here.

mod decompress;
mod files;
mod pieces;
mod small;
mod stream;
mod utf8;

pub use files::{Endings, expand, read_text, unreadable};
pub use pieces::{Piece, Pieces};
pub use small::SmallFile;
pub use stream::{Stream, open};
pub use utf8::NotUtf8;
