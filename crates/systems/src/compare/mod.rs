//! Two versions of a manifest, compared over all failures of one member and all sequences of them.
//!
//! A system has a finite list of failures that represent all others: both versions treat any failure as one of the list.
//! How a version treats a failure is the rule that decides about it and the action, which together with the counts of earlier
//! failures determine the decision. Versions with equal actions and equal parameters are the same. Others are walked through
//! together, breadth first, so that the first sequence with a difference is a shortest one; states are the counts of
//! failures by pairs of actions, or what a system makes of them.
//!
//! Each member is compared by itself. Left out are the texts of reasons.

mod history;
mod limits;
mod search;
#[cfg(test)]
pub(crate) mod testing;
mod walk;

use armada_retry::engine::compare::DifferenceKind;
use serde_json::Value;
use std::collections::HashSet;

pub use history::{Replayed, replay, wait};
pub use limits::{ChangedLimit, changed_limits};
pub use search::compare;

/// How a manifest treats a failure, apart from the counts of earlier failures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Treatment {
    /// The index of the rule that decides, or its number among the rules of all lists; `None` for a default.
    pub rule: Option<usize>,
    /// All that the decision depends on beside counts: the action, and what the rule sets of limits and waits.
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

impl Difference {
    /// The number of failures.
    fn failures(&self) -> usize {
        let runs = self.history.pointer("/spec/jobs/0/runs");
        runs.and_then(Value::as_array).map_or(0, Vec::len)
    }
}

/// The differences between the versions of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The differences, the most serious first; of one kind, those with the shortest history first.
    pub differences: Vec<Difference>,
    /// The reasons why a difference may be missing.
    pub undecided: Vec<String>,
}

impl Comparison {
    /// Returns whether it is proved that both versions decide every failure alike.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.undecided.is_empty()
    }

    /// Adds the comparison of the failures of another member.
    fn add(&mut self, other: Self) {
        self.differences.extend(other.differences);
        self.differences.sort_by_cached_key(|it| (it.kind, it.failures(), it.rules));
        let mut known = HashSet::new();
        self.differences.retain(|it| known.insert((it.kind, it.rules)));
        self.undecided.extend(other.undecided);
        self.undecided.dedup();
    }

    /// A comparison that was not possible.
    fn undecided(reason: impl Into<String>) -> Self {
        Self { differences: Vec::new(), undecided: vec![reason.into()] }
    }
}
