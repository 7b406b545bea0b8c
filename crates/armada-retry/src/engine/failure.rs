//! A failed run in the form that rules are matched against: its names are interned once and compared by
//! number.

use super::run::{Container, EndedRun, Outcome};
use crate::policy::{Condition, Rule};
use document::units::GoDuration;
use hashbrown::HashMap;

/// A set of conditions, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ConditionSet(u8);

impl ConditionSet {
    /// The number of distinct sets.
    pub(super) const COMBINATIONS: usize = 1 << Condition::ALL.len();

    pub(super) fn with(self, condition: Condition) -> Self {
        Self(self.0 | 1 << condition as u8)
    }

    /// Adds `OOMKilled` if it is the container's reason: the only condition of a container (semantics.md,
    /// section 4).
    pub(super) fn with_reason(self, container: Option<&Container>) -> Self {
        let oom = Condition::OomKilled;
        match container {
            Some(container) if container.reason == oom.as_str() => self.with(oom),
            _ => self,
        }
    }

    pub(super) fn contains(self, condition: Condition) -> bool {
        self.0 & (1 << condition as u8) != 0
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn from_index(index: usize) -> Self {
        Self(u8::try_from(index).unwrap_or(0))
    }
}

impl FromIterator<Condition> for ConditionSet {
    fn from_iter<T: IntoIterator<Item = Condition>>(conditions: T) -> Self {
        conditions.into_iter().fold(Self::default(), Self::with)
    }
}

/// The numbers of the texts that the rules of policies list. 0 stands for every other text.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols(HashMap<Box<str>, u32>);

impl Symbols {
    fn intern(&mut self, text: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX) + 1;
        *self.0.entry(text.into()).or_insert(next)
    }

    pub(super) fn get(&self, text: &str) -> u32 {
        // An early return, as most policies name no category.
        if self.0.is_empty() {
            return 0;
        }
        self.0.get(text).copied().unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The categories and subcategories that the rules of the policies list.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed {
    pub(super) categories: Symbols,
    pub(super) subcategories: Symbols,
}

impl Listed {
    /// Adds those of a rule.
    pub(super) fn add(&mut self, rule: &Rule) {
        rule.categories.iter().for_each(|name| _ = self.categories.intern(name));
        rule.subcategories.iter().for_each(|name| _ = self.subcategories.intern(name));
    }
}

/// A failed run, prepared for matching. It borrows from the record and copies no text.
#[derive(Debug)]
pub struct Failure<'r> {
    pub(super) run: EndedRun<'r>,
    /// The conditions named at the run, and `Preempted` if that is the outcome.
    pub(super) conditions: ConditionSet,
    pub(super) category: u32,
    pub(super) subcategory: u32,
    /// The containers that matchers read; empty for outcomes without a container failure (semantics.md,
    /// section 4).
    pub(super) containers: &'r [Container],
    /// The first failed container that is not an init container.
    pub(super) first: Option<&'r Container>,
    /// The exit code of `first`.
    pub(super) first_exit_code: Option<i64>,
    /// The conditions of the run, and that of `first`.
    pub(super) first_conditions: ConditionSet,
    /// Whether a container has a message.
    pub(super) has_message: bool,
}

impl<'r> Failure<'r> {
    pub(super) fn new(run: EndedRun<'r>, listed: &Listed) -> Self {
        let named = run.conditions.iter().filter_map(|name| Condition::from_name(name));
        let preempted = (run.outcome == Outcome::Preempted).then_some(Condition::Preempted);
        let (category, subcategory) = classified(run);
        // Section 4, bare runs: no container of theirs counts, whatever the record contains.
        let containers = if run.outcome.is_bare() { &[] } else { run.containers };
        let first = containers.iter().find(|container| !container.init && container.failed());
        let conditions: ConditionSet = named.chain(preempted).collect();
        Self {
            run,
            conditions,
            category: listed.categories.get(category),
            subcategory: listed.subcategories.get(subcategory),
            containers,
            first,
            first_exit_code: first.and_then(|container| container.exit_code),
            first_conditions: conditions.with_reason(first),
            has_message: containers.iter().any(|container| !container.message.is_empty()),
        }
    }
}

impl EndedRun<'_> {
    /// The wait of a retry for the pod of a preempted run (semantics.md, section 7); 0 for other runs.
    /// `min_grace` is the grace period of pods without one of their own.
    pub(super) fn pod_wait(&self, min_grace: GoDuration) -> GoDuration {
        if !self.is_preempted() {
            return GoDuration::ZERO;
        }
        // An explicit 0 means the minimum, like an absent period.
        let requested = self.termination_grace.filter(|grace| *grace != GoDuration::ZERO);
        let grace = requested.unwrap_or(min_grace);
        let confirmed = self.finished_at.zip(self.termination_confirmed_at);
        let waited = confirmed.map(|(end, confirmed)| confirmed.since(end).max(GoDuration::ZERO));
        waited.map_or(grace, |waited| grace.min(waited))
    }

    /// Whether the run is preempted, by its outcome or by a condition: a retry then waits for its pod.
    pub(super) fn is_preempted(&self) -> bool {
        self.outcome == Outcome::Preempted
            || self.conditions.iter().any(|name| name == Condition::Preempted.as_str())
    }
}

/// The category and subcategory that Armada gives expired leases.
pub const OF_EXPIRED_LEASES: (&str, &str) = ("internal", "lease-expired");

/// The category and subcategory; empty if the run has none. An expired lease without a category has
/// `internal` and `lease-expired` (semantics.md, section 8).
pub(super) fn classified(run: EndedRun<'_>) -> (&str, &str) {
    if run.outcome == Outcome::LeaseExpired && run.category.is_empty() {
        return OF_EXPIRED_LEASES;
    }
    (run.category, run.subcategory)
}
