//! The facts that engines report for summaries: how a run ended, which rule decided, and how a decision counts.

/// How a run ended, as far as summaries distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It succeeded.
    Succeeded,
    /// It failed, or it was lost.
    Failed,
    /// It was preempted, returned, cancelled or stopped.
    Other,
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

/// The facts of a decision that summaries count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each counted by itself")]
pub struct DecisionCounts {
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
}
