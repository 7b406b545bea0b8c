//! The fields of a JobSet that its failures depend on, with the webhook's defaults.
//! Owns the controller's feature gates that failures depend on.

pub(super) mod read;
pub(super) mod shape;

use crate::pattern::Pattern;
use crate::systems::Identity;
use crate::systems::job::JobPolicy;
use regex_automata::meta::Regex;

/// A JobSet, as far as failures concern it.
#[derive(Debug, Clone)]
pub struct JobSet {
    /// Its name.
    pub name: Box<str>,
    /// Its namespace; empty if absent.
    pub namespace: Box<str>,
    /// Its reaction to a failed Job. Without one the set fails.
    pub failure_policy: Option<FailurePolicy>,
    /// When it is complete. Without one, when all of its Jobs are.
    pub success_policy: SuccessPolicy,
    /// The templates of its Jobs.
    pub replicated_jobs: Vec<ReplicatedJob>,
}

/// `spec.successPolicy` (`pkg/controllers/success_policy.go`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuccessPolicy {
    /// How many of the target Jobs have to be complete.
    pub operator: SuccessOperator,
    /// The target replicated Jobs; empty is all.
    pub targets: Vec<Box<str>>,
}

/// How many Jobs have to be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SuccessOperator {
    /// Every one.
    #[default]
    All,
    /// One.
    Any,
}

impl SuccessOperator {
    /// The name as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Any => "Any",
        }
    }

    /// The operator of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::All, Self::Any].into_iter().find(|operator| operator.as_str() == name)
    }
}

impl SuccessPolicy {
    /// Whether Jobs of a replicated Job are targets.
    pub fn looks_at(&self, replicated_job: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| **target == *replicated_job)
    }
}

impl JobSet {
    /// Whether some failure is followed by a restart of the set, of a Job, or by another pod.
    /// Whether a rule can ever match is not looked at.
    pub fn can_retry(&self) -> bool {
        let restarts = self.failure_policy.as_ref().is_some_and(FailurePolicy::can_restart);
        restarts || self.replicated_jobs.iter().any(|job| job.job.can_retry())
    }

    /// The namespace and name of the set.
    pub fn identity(&self) -> Identity<'_> {
        Identity { namespace: &self.namespace, name: &self.name }
    }
}

/// `spec.failurePolicy`. A JobSet may have none, which is not the same as an empty one.
#[derive(Debug, Clone, Default)]
pub struct FailurePolicy {
    /// Counted restarts that are granted. Any `int32` is accepted; below 0 is as 0.
    pub max_restarts: i32,
    /// How the Jobs of a restart come back.
    pub restart_strategy: RestartStrategy,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// How the Jobs of a restarted set come back. Only `InPlaceRestart` changes decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestartStrategy {
    /// Each Job as soon as its predecessor is gone.
    #[default]
    Recreate,
    /// All Jobs once all their predecessors are gone.
    BlockingRecreate,
    /// Containers are restarted in their pods.
    InPlaceRestart,
}

/// A rule of a failure policy.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name, given or by default.
    pub name: Box<str>,
    /// Its action.
    pub action: Action,
    /// `onJobFailureReasons`; empty is any.
    pub reasons: Vec<Box<str>>,
    /// `onJobFailureMessagePatterns`; empty is any.
    pub patterns: Vec<MessagePattern>,
    /// `targetReplicatedJobs`; empty is all.
    pub targets: Vec<Box<str>>,
}

/// The action of a rule on a JobSet of which a Job has failed (`api/jobset/v1alpha2`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The set fails.
    FailJobSet,
    /// The set restarts, within `maxRestarts`. The default if no rule matches.
    RestartJobSet,
    /// The set restarts, uncounted.
    RestartJobSetAndIgnoreMaxRestarts,
    /// The failed Job restarts, within `maxRestarts`. Gate `RestartJob`.
    RestartJob,
    /// The failed Job restarts, uncounted. Gate `RestartJob`.
    RestartJobAndIgnoreMaxRestarts,
}

/// One of a rule's patterns. What Go cannot compile is admitted all the same and matches nothing.
#[derive(Debug, Clone)]
pub struct MessagePattern {
    text: Box<str>,
    regex: Option<Regex>,
}

/// An item of `spec.replicatedJobs`.
#[derive(Debug, Clone)]
pub struct ReplicatedJob {
    /// Its name, which rules target and Jobs carry in a label.
    pub name: Box<str>,
    /// How many Jobs it makes.
    pub replicas: u32,
    /// How each of them comes to fail.
    pub job: JobPolicy,
}

impl RestartStrategy {
    /// The name as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recreate => "Recreate",
            Self::BlockingRecreate => "BlockingRecreate",
            Self::InPlaceRestart => "InPlaceRestart",
        }
    }

    /// The strategy of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Recreate, Self::BlockingRecreate, Self::InPlaceRestart];
        all.into_iter().find(|strategy| strategy.as_str() == name)
    }
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::FailJobSet,
        Self::RestartJobSet,
        Self::RestartJobSetAndIgnoreMaxRestarts,
        Self::RestartJob,
        Self::RestartJobAndIgnoreMaxRestarts,
    ];

    /// The name as manifests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailJobSet => "FailJobSet",
            Self::RestartJobSet => "RestartJobSet",
            Self::RestartJobSetAndIgnoreMaxRestarts => "RestartJobSetAndIgnoreMaxRestarts",
            Self::RestartJob => "RestartJob",
            Self::RestartJobAndIgnoreMaxRestarts => "RestartJobAndIgnoreMaxRestarts",
        }
    }

    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// The reason of its event (`pkg/constants/constants.go`).
    pub fn event(self) -> &'static str {
        match self {
            Self::FailJobSet => "FailJobSetFailurePolicyAction",
            Self::RestartJobSet => "RestartJobSetFailurePolicyAction",
            Self::RestartJobSetAndIgnoreMaxRestarts => {
                "RestartJobSetAndIgnoreMaxRestartsFailurePolicyAction"
            }
            Self::RestartJob => "RestartJobFailurePolicyAction",
            Self::RestartJobAndIgnoreMaxRestarts => {
                "RestartJobAndIgnoreMaxRestartsFailurePolicyAction"
            }
        }
    }

    /// Whether it restarts the failed Job alone, which needs the gate `RestartJob`.
    pub fn restarts_one_job(self) -> bool {
        matches!(self, Self::RestartJob | Self::RestartJobAndIgnoreMaxRestarts)
    }
}

impl MessagePattern {
    /// A pattern of this text, if Go would compile it, else one that matches nothing.
    pub fn new(text: &str) -> Self {
        let regex = Pattern::parse(text).ok().and_then(|pattern| pattern.regex().ok());
        Self { text: text.into(), regex }
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is found anywhere in a message.
    pub fn is_match(&self, message: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(message))
    }
}

impl FailurePolicy {
    /// Whether it grants restarts, counted or not.
    pub fn can_restart(&self) -> bool {
        let is_free = |rule: &Rule| {
            use Action::{RestartJobAndIgnoreMaxRestarts, RestartJobSetAndIgnoreMaxRestarts};
            matches!(
                rule.action,
                RestartJobAndIgnoreMaxRestarts | RestartJobSetAndIgnoreMaxRestarts
            )
        };
        self.max_restarts > 0 || self.rules.iter().any(is_free)
    }

    /// Whether some rule matches on the message of a failure.
    pub fn reads_messages(&self) -> bool {
        self.rules.iter().any(|rule| !rule.patterns.is_empty())
    }
}

/// The name that the webhook gives a rule without one (`jobset_webhook.go`).
pub fn default_rule_name(index: usize) -> String {
    format!("failurePolicyRule{index}")
}

/// Which alpha features the controller has switched on. None is by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureGates {
    /// The actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`, and the budget that counts
    /// their restarts too.
    pub restart_job: bool,
    /// The strategy `InPlaceRestart`.
    pub in_place_restart: bool,
}

#[cfg(test)]
impl FeatureGates {
    /// Those on that a text names.
    pub(super) fn named(text: &str) -> Self {
        let restart_job = text.contains("RestartJob");
        Self { restart_job, in_place_restart: text.contains("InPlaceRestart") }
    }
}
