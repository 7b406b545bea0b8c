//! What the run records of Armada's jobs hold (semantics.md, section 10).
//!
//! Owns the types that the evaluator decides by and that sources produce; the field table is in
//! `systems::armada`.

use super::observed_pod::ObservedPod;
use super::recycled::Recycled;
use super::resources::Resources;
use super::unit_fields::UnitFields;
use crate::disruption::RowId;
use crate::policy::{Condition, SchedulerSettings};
use crate::units::{GoDuration, Time};
use compact_str::CompactString;
use std::collections::BTreeMap;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outcome {
    /// Its containers succeeded.
    Succeeded,
    /// Its pod failed.
    #[default]
    Failed,
    /// The scheduler preempted it.
    Preempted,
    /// The executor returned the lease.
    LeaseReturned,
    /// The lease expired: the executor did not report in time.
    LeaseExpired,
    /// The job was cancelled.
    Cancelled,
    /// It was ended with its gang.
    Stopped,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Succeeded,
        Self::Failed,
        Self::Preempted,
        Self::LeaseReturned,
        Self::LeaseExpired,
        Self::Cancelled,
        Self::Stopped,
    ];

    /// The name in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Preempted => "Preempted",
            Self::LeaseReturned => "LeaseReturned",
            Self::LeaseExpired => "LeaseExpired",
            Self::Cancelled => "Cancelled",
            Self::Stopped => "Stopped",
        }
    }

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        // A match instead of a search: it runs for every line of a stream.
        Some(match name {
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            "Preempted" => Self::Preempted,
            "LeaseReturned" => Self::LeaseReturned,
            "LeaseExpired" => Self::LeaseExpired,
            "Cancelled" => Self::Cancelled,
            "Stopped" => Self::Stopped,
            _ => return None,
        })
    }

    /// Whether no container failed, whatever the record holds (semantics.md, section 4).
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Preempted | Self::LeaseReturned | Self::LeaseExpired)
    }
}

/// A container of a run's pod.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Container {
    /// Its name.
    pub name: CompactString,
    /// Whether it is an init container.
    pub init: bool,
    /// Its exit code, if it ended.
    pub exit_code: Option<i64>,
    /// Why it ended, such as `OOMKilled`; empty if unknown.
    pub reason: CompactString,
    /// Its termination message; empty if it has none.
    pub message: CompactString,
}

impl Container {
    /// Whether it failed: exit code other than 0, or a reason other than `Completed` (semantics.md,
    /// section 4).
    pub fn failed(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
            || !self.reason.is_empty() && self.reason != "Completed"
    }
}

/// Why the scheduler took back the retry that a policy granted: no node could take the job with what the rule changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unplaced {
    /// The job with its grown memory fits no node.
    GrownMemory,
    /// The job fits no node that it was not tried on.
    UntriedNode,
}

impl Unplaced {
    /// All causes.
    pub const ALL: [Self; 2] = [Self::GrownMemory, Self::UntriedNode];

    /// The scheduler's words (`internal/scheduler/retry_policy.go`).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GrownMemory => {
                "retry granted, but the job grown by the rule's memory bump fits no node"
            }
            Self::UntriedNode => "retry granted, but no untried node fits the job",
        }
    }

    /// The cause in the error that ended a job, behind which the error of its last run follows.
    pub fn of_error(error: &str) -> Option<Self> {
        let reason = error.strip_prefix("Retry policy: ")?;
        let (reason, _) = reason.split_once('\n').unwrap_or((reason, ""));
        Self::ALL.into_iter().find(|cause| reason.trim_end() == cause.as_str())
    }
}

/// What the record of a run of Armada's holds beyond the common fields.
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
    /// What the record holds of the job, until the job takes it.
    pub job: Option<Box<JobFields>>,
    /// What a source knows of the pod beyond the fields of records.
    pub observed: Option<Box<ObservedPod>>,
    /// What the executor reports, with the category that it gave to the run here.
    pub emitted: Option<Box<EmittedText>>,
    /// The row of the table of disruptions that the source of the run recognised; records have none.
    pub disruption: Option<RowId>,
}

/// What Armada's executor reports about a failed run. No rule matches it.
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

/// The gang of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Gang {
    /// Its id, unique within a queue and job set.
    pub id: String,
    /// How many jobs it has.
    pub cardinality: u32,
}

/// The annotation that turns retries off for a job.
pub const FAIL_FAST: &str = "armadaproject.io/failFast";
/// The annotation that adds policies to a job.
pub const RETRY_POLICY: &str = "armadaproject.io/retry-policy";
/// The annotation with a job's gang.
pub const GANG_ID: &str = "armadaproject.io/gangId";
/// The annotation with the number of jobs in the gang.
pub const GANG_CARDINALITY: &str = "armadaproject.io/gangCardinality";

/// The annotations that are read.
pub const ANNOTATIONS: [&str; 4] = [FAIL_FAST, RETRY_POLICY, GANG_ID, GANG_CARDINALITY];

/// What records hold of a job beyond its queue. An absent field is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct JobFields {
    /// Its job set.
    pub job_set: Option<String>,
    /// Its annotations.
    pub annotations: Option<BTreeMap<String, String>>,
    /// The resources that it requests.
    pub resources: Option<Resources>,
    /// Its gang, if the record names one outside of the annotations.
    pub gang: Option<Gang>,
}

impl JobFields {
    /// An annotation's value.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(name).map(String::as_str)
    }

    /// The job set; empty if no record names one.
    pub fn job_set(&self) -> &str {
        self.job_set.as_deref().unwrap_or_default()
    }

    /// The resources; all unknown if no record has them.
    pub fn resources(&self) -> Resources {
        self.resources.unwrap_or_default()
    }

    /// The job's gang, from its record or its annotations; one of cardinality 1 is none (semantics.md,
    /// section 9).
    pub fn gang(&self) -> Option<Gang> {
        let annotated = || {
            let id = self.annotation(GANG_ID).filter(|id| !id.is_empty())?;
            let cardinality = self.annotation(GANG_CARDINALITY)?.trim().parse().ok()?;
            Some(Gang { id: id.to_owned(), cardinality })
        };
        self.gang.clone().or_else(annotated).filter(|gang| gang.cardinality >= 2)
    }

    /// Whether the job opts out of retries.
    pub fn fail_fast(&self) -> bool {
        self.annotation(FAIL_FAST) == Some("true")
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

/// A change of the scheduler's settings while a history runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reload {
    /// When.
    pub at: Time,
    /// The new `globalMaxRetries`, if it changes.
    pub global_max_retries: Option<u32>,
    /// The new `enabled`, if it changes.
    pub enabled: Option<bool>,
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
