//! The retry fields of a job's submission with Iris's defaults, and the source of rules that applies.

use document::diag::Code;
use document::{Kind, choices, document};

choices! {
    /// The source of rules that applies where the two differ.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Profile = "profile" {
        /// The project's document of task states, from which its code has since diverged.
        Seed = "seed",
        // `cluster/controller/reconcile`.
        /// The controller's code, as of summer 2026.
        #[default]
        Upstream = "upstream",
    }
}

/// The maximum number of tasks that a job can be submitted with (upstream, `MAX_REPLICAS_PER_JOB`).
pub const MAX_REPLICAS: u32 = 10_000;

// The fields have their names in a job's submission. Limits are `int32` in the protocol, and no value means unlimited.
// A value below 0 counts as 0 for a task's retries (issue 6830).
document! {
    /// The retry settings of the job's submission.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Policy = "policy" (elsewhere: &[
        ("max_retries", "write `max_retries_failure`, `max_retries_preemption`, or both"),
        ("maxRetriesFailure", "write `max_retries_failure`"),
        ("maxRetriesPreemption", "write `max_retries_preemption`"),
        ("maxTaskFailures", "write `max_task_failures`"),
        ("coscheduling", "write `coscheduled: true`"),
        ("tasks", "write `replicas`"),
    ]) {
        /// Failed attempts of a task that another follows: 2 means up to 3 attempts. Absent means 0.
        /// Counted over the task's whole life, in any phase, and never reset. Below 0 is as 0: no value
        /// means unlimited. With upstream a retried failure still counts for max_task_failures.
        pub max_retries_failure: i32 = 0,
        /// Lost attempts of a task that another follows. Absent means 100.
        /// A worker died, or a task of higher priority took its place; with upstream also: a worker reported
        /// that it was killed. While ASSIGNED, preemptions are free, with upstream all of these. Below 0 is
        /// as 0. Upstream caps it at 1000 when a job is submitted: according to the pull requests; it was not found
        /// in the code of submission.
        pub max_retries_preemption: i32 = 100,
        /// Failures that the job tolerates; one more fails it. Absent means 0.
        /// The seed counts tasks that are FAILED now, upstream every failed attempt of all tasks, those
        /// included that were retried. So with upstream and 0 any failed attempt fails the job. Below 0 the
        /// first event fails it, unless all its tasks have succeeded by then.
        pub max_task_failures: i32 = 0,
        /// Tasks of the job, numbered from 0: 1 to 10000. Absent means 1.
        /// Tasks without records run until the recorded ones have ended, and then succeed.
        pub replicas: u32 = 1 => Kind::Whole { min: 1, max: MAX_REPLICAS as i128, code: Code::OutOfRange },
        /// Whether the tasks are a gang, placed together or not at all. Absent means false.
        /// Then what ends one task also ends, or queues again, those that have a worker.
        pub coscheduled: bool = false,
    }
}

impl Policy {
    /// Returns whether the policy grants an attempt after a failed or lost one.
    pub fn can_retry(&self) -> bool {
        self.max_retries_failure > 0 || self.max_retries_preemption > 0
    }
}

/// A policy under one of the sources: every rule depends on these two values only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// The source of rules.
    pub profile: Profile,
    /// The policy.
    pub policy: Policy,
}

/// The cap on `max_retries_preemption` at submission, since May 2026. It is documented in pull requests
/// (issues 5633 and 5638) and a migration; it is not in the code of submission.
pub(in crate::iris) const MAX_RETRIES_PREEMPTION: i32 = 1000;

/// A named policy; by default with Iris's defaults for a job without any of the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IrisProfile {
    /// `metadata.name`.
    pub name: String,
    /// The source of rules and the policy.
    pub rules: Rules,
}
