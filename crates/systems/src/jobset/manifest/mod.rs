//! The fields of a JobSet that its failures depend on, with the webhook's defaults.
//!
//! Owns the controller's feature gates that failures depend on.

pub(super) mod nodes;
pub(super) mod read;
pub(super) mod shape;

use crate::Identity;
use crate::job::JobPolicy;
use document::pattern::Pattern;
use document::{FieldValue, Kind, Node, choices, document, names};
use regex_automata::meta::Regex;

/// The settings of a JobSet that its failures depend on.
#[derive(Debug, Clone)]
pub struct JobSet {
    /// The set's name.
    pub name: Box<str>,
    /// The set's namespace; empty if absent.
    pub namespace: Box<str>,
    /// The reaction to a failed Job. Without one the set fails.
    pub failure_policy: Option<FailurePolicy>,
    /// The condition for its completion. Without one, all of its Jobs have to be complete.
    pub success_policy: SuccessPolicy,
    /// The templates of its Jobs.
    pub replicated_jobs: Vec<ReplicatedJob>,
}

// `spec.successPolicy` (`pkg/controllers/success_policy.go`).
document! {
    /// Which Jobs have to be complete for the set to be. What is left of the set stops then.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SuccessPolicy = "successPolicy" {
        /// How many of the Jobs: All or Any. Absent or empty: All.
        pub operator: SuccessOperator = SuccessOperator::All,
        /// The replicatedJobs whose Jobs are checked; absent or empty means all.
        pub targets as "targetReplicatedJobs": Vec<Box<str>> = Vec::new(),
    }
}

names! {
    /// The number of Jobs that have to be complete.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SuccessOperator {
        /// Every Job.
        #[default]
        All = "All",
        /// One Job.
        Any = "Any",
    }
}

impl FieldValue for SuccessOperator {
    // The webhook accepts an empty operator, which a list of choices would refuse.
    const KIND: Kind = Kind::Text;

    fn from_node(node: &Node) -> Option<Self> {
        node.text().and_then(Self::from_name)
    }
}

impl SuccessPolicy {
    /// Returns whether the Jobs of a replicated Job are targets.
    pub fn looks_at(&self, replicated_job: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| **target == *replicated_job)
    }
}

impl JobSet {
    /// Returns whether any failure is followed by a restart of the set, of a Job, or by another pod. It is
    /// not checked whether a rule can ever match.
    pub fn can_retry(&self) -> bool {
        let restarts = self.failure_policy.as_ref().is_some_and(FailurePolicy::can_restart);
        restarts || self.replicated_jobs.iter().any(|job| job.job.can_retry())
    }

    /// Returns the namespace and name of the set.
    pub fn identity(&self) -> Identity<'_> {
        Identity { namespace: &self.namespace, name: &self.name }
    }
}

/// `spec.failurePolicy`. An absent policy differs from an empty one.
#[derive(Debug, Clone, Default)]
pub struct FailurePolicy {
    /// The number of counted restarts that are granted. Any `int32` is accepted; a negative one counts as 0.
    pub max_restarts: i32,
    /// How the Jobs are recreated at a restart.
    pub restart_strategy: RestartStrategy,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

choices! {
    /// How the Jobs of a restarted set are recreated. Only `InPlaceRestart` changes decisions.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum RestartStrategy = "restartStrategy" {
        /// Each Job is created again as soon as its predecessor is deleted.
        #[default]
        Recreate = "Recreate",
        /// Jobs are created again once all their predecessors are deleted.
        BlockingRecreate = "BlockingRecreate",
        /// Containers are restarted in their pods. Needs the feature gate InPlaceRestart.
        InPlaceRestart = "InPlaceRestart",
    }
}

/// A rule of a failure policy.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The rule's name, explicit or by default.
    pub name: Box<str>,
    /// The rule's action.
    pub action: Action,
    /// `onJobFailureReasons`; empty means any.
    pub reasons: Vec<Box<str>>,
    /// `onJobFailureMessagePatterns`; empty means any.
    pub patterns: Vec<MessagePattern>,
    /// `targetReplicatedJobs`; empty means all.
    pub targets: Vec<Box<str>>,
}

choices! {
    /// The action of a rule when a Job of the set fails (`api/jobset/v1alpha2`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Action = "action" {
        /// The set fails.
        FailJobSet = "FailJobSet",
        /// All Jobs restart, within maxRestarts.
        RestartJobSet = "RestartJobSet",
        /// All Jobs restart; it does not count.
        RestartJobSetAndIgnoreMaxRestarts = "RestartJobSetAndIgnoreMaxRestarts",
        /// The failed Job restarts, within maxRestarts. Needs the feature gate RestartJob.
        RestartJob = "RestartJob",
        /// The failed Job restarts; it does not count. Needs the feature gate RestartJob.
        RestartJobAndIgnoreMaxRestarts = "RestartJobAndIgnoreMaxRestarts",
    }
}

/// One of a rule's patterns. A pattern that Go cannot compile is accepted by the webhook, and matches
/// nothing.
#[derive(Debug, Clone)]
pub struct MessagePattern {
    text: Box<str>,
    regex: Option<Regex>,
}

/// An item of `spec.replicatedJobs`.
#[derive(Debug, Clone)]
pub struct ReplicatedJob {
    /// The name, which rules target and Jobs have in a label.
    pub name: Box<str>,
    /// The number of its Jobs.
    pub replicas: u32,
    /// The failure settings of each of its Jobs.
    pub job: JobPolicy,
}

impl Action {
    /// Returns the reason of the action's event (`pkg/constants/constants.go`).
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

    /// Returns whether the action restarts only the failed Job, which needs the gate `RestartJob`.
    pub fn restarts_one_job(self) -> bool {
        matches!(self, Self::RestartJob | Self::RestartJobAndIgnoreMaxRestarts)
    }
}

impl MessagePattern {
    /// Compiles a pattern if Go would, else makes one that matches nothing.
    pub fn new(text: &str) -> Self {
        let regex = Pattern::parse(text).ok().and_then(|pattern| pattern.regex().ok());
        Self { text: text.into(), regex }
    }

    /// Returns the pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns a text that the pattern matches, if one was found.
    pub fn example(&self) -> Option<String> {
        Pattern::parse(&self.text).ok()?.example()
    }

    /// Returns whether the pattern matches anywhere in a message.
    pub fn is_match(&self, message: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(message))
    }
}

impl FailurePolicy {
    /// Returns whether the policy grants restarts, counted or not.
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

    /// Returns whether any rule matches on the message of a failure.
    pub fn reads_messages(&self) -> bool {
        self.rules.iter().any(|rule| !rule.patterns.is_empty())
    }
}

/// Returns the name that the webhook gives a rule without one (`jobset_webhook.go`).
pub fn default_rule_name(index: usize) -> String {
    format!("failurePolicyRule{index}")
}

/// The controller's alpha features that are on. By default none is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureGates {
    /// The actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`, and the limit that includes their
    /// restarts.
    pub restart_job: bool,
    /// The strategy `InPlaceRestart`.
    pub in_place_restart: bool,
}

#[cfg(test)]
impl FeatureGates {
    /// Turns on the gates that a text names.
    pub(super) fn named(text: &str) -> Self {
        let restart_job = text.contains("RestartJob");
        Self { restart_job, in_place_restart: text.contains("InPlaceRestart") }
    }
}
