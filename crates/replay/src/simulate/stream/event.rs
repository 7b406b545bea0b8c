//! The lines of a piece on their way from the first phase to the second.

use super::key::Key;
use document::units::Time;
use std::ops::Range;

/// A line whose unit is known.
#[derive(Debug)]
pub(super) struct Event {
    /// The hash of its unit's id.
    pub(super) key: Key,
    /// The byte of the piece at which it begins.
    pub(super) at: usize,
    pub(super) body: EventBody,
}

/// The rest of a line.
#[derive(Debug)]
pub(super) enum EventBody {
    /// A run that is like others.
    Alike(AlikeRun),
    /// The length in bytes of a line that is read where its unit is judged.
    Line(usize),
    /// The length of a line that belongs to another shard of the history unless its unit is known.
    OfOtherShard(usize),
}

/// A run that is like the one of a signature.
#[derive(Debug)]
pub(super) struct AlikeRun {
    /// The number of the signature.
    pub(super) signature: u32,
    /// The number of the kind of units that the line describes.
    pub(super) kind: u32,
    pub(super) started_at: Option<Time>,
    pub(super) finished_at: Option<Time>,
    /// The run's index, if the line has one.
    pub(super) index: Option<u32>,
    /// The number of its node, if a count may need it.
    pub(super) node: Option<u32>,
    /// The bytes of its unit's id, counted from the beginning of the line.
    pub(super) id: Range<usize>,
}
