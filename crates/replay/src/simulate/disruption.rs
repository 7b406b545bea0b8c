//! Counts of retries by what disrupted the run before them.

use crate::disruption::Kind;
use borsh::{BorshDeserialize, BorshSerialize};

/// Retries by the disruption after which they were granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DisruptionCounts([u64; Kind::ALL.len()]);

impl DisruptionCounts {
    /// Adds a retry.
    pub fn add(&mut self, kind: Kind) {
        self.0[kind as usize] += 1;
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }

    /// The retries after disruptions of some kinds.
    pub fn sum(self, is_of: impl Fn(Kind) -> bool) -> u64 {
        let all = Kind::ALL.into_iter().zip(self.0);
        all.filter(|(kind, _)| is_of(*kind)).map(|(_, count)| count).sum()
    }
}
