//! The fields of a Job's manifest that its failures depend on.

pub(super) mod indexes;
pub(super) mod read;
pub(in crate::systems) mod shape;

use super::engine::rule_match::SuccessRule;
use crate::units::GoDuration;

/// A Job, as far as its failures are concerned, with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPolicy {
    /// Failed pods, or restarts, that the Job survives.
    pub backoff_limit: u32,
    /// Failed pods that an index survives; absent: indexes do not fail by themselves.
    pub backoff_limit_per_index: Option<u32>,
    /// Failed indexes that the Job survives until the others are done.
    pub max_failed_indexes: Option<u32>,
    /// Pods that have to succeed; absent: one success ends the Job.
    pub completions: Option<u32>,
    /// Pods that may run at once.
    pub parallelism: u32,
    /// Whether pods stand for each other.
    pub completion_mode: CompletionMode,
    /// How long after its start the Job fails, whatever its pods do.
    pub active_deadline: Option<GoDuration>,
    /// Whether containers are restarted in place.
    pub restart_policy: RestartPolicy,
    /// When a pod is replaced.
    pub pod_replacement_policy: PodReplacementPolicy,
    /// `podFailurePolicy.rules`; absent: there is no such policy.
    pub rules: Option<Vec<PodRule>>,
    /// `successPolicy.rules`; none where there is no such policy.
    pub success_rules: Vec<SuccessRule>,
}

impl JobPolicy {
    /// `podFailurePolicy.rules`, none where there is no such policy.
    pub fn rules(&self) -> &[PodRule] {
        self.rules.as_deref().unwrap_or_default()
    }

    /// Whether some failure of a pod is followed by another pod. Whether a rule can ever match is
    /// not looked at.
    pub fn can_retry(&self) -> bool {
        let free = self.rules().iter().any(|rule| rule.action == Some(PodAction::Ignore));
        free || self.backoff_limit > 0 && self.backoff_limit_per_index != Some(0)
    }

    /// Whether each index needs a pod of its own.
    pub fn is_indexed(&self) -> bool {
        self.completion_mode == CompletionMode::Indexed
    }

    /// Whether a pod that is being deleted counts as failed only once it has failed. A pod failure
    /// policy has to see how a pod ended, so it always waits (`job_controller.go`,
    /// `onlyReplaceFailedPods`).
    pub fn waits_for_termination(&self) -> bool {
        self.pod_replacement_policy == PodReplacementPolicy::Failed || self.rules.is_some()
    }

    /// Whether no pod has such an index: the controller passes over one that does.
    pub fn lacks_index(&self, index: u32) -> bool {
        self.is_indexed() && self.completions.is_some_and(|completions| index >= completions)
    }

    /// Whether it has one pod at a time, and each takes the place of the one before.
    pub fn is_of_one_pod(&self) -> bool {
        self.completions.unwrap_or(1) == 1 && (self.is_indexed() || self.parallelism == 1)
    }

    /// How many indexes an Indexed Job has. A manifest that no API server has checked may lack
    /// `completions`; every pod that may run has an index then.
    pub fn indexes(&self) -> u32 {
        self.completions.unwrap_or(self.parallelism)
    }
}

/// Whether pods stand for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompletionMode {
    /// They do.
    #[default]
    NonIndexed,
    /// Each index needs a pod of its own.
    Indexed,
}

/// Whether containers are restarted in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartPolicy {
    /// They are not: the pod fails.
    Never,
    /// They are.
    OnFailure,
}

/// When a pod is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodReplacementPolicy {
    /// Once it is being deleted or has failed.
    TerminatingOrFailed,
    /// Once it has failed.
    Failed,
}

/// A rule of a pod failure policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRule {
    /// The effect of a match; absent if the action is unknown, and then the rule is skipped.
    pub action: Option<PodAction>,
    /// What it matches on.
    pub requirement: Requirement,
}

/// The action of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PodAction {
    /// The Job fails.
    FailJob,
    /// The pod's index fails.
    FailIndex,
    /// The pod counts towards no limit.
    Ignore,
    /// The pod counts, as if no rule matched.
    Count,
}

impl PodAction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::FailJob, Self::FailIndex, Self::Ignore, Self::Count];

    /// The action as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailJob => "FailJob",
            Self::FailIndex => "FailIndex",
            Self::Ignore => "Ignore",
            Self::Count => "Count",
        }
    }

    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// Whether the pod counts towards `backoffLimit` (facts, B4).
    pub fn counts(self) -> bool {
        self != Self::Ignore
    }
}

/// What a rule matches on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// Containers' exit codes.
    ExitCodes(ExitCodes),
    /// The pod's conditions: any of these.
    Conditions(Vec<ConditionPattern>),
    /// Nothing; such a rule matches no pod.
    Nothing,
}

/// A requirement on exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitCodes {
    /// The only container looked at.
    pub container: Option<Box<str>>,
    /// How codes and values compare; absent where the operator is not known, and nothing matches.
    pub operator: Option<Operator>,
    /// The values.
    pub values: Vec<i32>,
}

/// How exit codes and values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// A container ended with one of the values.
    In,
    /// A container ended with none of them.
    NotIn,
}

/// A condition that a pod is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionPattern {
    /// Its type.
    pub kind: Box<str>,
    /// Its status.
    pub status: ConditionStatus,
}

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConditionStatus {
    /// It holds.
    #[default]
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown,
}

impl ConditionStatus {
    /// The status as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    /// The status of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::True, Self::False, Self::Unknown].into_iter().find(|s| s.as_str() == name)
    }
}
