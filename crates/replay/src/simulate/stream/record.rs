//! A record on its way to its unit.

use super::key::Key;
use crate::history::RecordFields;
use crate::simulate::context::{RunNode, UnitId};
use crate::simulate::moment::Matched;
use crate::simulate::summary::EndFacts;

/// A record that is added to its unit.
pub(super) struct Record<'r, F: RecordFields> {
    pub(super) key: Key,
    pub(super) member: [u32; 2],
    pub(super) id: UnitId<'r>,
    pub(super) unit: RecordUnit<'r, F>,
    pub(super) index: Option<u32>,
    /// How its run ended, if that was determined.
    pub(super) end: Option<EndFacts>,
    /// The rule that matches its run, engine by engine, if they were asked.
    pub(super) matched: &'r [Matched],
    /// The node of its run.
    pub(super) node: RunNode<'r>,
    /// Its position in the history.
    pub(super) position: u64,
    /// Whether its unit is kept if it begins one.
    pub(super) is_kept: bool,
}

/// The queue and the fields of its unit that a record holds.
#[derive(Debug)]
pub(super) enum RecordUnit<'r, F: RecordFields> {
    /// The queue and the fields of the kind of this number.
    Kind(u32),
    /// A queue and fields.
    Read(Option<&'r str>, Option<Box<F::Unit>>),
}
