//! A record on its way from a piece to its unit.

use super::key::Key;
use crate::history::RecordFields;
use crate::simulate::context::RunNode;

/// A record that is added to its unit.
pub(super) struct Record<'r, F: RecordFields> {
    pub(super) key: Key,
    pub(super) member: [u32; 2],
    pub(super) id: &'r str,
    pub(super) queue: Option<&'r str>,
    pub(super) unit: Option<Box<F::Unit>>,
    pub(super) index: Option<u32>,
    /// The node of its run, if it is a line.
    pub(super) node: RunNode<'r>,
    /// Its position in the history.
    pub(super) position: u64,
    /// Whether its unit is kept if it begins one.
    pub(super) is_kept: bool,
}
