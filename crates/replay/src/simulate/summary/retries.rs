//! The outcomes of granted retries, by their number in their job; and the nodes on which retries failed.

use super::RetryHours;
use super::numbered::{add_each, at};
use crate::simulate::figures::{Ending, NodeFigures};
use borsh::{BorshDeserialize, BorshSerialize};

/// The last number by which retries are counted alone; those of later numbers are counted together.
// A rule takes some 4 KiB with this many, and budgets beyond 20 retries are rare: it is Armada's global maximum.
const NUMBERED_RETRIES: u32 = 20;

/// The retries that a unit or a member was granted so far. Small, since a stream holds one for every unfinished
/// unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryCount {
    granted: u32,
    last_rule: u32,
}

/// In [`RetryCount`], no rule.
const NO_RULE: u32 = u32::MAX;

impl Default for RetryCount {
    fn default() -> Self {
        Self { granted: 0, last_rule: NO_RULE }
    }
}

impl RetryCount {
    /// Adds a retry, which a rule granted if it has a number.
    pub(crate) fn add(&mut self, rule: Option<u32>) {
        self.granted = self.granted.saturating_add(1);
        self.last_rule = rule.unwrap_or(NO_RULE);
    }

    /// Granted retries: the number of the last one.
    pub(crate) fn granted(self) -> u32 {
        self.granted
    }

    /// The rule that granted the last retry, if one did.
    pub(crate) fn last_rule(self) -> Option<u32> {
        Some(self.last_rule).filter(|rule| *rule != NO_RULE)
    }
}

/// The outcomes of some granted retries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RetryOutcomes {
    pub granted: u64,
    /// Those whose run is not recorded.
    pub missing: u64,
    /// Their recorded runs. They can be more than the granted retries: one retry can let several members run again.
    pub runs: RetryHours,
}

impl RetryOutcomes {
    /// Recorded runs.
    pub fn recorded(&self) -> u64 {
        self.runs.runs()
    }

    /// Adds the outcomes of others.
    pub fn merge(&mut self, other: Self) {
        self.granted += other.granted;
        self.missing += other.missing;
        self.runs.merge(other.runs);
    }
}

/// The outcomes of retries by their number in their job, from 1. Number 0 has the runs of members that ran again
/// with their unit, for which they were granted no retry of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RetriesByNumber(Vec<RetryOutcomes>);

impl RetriesByNumber {
    /// The outcomes of a number. The list is extended up to it.
    pub fn at(&mut self, number: u32) -> &mut RetryOutcomes {
        at(&mut self.0, number.min(NUMBERED_RETRIES + 1))
    }

    /// The outcomes of each number from 0.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &RetryOutcomes)> {
        (0u32..).zip(&self.0)
    }

    /// The outcomes of all numbers.
    pub fn sum(&self) -> RetryOutcomes {
        let mut sum = RetryOutcomes::default();
        self.0.iter().for_each(|outcomes| sum.merge(*outcomes));
        sum
    }

    /// Adds the outcomes of others.
    pub fn merge(&mut self, other: Self) {
        add_each(&mut self.0, other.0, RetryOutcomes::merge);
    }
}

impl NodeFigures {
    /// Adds a retry. `is_same` holds if the failure before it was on this node too.
    pub(super) fn add(&mut self, ending: Ending, is_same: bool) {
        let has_failed = ending == Ending::Failed;
        self.retries += 1;
        self.failed += u64::from(has_failed);
        self.failed_again += u64::from(has_failed && is_same);
    }
}
