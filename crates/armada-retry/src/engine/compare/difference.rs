//! The results of a comparison.

use super::failure::WitnessFailure;
use super::side::Level;
use crate::engine::decision::RuleId;
use document::names;
use document::units::GoDuration;
use std::cmp::Reverse;

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
        /// Other members of the unit run again, end or go on.
        Members = "members",
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

/// The cause of the differences of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A rule or default of the new side takes failures of others.
    TakenBy(RuleId),
    /// Failures of a rule or default of the old side are taken by others.
    TakenFrom(RuleId),
    /// A rule or default has another action.
    Action,
    /// A limit of retries has another value.
    Limit {
        /// The level of the limit.
        level: Level,
        /// The values of the old side and of the new one.
        values: [u64; 2],
    },
    /// The limits of rules of the new side also count failures that this rule of the old side took; several if absent.
    LimitShared(Option<RuleId>),
    /// The limits of rules of the old side also counted failures that this rule of the new side takes; several if absent.
    LimitNotShared(Option<RuleId>),
    /// A backoff has other values.
    Backoff(Level),
    /// The scheduler's least grace period, which retries of preempted runs wait for.
    GracePeriod([GoDuration; 2]),
    /// `antiAffinity` or `mutate` has other values.
    AntiAffinity(Level),
    /// The growth of memory has another value.
    Memory,
    /// The forms of policies, which have engines of their own, differ.
    Form,
    /// Only the engine of one form waits for the pods of preempted runs.
    PreemptedPods,
    /// On one side no policy applies.
    Engine,
    /// The attempts of runs whose lease was returned have another limit.
    ReturnedLeases([u64; 2]),
}

impl Cause {
    /// The rule of the old side and that of the new one that are the cause.
    pub fn rules(self) -> [Option<RuleId>; 2] {
        match self {
            Self::TakenBy(new) => [None, Some(new)],
            Self::TakenFrom(old) => [Some(old), None],
            Self::LimitShared(old) => [old, None],
            Self::LimitNotShared(new) => [None, new],
            _ => [None, None],
        }
    }
}

/// The differences of one kind that have one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The kind.
    pub kind: DifferenceKind,
    /// The cause.
    pub cause: Cause,
    /// The rules or defaults that decide on the old side and on the new one; absent where no policy applies, or the legacy
    /// path decides. The first are those of the witness.
    pub pairs: Vec<[Option<RuleId>; 2]>,
    /// The smallest difference: fewest failures, then shortest texts.
    pub witness: Difference,
    /// The next smallest ones.
    pub further: Vec<Difference>,
}

impl Group {
    /// The differences that the evaluators confirmed, the smallest first.
    pub fn witnesses(&self) -> impl Iterator<Item = &Difference> {
        std::iter::once(&self.witness).chain(&self.further)
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
    /// The differences in groups, the most serious first; of one kind, those of most pairs of rules first.
    pub groups: Vec<Group>,
    /// The pairs of rules that are not decided.
    pub undecided: Vec<Undecided>,
}

impl Comparison {
    /// Whether it is proved that no failure is decided otherwise.
    pub fn is_same(&self) -> bool {
        self.groups.is_empty() && self.undecided.is_empty()
    }

    pub(super) fn sort(&mut self) {
        let key = |group: &Group| {
            let failures = group.witness.failures.len();
            (group.kind, Reverse(group.pairs.len()), failures, group.pairs.first().copied())
        };
        self.groups.sort_by_key(key);
    }
}
