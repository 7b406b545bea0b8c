//! A run as the evaluator reads it.

use compact_str::CompactString;
use document::choices;
use document::units::{GoDuration, Time};

/// A run that ended, with what decisions depend on. It borrows from the record of its caller.
#[derive(Debug, Clone, Copy, Default)]
pub struct EndedRun<'r> {
    /// Its number among the runs of its job, part of its pod's name.
    pub run_index: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Conditions of the run; unknown ones match nothing.
    pub conditions: &'r [CompactString],
    /// The containers, in pod order.
    pub containers: &'r [Container],
    /// The failure category that the executor assigned; empty without one.
    pub category: &'r str,
    /// The failure subcategory; empty without one.
    pub subcategory: &'r str,
    /// When it ended.
    pub finished_at: Option<Time>,
    /// The node it ran on.
    pub node: Option<&'r str>,
    /// How long the pod may take to end.
    pub termination_grace: Option<GoDuration>,
    /// When the pod was confirmed to have ended.
    pub termination_confirmed_at: Option<Time>,
    /// Why the scheduler took back the retry that was granted after it, in a replay; a scheduler leaves it out.
    pub unplaced: Option<Unplaced>,
}

choices! {
    /// How a run ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Outcome = "outcome" {
        /// It did its work.
        Succeeded = "Succeeded",
        /// Its pod failed.
        #[default]
        Failed = "Failed",
        /// The scheduler preempted it.
        Preempted = "Preempted",
        /// The executor gave the lease back; it spends no budget.
        LeaseReturned = "LeaseReturned",
        /// The executor stopped reporting; a failure.
        LeaseExpired = "LeaseExpired",
        /// The job was cancelled.
        Cancelled = "Cancelled",
        /// It ended because its gang did; only in a gang.
        Stopped = "Stopped",
    }
}

impl Outcome {
    /// Whether no container failed, whatever the record holds (semantics.md, section 4).
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Preempted | Self::LeaseReturned | Self::LeaseExpired)
    }
}

/// A container of a run's pod.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Container {
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
    pub fn from_error(error: &str) -> Option<Self> {
        let reason = error.strip_prefix("Retry policy: ")?;
        let (reason, _) = reason.split_once('\n').unwrap_or((reason, ""));
        Self::ALL.into_iter().find(|cause| reason.trim_end() == cause.as_str())
    }
}
