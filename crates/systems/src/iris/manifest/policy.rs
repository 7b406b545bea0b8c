//! The retry fields of a job's submission with Iris's defaults, and the source of rules that applies.

use document::names;

names! {
    /// The source of rules that applies where the two differ.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Profile {
        /// The project's document of task states.
        Seed = "seed",
        /// The controller's code (`cluster/controller/reconcile`).
        Upstream = "upstream",
    }
}

/// The maximum number of tasks that a job can be submitted with (upstream, `MAX_REPLICAS_PER_JOB`).
pub const MAX_REPLICAS: u32 = 10_000;

/// A job's retry policy: fields of its submission, by their names there.
///
/// Limits are `int32` in the protocol, and no value means unlimited. A value below 0 counts as 0 for a task's
/// retries (issue 6830). A `max_task_failures` below 0 fails a job at its first event, unless all its tasks
/// have succeeded by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The number of a task's failed attempts that are followed by another. Default 0.
    pub max_retries_failure: i32,
    /// The number of a task's attempts that are lost after they began and are followed by another. Default
    /// 100.
    pub max_retries_preemption: i32,
    /// The number of failures that the job survives. Default 0. The seed counts tasks in `FAILED`, upstream
    /// every failed attempt.
    pub max_task_failures: i32,
    /// The number of the job's tasks. Default 1, at most `MAX_REPLICAS`.
    pub replicas: u32,
    /// Whether the tasks are a gang, which is placed together or not at all. Default false.
    pub coscheduled: bool,
}

impl Policy {
    /// Returns whether the policy grants an attempt after a failed or lost one.
    pub fn can_retry(&self) -> bool {
        self.max_retries_failure > 0 || self.max_retries_preemption > 0
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_retries_failure: 0,
            max_retries_preemption: 100,
            max_task_failures: 0,
            replicas: 1,
            coscheduled: false,
        }
    }
}

/// A policy under one of the sources: every rule depends on these two values only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The source of rules.
    pub profile: Profile,
    /// The policy.
    pub policy: Policy,
}

/// The cap on `max_retries_preemption` at submission, since May 2026. It is documented in pull requests
/// (issues 5633 and 5638) and a migration; it is not in the code of submission.
pub(in crate::iris) const MAX_RETRIES_PREEMPTION: i32 = 1000;

/// A named policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IrisProfile {
    /// `metadata.name`.
    pub name: String,
    /// The source of rules and the policy.
    pub rules: Rules,
}

impl Default for IrisProfile {
    /// Returns Iris's defaults for a job without any of the fields.
    fn default() -> Self {
        let rules = Rules { profile: Profile::Upstream, policy: Policy::default() };
        Self { name: String::new(), rules }
    }
}
