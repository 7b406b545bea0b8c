//! What the engine decides about a failed run.

use crate::units::{GoDuration, Time};

/// The kind of a decision; the text is Armada's own metric label where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionCode {
    /// The engine grants another run.
    Retry,
    /// A Fail rule matched.
    FailRule,
    /// No rule matched, and the default action is Fail.
    FailDefault,
    /// The rule has used its own limit.
    FailRuleLimit,
    /// The rule, or the default, has used its policy's limit.
    FailPolicyLimit,
    /// The job has used `globalMaxRetries`, or that is 0.
    FailGlobalLimit,
    /// The job asks never to be retried.
    FailFast,
    /// Another member of the gang failed for good.
    FailGang,
    /// The member runs again since its gang does.
    GangRerun,
    /// The legacy path grants another run.
    LegacyRetry,
    /// The legacy path grants none.
    LegacyFail,
    /// There is no error information.
    NoError,
}

impl DecisionCode {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Retry,
        Self::FailRule,
        Self::FailDefault,
        Self::FailRuleLimit,
        Self::FailPolicyLimit,
        Self::FailGlobalLimit,
        Self::FailFast,
        Self::FailGang,
        Self::GangRerun,
        Self::LegacyRetry,
        Self::LegacyFail,
        Self::NoError,
    ];

    /// The code as outputs show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::FailRule => "fail_rule",
            Self::FailDefault => "fail_default",
            Self::FailRuleLimit => "fail_rule_limit",
            Self::FailPolicyLimit => "fail_policy_limit",
            Self::FailGlobalLimit => "fail_global_limit",
            Self::FailFast => "fail_fast",
            Self::FailGang => "fail_gang",
            Self::GangRerun => "gang_rerun",
            Self::LegacyRetry => "legacy_retry",
            Self::LegacyFail => "legacy_fail",
            Self::NoError => "no_error",
        }
    }

    /// Whether the job goes on.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry | Self::GangRerun | Self::LegacyRetry)
    }

    /// Whether a limit stopped a job that would have gone on.
    pub fn exhausted(self) -> bool {
        matches!(self, Self::FailRuleLimit | Self::FailPolicyLimit | Self::FailGlobalLimit)
    }
}

/// Where a limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitSource {
    /// The rule's `retryLimit`.
    Rule,
    /// The policy's `retryLimit`.
    Policy,
    /// `globalMaxRetries`.
    Global,
}

impl LimitSource {
    /// `rule`, `policy` or `global`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Policy => "policy",
            Self::Global => "global",
        }
    }
}

/// A rule or a default action among all that were compiled; [`Evaluator::rule`] names it.
///
/// [`Evaluator::rule`]: super::Evaluator::rule
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub(super) u32);

impl RuleId {
    /// Its number among all rules and defaults, from 0, in the order of the policies.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How much of a limit has been used, where a Retry rule or default was consulted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The retries counted against the limit, after the decision.
    pub count: u32,
    /// The limit.
    pub limit: u32,
    /// Where it comes from.
    pub source: LimitSource,
}

/// The run that a retry is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The whole wait: backoff, and the pod of a preempted run.
    pub delay: Option<GoDuration>,
    /// When the wait is over, where the failure's time is known.
    pub retry_after: Option<Time>,
    /// Whether the run avoids nodes; [`JobState::avoided`] has them.
    ///
    /// [`JobState::avoided`]: super::JobState::avoided
    pub avoids_nodes: bool,
}

/// Why a run took the legacy path (semantics.md, sections 1, 5 and 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegacyCause {
    /// Its lease was returned.
    LeaseReturned,
    /// The engine is off.
    EngineOff,
    /// No policy applies to the job.
    NoPolicy,
    /// The profile's engine does not decide on gangs.
    Gang,
    /// The profile's engine does not decide on jobs that ask to fail fast.
    FailFast,
    /// The profile's engine does not decide on preempted runs.
    Preempted,
}

/// A decision about one failed run (semantics.md, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// What was decided.
    pub code: DecisionCode,
    /// The rule or default that decided, where one did.
    pub rule: Option<RuleId>,
    /// The limit that was consulted, where one was.
    pub used: Option<Use>,
    /// The job's total retries, after the decision.
    pub total_retries: u32,
    /// `globalMaxRetries` at that time.
    pub global_max_retries: u32,
    /// What the next run is granted; absent where the engine granted none.
    pub grant: Option<Grant>,
    /// The job's memory from the next run on, once it has grown.
    pub memory_bytes: Option<u64>,
    /// The run's index.
    pub run_index: u32,
    /// Whether pods carry their run's index in their names.
    pub indexed_pods: bool,
    /// Why the run took the legacy path, if it did.
    pub legacy: Option<LegacyCause>,
}

impl Decision {
    /// `Retry` or `Fail`.
    pub fn action(&self) -> crate::policy::Action {
        if self.code.retries() { crate::policy::Action::Retry } else { crate::policy::Action::Fail }
    }
}
