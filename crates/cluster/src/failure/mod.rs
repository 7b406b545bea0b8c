//! Failures in a simulated cluster: attempts of jobs by their own causes, and nodes with all that runs on them.
//!
//! Owns the model and its draws; the event loop applies it. Every draw depends on the seed, its purpose and its
//! subject alone, never on the order of events: two variants have the same crashes, outages and losses.
//!
//! Contract: docs/cluster-failures.md.

mod attempt;
mod checkpoint;
mod distribution;
mod lifetime;
#[cfg(test)]
mod tests;

pub use attempt::{AttemptEnd, FailureKind};
pub use checkpoint::{Checkpoint, Progress};
pub use distribution::{Distribution, DurationDistribution, Probability};
pub use lifetime::{Lemons, Lifetime, Spot};

pub(super) use attempt::{AttemptSubject, Circumstances};
pub(super) use distribution::MAX_DURATION;
pub(super) use distribution::time_at_rate;
pub(super) use lifetime::{NodeSubject, SpotBatch, lemon_rates};

use super::spec::Nanoseconds;

/// Causes of failed attempts of a template's jobs, and their checkpoints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFailures {
    /// The causes, in the order of the file: at equal times the first one counts.
    pub causes: Vec<FailureCause>,
    /// How progress is saved; without it every attempt starts from zero.
    pub checkpoint: Option<Checkpoint>,
    /// The longest time that an attempt may run; `None` means the default of the scheduler's configuration.
    pub active_deadline: Option<Nanoseconds>,
    /// How the pods of preempted runs end.
    pub termination: Termination,
}

/// How the pods of preempted runs end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Termination {
    /// `terminationGracePeriodSeconds`, in whole seconds; 0 means the minimum.
    pub grace: Nanoseconds,
    /// The time from the signal to the end, at most the grace period; `None` means at once.
    pub exit: Option<DurationDistribution>,
}

/// A cause for which attempts of a job fail.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureCause {
    /// The name, unique in the template.
    pub name: String,
    /// When it occurs.
    pub trigger: Trigger,
    /// How it returns on the same node.
    pub stickiness: Option<Stickiness>,
    /// The fields of the failure's record.
    pub report: FailureReport,
}

/// The fields of a failure's record. Empty texts are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureReport {
    /// The exit code of the container.
    pub exit_code: Option<i64>,
    /// The reason of the container, such as `OOMKilled`.
    pub reason: String,
    /// The termination message of the container.
    pub message: String,
    /// The failure category.
    pub category: String,
    /// The failure subcategory.
    pub subcategory: String,
}

/// When a cause of failure occurs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trigger {
    /// With a probability that is drawn once a job, so that bad jobs remain bad.
    PerAttempt {
        /// The probability.
        probability: Probability,
        /// The probability for attempt 0, independent of the draw, if it is another.
        first: Option<f64>,
        /// When the attempt fails, from the start of running.
        at: DurationDistribution,
    },
    /// In every attempt that has less memory than the job needs.
    Memory {
        /// The need, as a factor on the request, drawn once a job.
        need: Distribution,
        /// When the attempt fails, from the start of running.
        at: DurationDistribution,
    },
    /// At a constant rate.
    Hazard {
        /// Failures in an hour of running.
        per_hour: f64,
    },
}

/// How a cause returns on the node on which it failed an attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stickiness {
    /// The probability that it does.
    pub probability: f64,
    /// For how long it fails the attempts of the same template that start on the node.
    pub duration: Nanoseconds,
    /// When it fails them, from the start of running.
    pub again: DurationDistribution,
}

/// How the nodes of a template fail.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeFailures {
    /// How long nodes are up and down.
    pub lifetime: Option<Lifetime>,
    /// The mean running time until a GPU fails, which fails the job that holds it and not the node.
    pub gpu_mtbf: Option<Nanoseconds>,
    /// How spot nodes are lost.
    pub spot: Option<Spot>,
}
