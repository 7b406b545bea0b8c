//! A failed run as the rules see it: interned once, then compared by number.

use crate::history::{Container, Outcome, RunRecord};
use crate::policy::Condition;
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
    pub(super) fn with_reason<S: AsRef<str>>(self, container: Option<&Container<S>>) -> Self {
        let oom = Condition::OomKilled;
        match container.and_then(|container| container.reason.as_ref()) {
            Some(reason) if reason.as_ref() == oom.as_str() => self.with(oom),
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

/// The categories and subcategories that policies mention, by number. 0 is any other.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols(HashMap<Box<str>, u32>);

impl Symbols {
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX) + 1;
        *self.0.entry(text.into()).or_insert(next)
    }

    pub(super) fn get(&self, text: Option<&str>) -> u32 {
        // Most policies mention no category at all.
        if self.0.is_empty() {
            return 0;
        }
        text.and_then(|text| self.0.get(text)).copied().unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A failed run, ready to be matched. Cheap to make: nothing is copied.
#[derive(Debug)]
pub struct Failure<'r, S = String> {
    pub(super) run: &'r RunRecord<S>,
    /// The run's outcome and index stand here too: most decisions then never touch the record.
    pub(super) outcome: Outcome,
    pub(super) run_index: u32,
    /// Conditions named at the run, and `Preempted` of a preempted one.
    pub(super) conditions: ConditionSet,
    pub(super) category: u32,
    pub(super) subcategory: u32,
    /// The containers whose state counts; none where no container failed.
    pub(super) containers: &'r [Container<S>],
    /// The first failed container, init containers aside.
    pub(super) first: Option<&'r Container<S>>,
    /// Its exit code.
    pub(super) first_exit_code: Option<i64>,
    /// The run's conditions and those of the first failed container.
    pub(super) first_conditions: ConditionSet,
    /// Whether any container left a message.
    pub(super) says_something: bool,
}

impl<'r, S: AsRef<str>> Failure<'r, S> {
    pub(super) fn new(
        run: &'r RunRecord<S>,
        categories: &Symbols,
        subcategories: &Symbols,
    ) -> Self {
        let named = run.conditions.iter().filter_map(|name| Condition::from_name(name.as_ref()));
        let preempted = (run.outcome == Outcome::Preempted).then_some(Condition::Preempted);
        let (category, subcategory) = classified(run);
        let containers: &[Container<S>] = if run.outcome.is_bare() { &[] } else { &run.containers };
        let first = containers.iter().find(|container| !container.init && container.failed());
        let conditions: ConditionSet = named.chain(preempted).collect();
        Self {
            run,
            outcome: run.outcome,
            run_index: run.run_index,
            conditions,
            category: categories.get(category),
            subcategory: subcategories.get(subcategory),
            containers,
            first,
            first_exit_code: first.and_then(|container| container.exit_code),
            first_conditions: conditions.with_reason(first),
            says_something: containers.iter().any(|container| container.message.is_some()),
        }
    }

    /// Whether the run is Preempted by outcome or by name, so that a retry waits for its pod.
    pub(super) fn is_preempted(&self) -> bool {
        self.conditions.contains(Condition::Preempted)
    }
}

/// An expired lease without a category gets `internal`, `lease-expired` (semantics.md, section 8).
pub(super) fn classified<S: AsRef<str>>(run: &RunRecord<S>) -> (Option<&str>, Option<&str>) {
    if run.outcome == Outcome::LeaseExpired && run.category.is_none() {
        return (Some("internal"), Some("lease-expired"));
    }
    (run.category.as_ref().map(AsRef::as_ref), run.subcategory.as_ref().map(AsRef::as_ref))
}
