//! The results of a comparison.

use super::failure::WitnessFailure;
use crate::engine::decision::RuleId;
use document::names;

names! {
    /// The kind of a difference, the most serious first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DifferenceKind {
        /// A first failure was retried, and ends the job now.
        NoLongerRetried = "no_longer_retried",
        /// A first failure ended the job, and is retried now.
        NowRetried = "now_retried",
        /// The job ends after fewer retries.
        FewerRetries = "fewer_retries",
        /// The job ends after more retries.
        MoreRetries = "more_retries",
        /// A retry waits for another time.
        Wait = "wait",
        /// A retry avoids other nodes.
        Nodes = "nodes",
        /// A retry has another amount of memory.
        Memory = "memory",
        /// The pods of retries have other names.
        PodNames = "pod_names",
    }
}

impl DifferenceKind {
    /// The difference between the limits of retries of the old side and of the new one.
    pub(super) fn between<T: PartialOrd>([old, new]: [T; 2]) -> Self {
        if old > new { Self::FewerRetries } else { Self::MoreRetries }
    }
}

/// A difference between the sides, for the failures of two rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The kind.
    pub kind: DifferenceKind,
    /// The rule or default that decides on the old side; absent if no policy applies, or the legacy path decides.
    pub old: Option<RuleId>,
    /// The rule or default that decides on the new side.
    pub new: Option<RuleId>,
    /// The failures of one job: the decisions about the last one differ, and no shorter sequence of failures has this
    /// difference between these rules.
    pub failures: Vec<WitnessFailure>,
}

/// Failures of which it is not known whether the sides decide them alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecided {
    /// The rule or default on the old side.
    pub old: Option<RuleId>,
    /// The rule or default on the new side.
    pub new: Option<RuleId>,
    /// The reason.
    pub reason: &'static str,
}

/// The differences between two sides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The differences, the most serious first; of one kind, those with the shortest witness first.
    pub differences: Vec<Difference>,
    /// The pairs of rules that are not decided.
    pub undecided: Vec<Undecided>,
}

impl Comparison {
    /// Whether it is proved that no failure is decided otherwise.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.undecided.is_empty()
    }

    pub(super) fn sort(&mut self) {
        self.differences.sort_by_key(|it| (it.kind, it.failures.len(), it.old, it.new));
    }
}
