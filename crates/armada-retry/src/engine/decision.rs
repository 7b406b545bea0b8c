//! The engine's decision about a failed run.

use super::run::Unplaced;
use document::names;
use document::units::{GoDuration, Time};

names! {
    /// The kind of a decision; its text is Armada's own metric label if Armada has one (semantics.md, section 5).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DecisionCode {
        /// The engine grants another run.
        Retry = "retry",
        /// A Fail rule matched.
        FailRule = "fail_rule",
        /// No rule matched, and the default action is Fail.
        FailDefault = "fail_default",
        /// The rule's count has reached the rule's own limit.
        FailRuleLimit = "fail_rule_limit",
        /// The count of the rule or default has reached the policy's limit.
        FailPolicyLimit = "fail_policy_limit",
        /// The job's total, or the count of the rule, has reached `globalMaxRetries`, or that is 0.
        FailGlobalLimit = "fail_global_limit",
        /// The job has the annotation `armadaproject.io/failFast`.
        FailFast = "fail_fast",
        /// The engine granted another run, and the scheduler took it back, by the record: no node could take the job with
        /// what the rule changes (semantics.md, section 7).
        RetryUnschedulable = "retry_unschedulable",
        /// Another member of the gang failed for good (semantics.md, section 9).
        FailGang = "fail_gang",
        /// The member runs again because its gang does (semantics.md, section 9).
        GangRerun = "gang_rerun",
        /// The legacy path grants another run (semantics.md, section 8).
        LegacyRetry = "legacy_retry",
        /// The legacy path ends the job (semantics.md, section 8).
        LegacyFail = "legacy_fail",
        /// The failure has no error information; only
        /// [`decide_without_error`](super::Evaluator::decide_without_error) gives this.
        NoError = "no_error",
    }
}

impl DecisionCode {
    /// Whether the job gets another run.
    pub fn retries(self) -> bool {
        matches!(self, Self::Retry | Self::GangRerun | Self::LegacyRetry)
    }

    /// Whether the code is one of the three limits, which summaries count as `exhausted` (semantics.md,
    /// section 11).
    pub fn exhausted(self) -> bool {
        matches!(self, Self::FailRuleLimit | Self::FailPolicyLimit | Self::FailGlobalLimit)
    }
}

names! {
    /// The level that set a limit (semantics.md, section 5, step 9).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum LimitSource {
        /// The rule's `retryLimit`.
        Rule = "rule",
        /// The policy's `retryLimit`.
        Policy = "policy",
        /// `globalMaxRetries`.
        Global = "global",
    }
}

/// Identifies a rule or default action of an evaluator; [`Evaluator::rule`] returns its name.
///
/// [`Evaluator::rule`]: super::Evaluator::rule
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub(super) u32);

impl RuleId {
    /// The position among all rules and defaults, from 0, in the order of the policies. A policy's default
    /// follows its rules.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The used part of a limit. A decision has it if a Retry rule or default was consulted (semantics.md,
/// section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The retries that count against the limit, after the decision.
    pub count: u32,
    pub limit: u32,
    /// The level that set the limit.
    pub source: LimitSource,
}

/// The terms of the run that a retry is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The whole wait: the backoff, or the wait for the pod of a preempted run if that is longer
    /// (semantics.md, section 7).
    pub delay: Option<GoDuration>,
    /// The time at which the wait ends; `None` if the end of the failed run is not recorded.
    pub retry_after: Option<Time>,
    /// Whether the run avoids nodes; [`JobState::avoided`] lists them.
    ///
    /// [`JobState::avoided`]: super::JobState::avoided
    pub avoids_nodes: bool,
}

/// The reason that a run took the legacy path (semantics.md, sections 1, 5 and 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegacyCause {
    /// The lease of the run was returned.
    LeaseReturned,
    /// The engine is disabled.
    EngineOff,
    /// No policy applies to the job.
    NoPolicy,
    /// The job is in a gang, and the profile leaves gangs to the legacy path.
    Gang,
    /// The job has the annotation `failFast`, and the profile leaves such jobs to the legacy path.
    FailFast,
    /// The run was preempted, and the profile leaves preempted runs to the legacy path.
    Preempted,
}

/// A decision about one failed run (semantics.md, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The kind of the decision.
    pub code: DecisionCode,
    /// The rule or default that decided; `None` if neither did.
    pub rule: Option<RuleId>,
    /// The limit that was consulted; `None` if none was.
    pub used: Option<Use>,
    /// The job's retries in total, after the decision.
    pub total_retries: u32,
    /// The `globalMaxRetries` in force at the decision.
    pub global_max_retries: u32,
    /// The terms of the next run; `None` if the engine granted none.
    pub grant: Option<Grant>,
    /// The job's memory in bytes from the next run on; `None` before the first bump.
    pub memory_bytes: Option<u64>,
    /// The index of the run that failed.
    pub run_index: u32,
    /// Whether the names of pods contain the run's index.
    pub indexed_pods: bool,
    /// Why the run took the legacy path; `None` if it did not.
    pub legacy: Option<LegacyCause>,
    /// Why the scheduler took the retry back; `None` if it did not.
    pub unplaced: Option<Unplaced>,
}

impl Decision {
    /// The action of the decision: Retry if the job gets another run.
    pub fn action(&self) -> crate::policy::Action {
        if self.code.retries() { crate::policy::Action::Retry } else { crate::policy::Action::Fail }
    }
}
