//! Outcomes of units that a source reports apart from their runs.

use std::collections::HashMap;

/// The outcome of a unit by its source, whatever its last run on record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitOutcome {
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// It has not ended.
    Open,
}

/// Outcomes by the ids of units.
pub type UnitOutcomes = HashMap<String, UnitOutcome>;
