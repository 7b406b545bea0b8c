//! The fast path: one pass over the bytes of a line, from key to setter, without a tree.
//!
//! Owns the JSON grammar of that pass. It either reads a value exactly as the exact path does or gives
//! up (`None`); it never reports what is wrong. It gives up on repeated fields, on objects written as
//! lists, on times and nested keys with escapes, and on skipped values that nest deeper than 126.
//! Bytes that are not UTF-8 never reach it.

mod cursor;
mod key_matcher;
mod key_numbers;
mod object;
mod record;
mod skip;
mod string;
mod value_reader;

pub(in crate::history) use cursor::Cursor;
pub(in crate::history) use key_matcher::KeyMatcher;
pub(in crate::history) use key_numbers::KeyNumbers;
pub use object::{ObjectFields, Setter};
pub(in crate::history) use record::{Entries, first_text};
pub use value_reader::ValueReader;
