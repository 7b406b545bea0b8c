//! One decision as data, with what the report shows of it (section 5, "What outputs show").

use super::policy::{Action, Bump};
use super::time::Nanos;

/// The `decision` codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    Retry,
    FailRule,
    FailDefault,
    FailFast,
    FailRuleLimit,
    FailPolicyLimit,
    FailGlobalLimit,
    FailGang,
    GangRerun,
    LegacyRetry,
    LegacyFail,
}

/// Who decided: a rule, or a policy's default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub policy: String,
    pub rule: Option<usize>,
}

/// Where a limit came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Rule,
    Policy,
    Global,
}

/// The count against its limit.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub count: u64,
    pub of: u64,
    pub source: Source,
}

/// One decision on one run.
#[derive(Clone)]
pub struct Decision {
    pub position: usize,
    pub code: Code,
    pub named: Option<Named>,
    pub limit: Option<Limit>,
    pub total: u64,
    pub global: u64,
    pub enabled: bool,
    pub delay: Option<Nanos>,
    pub retry_after: Option<Nanos>,
    pub avoid: Vec<String>,
    pub memory: Option<i128>,
    /// The bump this retry asked for, whether or not it was of the job's kind.
    pub bump: Option<Bump>,
}

impl Code {
    /// As every output spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::FailRule => "fail_rule",
            Self::FailDefault => "fail_default",
            Self::FailFast => "fail_fast",
            Self::FailRuleLimit => "fail_rule_limit",
            Self::FailPolicyLimit => "fail_policy_limit",
            Self::FailGlobalLimit => "fail_global_limit",
            Self::FailGang => "fail_gang",
            Self::GangRerun => "gang_rerun",
            Self::LegacyRetry => "legacy_retry",
            Self::LegacyFail => "legacy_fail",
        }
    }

    /// Retry, or the end of the job.
    pub fn action(self) -> Action {
        match self {
            Self::Retry | Self::GangRerun | Self::LegacyRetry => Action::Retry,
            _ => Action::Fail,
        }
    }
}
