//! Where the index of a record is from.

/// Where the index of a record is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexSource {
    /// The record has none: it is 0.
    #[default]
    Absent,
    /// The record has it.
    Recorded,
    /// The pod was created without a valid index, which every pod of an Indexed Job has. The index tells apart pods
    /// that ran at the same time, and means nothing else.
    None,
}
