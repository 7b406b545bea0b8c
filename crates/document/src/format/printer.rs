//! The text that is written, and what it is made from.

use crate::Layout;
use std::collections::HashMap;

pub(super) struct Printer<'a> {
    pub(super) layout: &'a Layout,
    pub(super) spellings: &'a HashMap<usize, String>,
    /// Whether an alias could come before its anchor in another order.
    pub(super) keeps_order: bool,
    pub(super) out: String,
}

/// The spaces of a level.
pub(super) const INDENT: usize = 2;
