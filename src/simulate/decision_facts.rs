//! The facts that engines report for summaries: how a run ended, which rule decided, and how a decision counts.

/// How a run ended, as far as summaries distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It succeeded.
    Succeeded,
    /// It failed, or it was lost.
    Failed,
    /// It was preempted, or stopped with other runs.
    Interrupted,
    /// It was cancelled for good.
    Cancelled,
    /// It did not run, or has not ended: its lease was returned, or the record reports a part of it.
    Open,
}

/// How the index of a record does not fit its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMismatch {
    /// It has one, and the unit has no indexes.
    Ignored,
    /// It has none, and each run of the unit has one.
    Missing,
}

/// A rule as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLabel {
    /// The policy's name.
    pub policy: String,
    /// The rule's index; none for the default action.
    pub index: Option<usize>,
}

/// The facts of a decision that summaries count. The engine reports them once a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each counted by itself")]
pub struct DecisionFacts {
    /// The short code.
    pub code: &'static str,
    /// The rule that decided, by its number among [`Engine::rules`].
    pub rule: Option<usize>,
    /// Whether it is a failure: a failed run that was decided, and not a returned lease.
    pub failure: bool,
    /// Whether a retry was granted, on the engine's or the legacy path.
    pub retry: bool,
    /// Whether a limit stopped it.
    pub exhausted: bool,
    /// Whether no rule matched and a default action decided.
    pub by_default: bool,
    /// Whether no limit counts the retry that it grants.
    pub unlimited: bool,
    /// Whether the wait of the retry was computed from another id, since the record lacks the one that the system
    /// uses.
    pub substitute_id: bool,
    /// Whether the decision might differ if the record held more of the failure.
    pub lacks_facts: bool,
    /// Whether the engine leaves the failure to the legacy path because the unit is in a gang.
    pub legacy_gang: bool,
}
