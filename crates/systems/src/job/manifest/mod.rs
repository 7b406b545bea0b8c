//! The fields of a Job's manifest that its failures depend on.

pub(crate) mod containers;
mod exit_codes;
pub(super) mod indexes;
pub(super) mod read;
mod restart_policy;
pub(crate) mod shape;
mod success_rule;

use super::index_source::IndexSource;
use containers::Container;
use document::choices;
use document::units::GoDuration;
pub use exit_codes::{ExitCodes, Operator};
use replay::simulate::IndexMismatch;
pub use restart_policy::RestartPolicy;
pub use success_rule::SuccessRule;

/// The settings of a Job that its failures depend on, with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPolicy {
    /// The number of failed pods, or restarts, that the Job survives.
    pub backoff_limit: u32,
    /// The number of failed pods that an index survives; if absent, indexes do not fail by themselves.
    pub backoff_limit_per_index: Option<u32>,
    /// The number of failed indexes that the Job survives until the others are done.
    pub max_failed_indexes: Option<u32>,
    /// The number of pods that have to succeed; if absent, one success ends the Job.
    pub completions: Option<u32>,
    /// The number of pods that may run at once.
    pub parallelism: u32,
    /// Whether any pod's success counts, or each index needs its own.
    pub completion_mode: CompletionMode,
    /// The time from the Job's start at which it fails, whatever the state of its pods.
    pub active_deadline: Option<GoDuration>,
    /// Whether containers are restarted in place.
    pub restart_policy: RestartPolicy,
    /// The time at which a pod is replaced.
    pub pod_replacement_policy: PodReplacementPolicy,
    /// `podFailurePolicy.rules`; absent without such a policy.
    pub rules: Option<Vec<PodRule>>,
    /// `successPolicy.rules`; empty without such a policy.
    pub success_rules: Vec<SuccessRule>,
    /// The containers of the template, the init containers last.
    pub containers: Vec<Container>,
}

impl JobPolicy {
    /// Returns `podFailurePolicy.rules`; empty without such a policy.
    pub fn rules(&self) -> &[PodRule] {
        self.rules.as_deref().unwrap_or_default()
    }

    /// Returns whether any failure of a pod is followed by another pod. It is not checked whether a rule can
    /// ever match.
    pub fn can_retry(&self) -> bool {
        let free = self.rules().iter().any(|rule| rule.action == Some(PodAction::Ignore));
        free || self.backoff_limit > 0 && self.backoff_limit_per_index != Some(0)
    }

    /// Returns whether each index needs a pod of its own.
    pub fn is_indexed(&self) -> bool {
        self.completion_mode == CompletionMode::Indexed
    }

    /// Returns whether a pod that is being deleted counts as failed only after its end. A pod failure policy
    /// needs the state at the end, so it always waits (`job_controller.go`, `onlyReplaceFailedPods`).
    pub fn waits_for_termination(&self) -> bool {
        self.pod_replacement_policy == PodReplacementPolicy::Failed || self.rules.is_some()
    }

    /// Returns whether the Job has no such index: the controller ignores a pod with it.
    pub fn lacks_index(&self, index: u32) -> bool {
        self.is_indexed() && self.completions.is_some_and(|completions| index >= completions)
    }

    /// Returns whether the Job has one pod at a time, each replacing the one before.
    pub fn is_of_one_pod(&self) -> bool {
        self.completions.unwrap_or(1) == 1 && (self.is_indexed() || self.parallelism == 1)
    }

    /// Returns whether each pod of a recorded member is to be a member by itself, since no record tells which pod of
    /// the Job follows which. Of a Job of one pod at a time, whose pods are one member, each follows the one before.
    pub fn has_separate_pods(&self, source: IndexSource, is_only_member: bool) -> bool {
        if self.is_indexed() {
            return source == IndexSource::None;
        }
        !(is_only_member && self.is_of_one_pod())
    }

    /// Returns the values of a key of `--failure` that rules name.
    pub fn listed_values(&self, key: &str) -> Vec<String> {
        let requirements = self.rules().iter().map(|rule| &rule.requirement);
        match key {
            "container" => requirements
                .filter_map(|one| match one {
                    Requirement::ExitCodes(codes) => codes.container.as_deref().map(str::to_owned),
                    Requirement::Conditions(_) | Requirement::Nothing => None,
                })
                .collect(),
            "podCondition" => requirements
                .flat_map(|one| match one {
                    Requirement::Conditions(patterns) => &patterns[..],
                    Requirement::ExitCodes(_) | Requirement::Nothing => &[],
                })
                .map(|pattern| pattern.kind.to_string())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns how the index of a record does not fit the Job: only an Indexed Job has indexes, and its controller
    /// counts no pod without one.
    pub fn index_mismatch(&self, source: IndexSource) -> Option<IndexMismatch> {
        match (self.is_indexed(), source) {
            (false, IndexSource::Recorded) => Some(IndexMismatch::Ignored),
            (true, IndexSource::None) => Some(IndexMismatch::Missing),
            _ => None,
        }
    }

    /// Returns the number of indexes of an Indexed Job. A manifest that no API server has checked may lack
    /// `completions`; then every pod that may run has an index.
    pub fn indexes(&self) -> u32 {
        self.completions.unwrap_or(self.parallelism)
    }
}

/// Whether any pod's success counts, or each index needs its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompletionMode {
    /// Any pod's success counts.
    #[default]
    NonIndexed,
    /// Each index needs a pod of its own.
    Indexed,
}

/// The time at which a pod is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodReplacementPolicy {
    /// A pod is replaced when it is being deleted or has failed.
    TerminatingOrFailed,
    /// A pod is replaced when it has failed.
    Failed,
}

/// A rule of a pod failure policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRule {
    /// The effect of a match; absent if the action is unknown, and then the rule is skipped.
    pub action: Option<PodAction>,
    /// The requirement that it matches on.
    pub requirement: Requirement,
}

choices! {
    /// The action of a rule.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PodAction = "action" {
        /// The Job fails at once.
        FailJob = "FailJob",
        /// The pod's index fails at once. Needs backoffLimitPerIndex.
        FailIndex = "FailIndex",
        /// The pod is replaced and counts towards no limit.
        Ignore = "Ignore",
        /// The pod counts towards the limits, as if no rule matched.
        Count = "Count",
    }
}

impl PodAction {
    /// Returns whether the pod counts towards `backoffLimit` (`pkg/controller/job/pod_failure_policy.go`).
    pub fn counts(self) -> bool {
        self != Self::Ignore
    }
}

/// The requirement that a rule matches on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// The exit codes of containers.
    ExitCodes(ExitCodes),
    /// The pod's conditions: any of these.
    Conditions(Vec<ConditionPattern>),
    /// No requirement; such a rule matches no pod.
    Nothing,
}

/// A condition that a pod must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionPattern {
    /// The condition's type.
    pub kind: Box<str>,
    /// The condition's status.
    pub status: ConditionStatus,
}

choices! {
    /// The status of a condition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ConditionStatus = "status" {
        /// The condition holds.
        #[default]
        True = "True",
        /// It does not hold.
        False = "False",
        /// It is unknown.
        Unknown = "Unknown",
    }
}
