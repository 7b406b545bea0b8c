//! Entries of a history that are counted and not replayed.

use borsh::{BorshDeserialize, BorshSerialize};
use std::borrow::Cow;

/// Why an entry of a source is not a run to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum SkippedKind {
    /// A run that has not ended, or whose end is not on record.
    NotEnded,
    /// A job that ended before it ran, such as a rejected one.
    NeverRan,
    /// A run with the sign of a disruption that is off: it is replayed as if it had none.
    UncountedDisruption,
    /// Anything else, such as an object that is not a pod.
    Other,
}

/// Entries of a source that are not ended runs.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SkippedEntries {
    /// The name of the source in messages.
    pub name: String,
    /// Why they were passed over.
    pub kind: SkippedKind,
    /// How many there were.
    pub count: usize,
    /// The noun for one of them, such as `pod that has not ended`.
    pub one: Cow<'static, str>,
    /// The noun for several of them.
    pub several: Cow<'static, str>,
}
