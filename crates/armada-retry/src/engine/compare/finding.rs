//! A difference of two rules, before it is in a group.

use super::difference::{Cause, Difference, DifferenceKind};
use super::failure::WitnessFailure;
use crate::engine::decision::RuleId;

/// A pair of places among the rules of the sides; a default is after the rules.
pub(super) type At = (usize, usize);

/// A difference of two rules that is in no group yet.
#[derive(Debug)]
pub(super) struct Finding {
    pub kind: DifferenceKind,
    /// The places of the rules; absent on a side where no rule decides.
    pub at: [Option<usize>; 2],
    /// The failures, each with its number of times.
    pub steps: Vec<(WitnessFailure, u64)>,
    pub origin: Origin,
}

/// The origin of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The two rules.
    Rules,
    /// The limit of one side's rule, which counts retries of further failures.
    SharedLimit {
        /// The side.
        side: usize,
        /// The rules that are first to match the further failures; those of the difference, if the others are the same
        /// rule in both versions.
        other: At,
    },
    /// A cause that the two rules do not have.
    Known(Cause),
}

impl Finding {
    /// Orders witnesses: fewest failures, then shortest texts.
    pub(super) fn size(&self) -> (u64, usize, [Option<usize>; 2]) {
        let length = self.steps.iter().map(|(failure, _)| failure.text_length()).sum();
        (self.steps.iter().map(|(_, times)| times).sum(), length, self.at)
    }

    /// Of the failures of a limit, those that another rule takes.
    pub(super) fn find_mover(&mut self, counterparts: &[Option<usize>]) {
        let Origin::SharedLimit { other, .. } = &mut self.origin else { return };
        let is_same = counterparts.get(other.0).copied().flatten() == Some(other.1);
        if let ([Some(old), Some(new)], true) = (self.at, is_same) {
            *other = (old, new);
        }
    }

    /// The rules that may be the cause: one takes failures, and the other one took them.
    pub(super) fn movers(&self) -> [Option<usize>; 2] {
        match self.origin {
            Origin::SharedLimit { other: (old, new), .. } => [Some(old), Some(new)],
            _ => self.at,
        }
    }

    pub(super) fn difference(&self, [old, new]: [Option<RuleId>; 2]) -> Difference {
        let failures = self.steps.iter().flat_map(|(failure, times)| {
            std::iter::repeat_n(failure.clone(), usize::try_from(*times).unwrap_or(usize::MAX))
        });
        Difference { kind: self.kind, old, new, failures: failures.collect() }
    }
}
