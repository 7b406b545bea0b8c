//! A failed run as the rules see it: interned once, then compared by number.

use crate::history::{Container, Outcome, RunRecord};
use crate::policy::{Condition, Rule};
use crate::units::GoDuration;
use hashbrown::HashMap;

/// A set of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ConditionSet(u8);

impl ConditionSet {
    pub(super) const COMBINATIONS: usize = 1 << Condition::ALL.len();

    pub(super) fn with(self, condition: Condition) -> Self {
        Self(self.0 | 1 << condition as u8)
    }

    /// With the condition that a container's reason names, if it is one of a container.
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

    pub(super) fn of_index(index: usize) -> Self {
        Self(u8::try_from(index).unwrap_or(0))
    }
}

impl FromIterator<Condition> for ConditionSet {
    fn from_iter<T: IntoIterator<Item = Condition>>(conditions: T) -> Self {
        conditions.into_iter().fold(Self::default(), Self::with)
    }
}

/// Texts that the rules of policies list, by number. 0 is any other.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols(HashMap<Box<str>, u32>);

impl Symbols {
    fn intern(&mut self, text: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX) + 1;
        *self.0.entry(text.into()).or_insert(next)
    }

    pub(super) fn get(&self, text: &str) -> u32 {
        // Most policies mention no category at all.
        if self.0.is_empty() {
            return 0;
        }
        self.0.get(text).copied().unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The texts that each matcher on a text lists in some policy.
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

/// A failed run, ready to be matched. Cheap to make: nothing is copied.
#[derive(Debug)]
pub struct Failure<'r> {
    pub(super) run: &'r RunRecord,
    /// The run's outcome and index stand here too: most decisions then never touch the record.
    pub(super) outcome: Outcome,
    pub(super) run_index: u32,
    /// Conditions named at the run, and `Preempted` of a preempted one.
    pub(super) conditions: ConditionSet,
    pub(super) category: u32,
    pub(super) subcategory: u32,
    /// The containers whose state counts; none where no container failed.
    pub(super) containers: &'r [Container],
    /// The first failed container, init containers aside.
    pub(super) first: Option<&'r Container>,
    /// Its exit code.
    pub(super) first_exit_code: Option<i64>,
    /// The run's conditions and those of the first failed container.
    pub(super) first_conditions: ConditionSet,
    /// Whether any container left a message.
    pub(super) has_message: bool,
}

impl<'r> Failure<'r> {
    pub(super) fn new(run: &'r RunRecord, listed: &Listed) -> Self {
        let own = &run.own;
        let named = own.conditions.iter().filter_map(|name| Condition::from_name(name));
        let preempted = (own.outcome == Outcome::Preempted).then_some(Condition::Preempted);
        let (category, subcategory) = classified(run);
        let containers: &[Container] = if own.outcome.is_bare() { &[] } else { &own.containers };
        let first = containers.iter().find(|container| !container.init && container.failed());
        let conditions: ConditionSet = named.chain(preempted).collect();
        Self {
            run,
            outcome: own.outcome,
            run_index: run.run_index,
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

    /// How long a retry waits for the pod of a preempted run (semantics.md, section 7); nothing for any
    /// other. `min_grace` is the grace period of a pod that requests none.
    pub(super) fn pod_wait(&self, min_grace: GoDuration) -> GoDuration {
        if !self.is_preempted() {
            return GoDuration::ZERO;
        }
        let run = self.run;
        let requested = run.own.termination_grace.filter(|grace| *grace != GoDuration::ZERO);
        let grace = requested.unwrap_or(min_grace);
        let confirmed = run.finished_at.zip(run.own.termination_confirmed_at);
        let waited = confirmed.map(|(end, confirmed)| confirmed.since(end).max(GoDuration::ZERO));
        waited.map_or(grace, |waited| grace.min(waited))
    }

    /// Whether the run is Preempted by outcome or by name, so that a retry waits for its pod.
    pub(super) fn is_preempted(&self) -> bool {
        self.conditions.contains(Condition::Preempted)
    }
}

/// The category and subcategory; empty without one. An expired lease without a category has `internal` and
/// `lease-expired` (semantics.md, section 8).
pub(super) fn classified(run: &RunRecord) -> (&str, &str) {
    let own = &run.own;
    if own.outcome == Outcome::LeaseExpired && own.category.is_empty() {
        return ("internal", "lease-expired");
    }
    (&own.category, &own.subcategory)
}
