//! Partial summaries: the figures of a replay of some shards of a history, as bytes.
//!
//! Figures merge, so that shards may be replayed by as many processes and merged in any order, to the report that one
//! process would print. All types of figures derive borsh's traits, so that a new figure is encoded too. The bytes have the
//! names sorted, and figures by the numbers of that order: equal figures have equal bytes.

mod figures;
mod file;
mod name_lists;

pub use figures::Figures;
pub use file::seal;
pub use file::{BadPartial, Header, HeldShard, PartialFile, system_of_partial, write};
