//! A decision about a run.

/// A decision about a run, as reports name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunDecision {
    /// The code, such as `retry` or `fail_rule_limit`.
    pub code: &'static str,
    /// The number of the rule that decided, if one did.
    pub rule: Option<usize>,
    /// Whether the job was granted another run.
    pub is_retry: bool,
}

impl RunDecision {
    /// The retry was granted, and no node could ever take the job.
    pub const UNSCHEDULABLE: Self =
        Self { code: "retry_unschedulable", rule: None, is_retry: false };
}
