//! Two versions of a manifest, compared over all failures of one member and all sequences of them.
//!
//! A system has a finite list of failures that represent all others: both versions treat any failure as one of the list.
//! How a version treats a failure is the rule that decides about it and the action, which together with the counts of earlier
//! failures determine the decision. Versions with equal actions and equal parameters are the same. Others are walked through
//! together, breadth first, so that the first sequence with a difference is a shortest one; states are the counts of
//! failures by pairs of actions.
//!
//! Left out are other members, deadlines and the texts of reasons.

mod history;
mod search;
#[cfg(test)]
pub(crate) mod testing;
mod walk;

use armada_retry::engine::compare::DifferenceKind;
use serde_json::Value;

pub use history::{Replayed, replay};
pub use search::compare;

/// How a manifest treats a failure, apart from the counts of earlier failures.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Treatment {
    /// The index of the rule that decides; `None` for a default.
    pub rule: Option<usize>,
    /// What the decision depends on beside counts: the action, and what the rule sets of limits and waits.
    pub action: String,
    /// Whether the failure changes later decisions.
    pub is_counted: bool,
}

/// A difference between the versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The kind.
    pub kind: DifferenceKind,
    /// The index of the rule that decides in each version; `None` for a default.
    pub rules: [Option<usize>; 2],
    /// A shortest history with the difference: its last failure is decided otherwise.
    pub history: Value,
}

/// The differences between the versions of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The differences, the most serious first; of one kind, those with the shortest history first.
    pub differences: Vec<Difference>,
    /// What could not be compared.
    pub undecided: Vec<String>,
}

impl Comparison {
    /// Returns whether it is proved that both versions decide every failure alike.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.undecided.is_empty()
    }

    /// A comparison that was not possible.
    fn undecided(reason: impl Into<String>) -> Self {
        Self { differences: Vec::new(), undecided: vec![reason.into()] }
    }
}
