//! The run records of Armada's jobs (semantics.md, section 10).
//!
//! Owns the record that every source produces; its field table is in `armada_fields`. The parts that the
//! evaluator reads are types of [`armada_retry::engine`].

use super::lookout::ObservedPod;
use super::recycled::Recycled;
use super::unit_fields::UnitFields;
use crate::disruption::RowId;
use armada_retry::engine::{Container, JobFields, Outcome, Unplaced};
use armada_retry::policy::{Condition, SchedulerSettings};
use compact_str::CompactString;
use document::units::{GoDuration, Time};

/// The fields of a run of Armada's beyond the common ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArmadaRun {
    /// How it ended.
    pub outcome: Outcome,
    /// Conditions of the run; unknown ones match nothing.
    pub conditions: Recycled<CompactString>,
    /// The containers, in pod order.
    pub containers: Recycled<Container>,
    /// The failure category that the executor assigned; empty without one.
    pub category: CompactString,
    /// The failure subcategory; empty without one.
    pub subcategory: CompactString,
    /// How long the pod may take to end.
    pub termination_grace: Option<GoDuration>,
    /// When the pod was confirmed to have ended.
    pub termination_confirmed_at: Option<Time>,
    /// Why the scheduler took back the retry that was granted after it, if it did.
    pub unplaced: Option<Unplaced>,
    /// The fields of the job in the record, until the job takes them.
    pub job: Option<Box<JobFields>>,
    /// The facts of the pod that a source has beyond the fields of records.
    pub observed: Option<Box<ObservedPod>>,
    /// The texts that the executor reports, with the category that it gave to the run here.
    pub emitted: Option<Box<EmittedText>>,
    /// The row of the table of disruptions that the source of the run recognised; records have none.
    pub disruption: Option<RowId>,
}

/// The texts that Armada's executor reports about a failed run. No rule matches them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmittedText {
    /// The message, with the hint of the category's rule after an empty line.
    pub message: String,
    /// The hint; empty without one.
    pub hint: String,
}

impl ArmadaRun {
    /// A run of which only the outcome is known.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, ..Self::default() }
    }

    /// The index of a container whose name an earlier one has.
    pub fn repeated_container(&self) -> Option<usize> {
        let names = || self.containers.iter().map(|container| &container.name);
        // Up to 8 a search is cheaper than a set, and most pods have one or two containers.
        if self.containers.len() <= 8 {
            let is_repeated =
                |(number, name): (usize, &CompactString)| names().take(number).any(|it| it == name);
            return names().enumerate().position(is_repeated);
        }
        let mut seen = std::collections::HashSet::new();
        names().position(|name| !seen.insert(name))
    }

    /// Whether a condition is one that no rule can match.
    pub fn has_unknown_condition(&self) -> bool {
        self.conditions.iter().any(|name| Condition::from_name(name).is_none())
    }
}

impl UnitFields for JobFields {
    fn or(self, other: Self) -> Self {
        Self {
            job_set: self.job_set.or(other.job_set),
            annotations: self.annotations.or(other.annotations),
            resources: self.resources.or(other.resources),
            gang: self.gang.or(other.gang),
        }
    }

    fn differences(&self, later: &Self) -> Vec<&'static str> {
        fn differs<T: PartialEq>(own: Option<&T>, later: Option<&T>) -> bool {
            later.is_some() && own != later
        }
        [
            ("jobSet", differs(self.job_set.as_ref(), later.job_set.as_ref())),
            ("annotations", differs(self.annotations.as_ref(), later.annotations.as_ref())),
            ("resources", differs(self.resources.as_ref(), later.resources.as_ref())),
            ("gang", differs(self.gang.as_ref(), later.gang.as_ref())),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
    }
}

/// The grace periods that Armada accepts at submission (semantics.md, section 7).
#[derive(Debug, Clone, Copy)]
pub struct GraceBounds {
    /// The least, of those above 0.
    pub min: GoDuration,
    /// The most, if there is a bound.
    pub max: Option<GoDuration>,
}

impl GraceBounds {
    /// The bound that a grace period violates; 0 and an absent one are accepted.
    #[inline]
    pub fn fault(self, grace: Option<GoDuration>) -> Option<String> {
        // Armada replaces 0 and an absent period by the minimum.
        let grace = grace.filter(|grace| *grace != GoDuration::ZERO)?;
        if grace < self.min {
            return Some(format!(
                "the grace period {grace} is less than the minimum, {}",
                self.min
            ));
        }
        let max = self.max.filter(|max| grace > *max)?;
        Some(format!("the grace period {grace} is more than the maximum, {max}"))
    }
}

impl From<&SchedulerSettings> for GraceBounds {
    fn from(settings: &SchedulerSettings) -> Self {
        Self { min: settings.min_grace, max: settings.max_grace }
    }
}
