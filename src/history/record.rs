//! Jobs and their runs, as they were recorded (semantics.md, section 10).

use crate::units::{GoDuration, Quantity, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did its work.
    Succeeded,
    /// Its pod failed.
    Failed,
    /// The scheduler preempted it.
    Preempted,
    /// The executor gave the lease back.
    LeaseReturned,
    /// The executor was not heard of any more.
    LeaseExpired,
    /// Somebody cancelled the job.
    Cancelled,
    /// It ended because its gang did.
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

    /// The name as records write it.
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
        // Asked of every run of a stream.
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

    /// Whether no container failed, whatever the record carries (semantics.md, section 4).
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Preempted | Self::LeaseReturned | Self::LeaseExpired)
    }
}

/// A container of a run's pod. Its texts are its own, or borrowed from what is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Container<S = String> {
    /// Its name.
    pub name: S,
    /// Whether it is an init container.
    pub init: bool,
    /// Its exit code, if it ended.
    pub exit_code: Option<i64>,
    /// Why it ended, such as `OOMKilled`.
    pub reason: Option<S>,
    /// What it wrote to its termination log.
    pub message: Option<S>,
}

impl<S: AsRef<str>> Container<S> {
    /// Exit code other than 0, or a reason other than `Completed` (semantics.md, section 4).
    pub fn failed(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
            || self.reason.as_ref().is_some_and(|reason| reason.as_ref() != "Completed")
    }
}

/// One run of a job. Its texts are its own, or borrowed from what is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord<S = String> {
    /// Its number, which is part of its pod's name. It grows within a job.
    pub run_index: u32,
    /// When it began.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
    /// Where it ran.
    pub node: Option<S>,
    /// The cluster it ran in.
    pub cluster: Option<S>,
    /// How it ended.
    pub outcome: Outcome,
    /// Conditions named at the run; unknown ones match nothing.
    pub conditions: Vec<S>,
    /// The containers, in pod order.
    pub containers: Vec<Container<S>>,
    /// The failure category, assigned by the executor.
    pub category: Option<S>,
    /// The failure subcategory.
    pub subcategory: Option<S>,
    /// How long the pod may take to end.
    pub termination_grace: Option<GoDuration>,
    /// When the pod was confirmed to have ended.
    pub termination_confirmed_at: Option<Time>,
}

impl<S> RunRecord<S> {
    /// A run of which nothing is known but its end.
    pub fn new(outcome: Outcome) -> Self {
        Self {
            run_index: 0,
            started_at: None,
            finished_at: None,
            node: None,
            cluster: None,
            outcome,
            conditions: Vec::new(),
            containers: Vec::new(),
            category: None,
            subcategory: None,
            termination_grace: None,
            termination_confirmed_at: None,
        }
    }

    /// Forgets all that is known of it, but not the room for it.
    pub(super) fn clear(&mut self) {
        self.run_index = 0;
        self.started_at = None;
        self.finished_at = None;
        self.node = None;
        self.cluster = None;
        self.outcome = Outcome::Failed;
        self.conditions.clear();
        self.containers.clear();
        self.category = None;
        self.subcategory = None;
        self.termination_grace = None;
        self.termination_confirmed_at = None;
    }

    /// Whether it ends before it begins.
    pub fn ends_before_it_starts(&self) -> bool {
        self.started_at.zip(self.finished_at).is_some_and(|(start, end)| end < start)
    }

    /// How long it ran, where both ends are known.
    pub fn length(&self) -> Option<GoDuration> {
        self.started_at.zip(self.finished_at).map(|(start, end)| end.since(start))
    }

    /// When it ended, else when it began.
    pub fn time(&self) -> Option<Time> {
        self.finished_at.or(self.started_at)
    }
}

impl<S: AsRef<str>> RunRecord<S> {
    /// The place of a container whose name another has before it.
    pub fn repeated_container(&self) -> Option<usize> {
        let names = || self.containers.iter().map(|container| container.name.as_ref());
        if self.containers.len() <= 8 {
            return names()
                .enumerate()
                .position(|(place, name)| names().take(place).any(|other| other == name));
        }
        let mut seen = std::collections::HashSet::new();
        names().position(|name| !seen.insert(name))
    }
}

impl RunRecord<Cow<'_, str>> {
    /// The same run with texts of its own.
    pub fn into_owned(self) -> RunRecord {
        self.map(Cow::into_owned)
    }
}

impl RunRecord {
    /// The same run where borrowed texts are asked for.
    pub(super) fn into_cow(self) -> RunRecord<Cow<'static, str>> {
        self.map(Cow::Owned)
    }
}

impl<S> RunRecord<S> {
    /// The same run with other texts.
    fn map<T>(self, text: impl Fn(S) -> T) -> RunRecord<T> {
        let some = |one: Option<S>| one.map(&text);
        let container = |container: Container<S>| Container {
            name: text(container.name),
            init: container.init,
            exit_code: container.exit_code,
            reason: some(container.reason),
            message: some(container.message),
        };
        RunRecord {
            run_index: self.run_index,
            started_at: self.started_at,
            finished_at: self.finished_at,
            node: some(self.node),
            cluster: some(self.cluster),
            outcome: self.outcome,
            conditions: self.conditions.into_iter().map(&text).collect(),
            containers: self.containers.into_iter().map(container).collect(),
            category: some(self.category),
            subcategory: some(self.subcategory),
            termination_grace: self.termination_grace,
            termination_confirmed_at: self.termination_confirmed_at,
        }
    }
}

/// What a job asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Resources {
    /// Cores.
    pub cpu: Option<Quantity>,
    /// Bytes of memory.
    pub memory: Option<Quantity>,
    /// Devices.
    pub gpu: Option<Quantity>,
}

/// The gang a job belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gang<S = String> {
    /// Its id, unique within a queue and job set.
    pub id: S,
    /// How many jobs it has.
    pub cardinality: u32,
}

/// A job and its recorded runs, in time order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// Its queue; empty if the record names none.
    pub queue: String,
    /// Its job set; empty if the record names none.
    pub job_set: String,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// What it asked for.
    pub resources: Resources,
    /// Its gang, unless it is alone.
    pub gang: Option<Gang>,
    /// Its runs.
    pub runs: Vec<RunRecord>,
}

/// The annotation that turns retries off for a job.
pub const FAIL_FAST: &str = "armadaproject.io/failFast";
/// The annotation that adds policies to a job.
pub const RETRY_POLICY: &str = "armadaproject.io/retry-policy";
/// The annotation with a job's gang.
pub const GANG_ID: &str = "armadaproject.io/gangId";
/// The annotation with the number of jobs in the gang.
pub const GANG_CARDINALITY: &str = "armadaproject.io/gangCardinality";

impl Job {
    /// The job's gang, from its record or its annotations; one of 1 is none (semantics.md,
    /// section 9).
    pub fn gang(&self) -> Option<Gang> {
        let annotated = || {
            let id = self.annotations.get(GANG_ID).filter(|id| !id.is_empty())?;
            let cardinality = self.annotations.get(GANG_CARDINALITY)?.trim().parse().ok()?;
            Some(Gang { id: id.clone(), cardinality })
        };
        self.gang.clone().or_else(annotated).filter(|gang| gang.cardinality >= 2)
    }

    /// Whether the job asks never to be retried.
    pub fn fail_fast(&self) -> bool {
        self.annotations.get(FAIL_FAST).is_some_and(|value| value == "true")
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
