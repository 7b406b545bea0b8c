//! The outcome of a unit or of one of its members, and the sentences that explain it.

use super::engine::Engine;
use super::evaluation::End;
use super::figures::Ending;
use super::report::DecisionReport;
use crate::history::{Run, UnitOutcome};
use armada_retry::engine::NodeList;
use borsh::{BorshDeserialize, BorshSerialize};
use document::names;
use document::units::Time;

/// The outcome of a unit or member.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub enum Outcome {
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was granted a run that is not recorded.
    Unresolved,
    Cancelled,
}

impl Outcome {
    /// The name in reports.
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

/// The outcome on record of a job whose last run ended so (docs/answer.md, The record).
impl From<Ending> for Outcome {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Succeeded => Self::Succeeded,
            Ending::Failed | Ending::Interrupted => Self::Failed,
            Ending::Cancelled => Self::Cancelled,
            Ending::Open => Self::Unresolved,
        }
    }
}

impl From<UnitOutcome> for Outcome {
    fn from(outcome: UnitOutcome) -> Self {
        match outcome {
            UnitOutcome::Succeeded => Self::Succeeded,
            UnitOutcome::Failed => Self::Failed,
            UnitOutcome::Open => Self::Unresolved,
        }
    }
}

/// A recorded run that could not have happened as recorded under the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub run_index: u32,
    pub kind: ContradictionKind,
    pub text: String,
}

names! {
    /// The part of the grant before it that a recorded run contradicts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
    pub enum ContradictionKind {
        /// Its wait.
        Early = "a start before retryAfter",
        /// Its avoided nodes.
        Node = "an avoided node",
        /// Both.
        EarlyAndNode = "an avoided node and a start before retryAfter",
    }
}

/// A granted run that is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingRun {
    /// The rule that granted it, by its number; none if no rule did.
    pub rule: Option<u32>,
    /// The number of the retry in its job; 0 for a run of a member that runs again with its unit.
    pub number: u32,
}

/// The outcome of a unit or member, with its timeline.
#[derive(Debug)]
pub struct MemberOutcome {
    pub outcome: Outcome,
    /// The system's own name for it.
    pub system_outcome: Option<String>,
    /// The reason, as one sentence.
    pub reason: String,
    /// Granted retries.
    pub retries: u64,
    /// Recorded runs that were not reached.
    pub not_reached: u64,
    /// Recorded runs that were cut off before their recorded end.
    pub cut_off: u64,
    /// The granted run that is not recorded, if one is missing.
    pub missing: Option<MissingRun>,
    /// Runs that were granted with the unit, without a decision about the member.
    pub reruns: u64,
    /// Recorded runs that contradict the policies.
    pub contradictions: Vec<Contradiction>,
    /// The decisions, if timelines are written.
    pub decisions: Vec<DecisionReport>,
}

impl MemberOutcome {
    /// An outcome before the first run.
    pub(super) fn new() -> Self {
        Self {
            outcome: Outcome::Unresolved,
            system_outcome: None,
            reason: String::new(),
            retries: 0,
            not_reached: 0,
            cut_off: 0,
            missing: None,
            reruns: 0,
            contradictions: Vec::new(),
            decisions: Vec::new(),
        }
    }
}

/// The reason of a member or unit whose granted run is not recorded.
pub(super) const UNRESOLVED: &str = "it was granted a retry that is not recorded";

/// The contradiction between a grant and its recorded run: an avoided node, or a start before its time
/// (semantics.md, section 7).
pub(super) fn find_contradiction<F>(
    run: &Run<F>,
    not_before: Option<Time>,
    avoided: Option<&NodeList>,
) -> Option<Contradiction> {
    let on_avoided = run.node.as_deref().filter(|node| avoided.is_some_and(|it| it.contains(node)));
    let early = run.started_at.zip(not_before).filter(|(start, earliest)| start < earliest);
    let node = on_avoided.map(|node| format!("ran on {node}, which it had to avoid"));
    let early = early
        .map(|(start, earliest)| format!("started at {start}, before its retryAfter {earliest}"));
    let (kind, text) = match (node, early) {
        (None, None) => return None,
        (Some(node), None) => (ContradictionKind::Node, node),
        (None, Some(early)) => (ContradictionKind::Early, early),
        (Some(node), Some(early)) => {
            (ContradictionKind::EarlyAndNode, format!("{node}, and {early}"))
        }
    };
    Some(Contradiction { run_index: run.run_index, kind, text })
}

/// The reason for a unit's outcome, as one sentence. A granted run may be `missing`; `last_reason` is that of
/// its last decision.
pub(super) fn unit_reason<E: Engine>(
    engine: &E,
    state: &E::State,
    end: Option<End>,
    missing: Option<MissingRun>,
    last_reason: Option<String>,
) -> String {
    match end {
        Some(End::Failed) => last_reason.unwrap_or_default(),
        Some(End::Succeeded) => engine
            .success_reason(state)
            .unwrap_or_else(|| "all its recorded runs succeeded".to_owned()),
        Some(End::Cancelled) => "it was cancelled".to_owned(),
        None if missing.is_some() => UNRESOLVED.to_owned(),
        None => {
            engine.open_reason(state).unwrap_or_else(|| "its records end before it ends".to_owned())
        }
    }
}

/// The reason of a run that ended its member without a decision. `members` is the size of the unit.
pub(super) fn end_reason_without_decision<F>(end: End, run: &Run<F>, members: usize) -> String {
    let index = run.run_index;
    match end {
        End::Succeeded => format!("run {index} succeeded"),
        End::Cancelled if members > 1 => format!("its gang was cancelled in run {index}"),
        End::Cancelled => format!("it was cancelled in run {index}"),
        End::Failed => format!("run {index} ended with its gang"),
    }
}
