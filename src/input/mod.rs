//! Input: bytes of files, directories and standard input, decompressed and not interpreted.

mod compress;
mod decompress;
mod encoding;
mod exclude;
mod files;
mod globs;
mod paths;
mod pieces;
mod stream;
mod unreadable;
mod unsupported;
mod walk;

pub use compress::Encoding;
pub use exclude::{Exclusion, Exclusions};
pub use files::{expand, expand_without, read_text};
pub use paths::{find_repository, is_read_by, relative_path, resolve_path};
pub use pieces::Pieces;
pub use stream::{Stream, open};
pub use unreadable::{display_name, unreadable_name};
pub use walk::Endings;
