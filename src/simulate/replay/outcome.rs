//! What became of a member, and how.

use crate::engine::End;
use crate::simulate::report::DecisionReport;
use crate::units::Time;

/// What became of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It did its work.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was granted a run that is not on record.
    Unresolved,
    /// Somebody cancelled it.
    Cancelled,
}

impl Outcome {
    /// The name as reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unresolved => "Unresolved",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl From<End> for Outcome {
    fn from(end: End) -> Self {
        match end {
            End::Succeeded => Self::Succeeded,
            End::Failed => Self::Failed,
            End::Cancelled => Self::Cancelled,
        }
    }
}

/// A recorded run that the policies would not have let happen as it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The run.
    pub run_index: u32,
    /// What about it.
    pub what: String,
}

/// A run that was granted and is not on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The rule that granted it; none where no rule did.
    pub rule: Option<usize>,
}

/// What became of a member, and how.
#[derive(Debug)]
pub struct MemberOutcome {
    /// What.
    pub outcome: Outcome,
    /// The system's own word for it.
    pub system_outcome: Option<String>,
    /// Why, as one sentence.
    pub reason: String,
    /// Retries granted.
    pub retries: u64,
    /// Recorded runs that were not reached.
    pub not_reached: u64,
    /// Recorded runs that another's end cut off before the end that is on record.
    pub cut_off: u64,
    /// The granted run that is not on record, where one is missing.
    pub missing: Option<Missing>,
    /// What cannot have happened.
    pub contradictions: Vec<Contradiction>,
    /// The decisions, if they were asked for.
    pub decisions: Vec<DecisionReport>,
}

impl MemberOutcome {
    /// Nothing known yet.
    pub(super) fn new() -> Self {
        Self {
            outcome: Outcome::Unresolved,
            system_outcome: None,
            reason: String::new(),
            retries: 0,
            not_reached: 0,
            cut_off: 0,
            missing: None,
            contradictions: Vec::new(),
            decisions: Vec::new(),
        }
    }
}

/// Semantics.md, section 7: a run on an avoided node or before its time is named.
pub(in crate::simulate) fn contradiction(
    node: Option<&str>,
    started_at: Option<Time>,
    not_before: Option<Time>,
    avoided: &[String],
) -> Option<String> {
    let on_avoided = node.filter(|node| avoided.iter().any(|avoided| avoided == node));
    let early = started_at.zip(not_before).filter(|(start, earliest)| start < earliest);
    let node = on_avoided.map(|node| format!("ran on {node}, which it had to avoid"));
    let early = early
        .map(|(start, earliest)| format!("started at {start}, before its retryAfter {earliest}"));
    let what: Vec<String> = node.into_iter().chain(early).collect();
    (!what.is_empty()).then(|| what.join(", and "))
}
