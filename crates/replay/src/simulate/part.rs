//! The parts of failures that rules compare, and the rules that no failure of a history can match.
//!
//! A record may lack a part: pods have no failure category. A rule on such a part cannot match, whatever its values,
//! so that the figures of a report are those of a policy without it. An engine lists what its rules need
//! (`Engine::needs`); a summary keeps a bit a part for each policy.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;

/// A part of a failure.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its field in records: `containers[].exitCode`.
    pub field: &'static str,
    /// The name of a part that a failure has: `a category`; of a part with values its beginning: `the condition`.
    pub noun: &'static str,
    /// The reading of a history in which no failure has it.
    pub absence: Absence,
}

/// The reading of a history in which no failure has a part that a rule compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Every failure has the part where it is recorded: the records or the rule are not those that were meant.
    Mistake,
    /// As `Mistake`, but only if a failure has the part with another value than the rule's.
    Named,
    /// Failures of many kinds have none, so that the history may be complete.
    Usual,
}

/// A set of parts, and of values of parts: an engine numbers them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Parts(u64);

/// The number of parts and values that a set can hold. An engine lists none of the values beyond it.
pub const MAX_PARTS: usize = u64::BITS as usize;

impl Parts {
    /// The set of all parts.
    pub const ALL: Self = Self(u64::MAX);

    /// The set of one part; empty beyond [`MAX_PARTS`].
    pub const fn of(number: usize) -> Self {
        Self(if number < MAX_PARTS { 1 << number } else { 0 })
    }

    /// Both sets, if the part is there.
    #[must_use]
    pub const fn with(self, other: Self, is_there: bool) -> Self {
        if is_there { Self(self.0 | other.0) } else { self }
    }

    /// The set less these parts.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it has no part.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it has one of these parts.
    pub const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl FromIterator<Self> for Parts {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        parts.into_iter().fold(Self::default(), |all, part| all.with(part, true))
    }
}

/// A part that a rule requires of failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The rule, by its number among `Engine::rules`.
    pub rule: usize,
    /// The part.
    pub part: &'static Part,
    /// Values of the part, of which a failure needs one; empty if any value will do.
    pub values: Vec<String>,
    /// Names that the rule lists, of a part that may have any name.
    pub names: Vec<String>,
    /// A failure needs one of these.
    pub any_of: Parts,
    /// The part with any value.
    pub any_value: Parts,
    /// The consequence if no failure has it.
    pub without: Without,
}

/// The consequence of a part that no failure has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Without {
    /// The rule cannot match.
    NeverMatches,
    /// No retry that the rule grants avoids a node.
    NoAvoidance,
    /// The policy, which has no rules, retries nothing.
    NoRetry,
}

/// The requirements of all rules of a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyNeeds(Vec<Need>);

impl FromIterator<Need> for PolicyNeeds {
    fn from_iter<I: IntoIterator<Item = Need>>(needs: I) -> Self {
        Self(needs.into_iter().filter(|need| !need.any_of.is_empty()).collect())
    }
}

impl PolicyNeeds {
    /// Whether no part is needed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These parts; all of them once each need is met, so that nothing more is looked for.
    pub(super) fn found(&self, parts: Parts) -> Parts {
        let is_met = |need: &Need| parts.overlaps(need.any_of);
        if self.0.iter().all(is_met) { Parts::ALL } else { parts }
    }
}

/// The failures that the rules of a policy were compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Judged {
    pub failures: u64,
    /// The parts, of those that the rules need, that one of them has.
    pub parts: Parts,
}

impl Judged {
    /// Adds the failures of another part of a history.
    pub(super) fn merge(&mut self, other: Self) {
        self.failures += other.failures;
        self.parts = self.parts.with(other.parts, true);
    }
}

/// The needs that no failure met, with the failures that their rules were compared with.
pub(super) fn unmet<'n>(
    needs: &'n [PolicyNeeds],
    judged: &'n [Judged],
) -> impl Iterator<Item = (&'n Need, &'n Judged)> {
    let judged = needs.iter().zip(judged).filter(|(_, judged)| judged.failures > 0);
    judged.flat_map(|(policy, judged)| {
        let unmet = policy.0.iter().filter(|need| !judged.parts.overlaps(need.any_of));
        unmet.map(move |need| (need, judged))
    })
}

/// The needs that list names, and that a failure met which has some name.
pub(super) fn named<'n>(
    needs: &'n [PolicyNeeds],
    judged: &'n [Judged],
) -> impl Iterator<Item = &'n Need> {
    needs.iter().zip(judged).flat_map(|(policy, judged)| {
        let named = policy.0.iter().filter(|need| !need.names.is_empty());
        named.filter(|need| judged.parts.overlaps(need.any_of))
    })
}
