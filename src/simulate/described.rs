//! What a report needs to know of an engine's decisions, beyond their effect.

use super::DecisionReport;
use super::names::{Group, Labels};
use super::summary::{Demand, Ending};
use crate::engine::{End, Engine};

/// A rule as reports name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLabel {
    /// The policy's name.
    pub policy: String,
    /// The rule's index; none for the default action.
    pub index: Option<usize>,
}

/// What a summary counts of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts of their own, each counted by itself")]
pub struct Tally {
    /// The short code.
    pub code: &'static str,
    /// The rule that decided, among those of [`Described::rules`].
    pub rule: Option<usize>,
    /// Whether it is a failure: a failed run that was decided, and no returned lease.
    pub failure: bool,
    /// Whether a retry was granted, on the engine's or the legacy path.
    pub retry: bool,
    /// Whether a limit stopped it.
    pub exhausted: bool,
    /// Whether no rule matched and a default action decided.
    pub by_default: bool,
}

/// What reports have a timeline each of, and summaries count as a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    /// Every member: for Armada a job, also one of a gang.
    Members,
    /// Every unit as a whole, with the decisions about all of its members.
    Units,
}

/// An engine whose decisions can be reported.
pub trait Described: Engine {
    /// What reports have a timeline each of.
    const REPORTED: Reported;

    /// The system's own word for how a unit is over; none where it has no other.
    fn fate(&self, state: &Self::State, fate: Option<End>) -> Option<String>;

    /// Why a unit goes on of which nothing more can be on record, if the engine knows no end of it;
    /// as a sentence without a final period.
    fn open(&self, _: &Self::State) -> Option<String> {
        None
    }

    /// Why a unit has succeeded, if not by the success of all that is on record of it; as a
    /// sentence without a final period.
    fn success(&self, _: &Self::State) -> Option<String> {
        None
    }

    /// The engine's name in reports: `v1`.
    fn name(&self) -> &str;

    /// Every rule and default there is, in order.
    fn rules(&self) -> Vec<RuleLabel>;

    /// A member's id.
    fn id<'m>(&self, member: &'m Self::Member) -> &'m str;

    /// A member's queue.
    fn queue<'m>(&self, member: &'m Self::Member) -> &'m str;

    /// The names of the policies that apply to a member.
    fn effective_policies(&self, member: &Self::Member) -> Vec<String>;

    /// What a member asked for.
    fn demand(&self, member: &Self::Member) -> Demand;

    /// What a run looks like from outside.
    fn labels<'r>(&self, record: &'r Self::Record) -> Labels<'r>;

    /// How a run ended.
    fn ending(&self, record: &Self::Record) -> Ending;

    /// What a summary counts of a decision.
    fn tally(&self, record: &Self::Record, decision: &Self::Decision) -> Tally;

    /// Whether the wait that a decision grants hangs on something that the run's record does not
    /// give, so that another thing stands for it.
    fn guesses(&self, _record: &Self::Record, _decision: &Self::Decision) -> bool {
        false
    }

    /// A rule that would catch a kind of failure, as policies write it.
    fn suggest(&self, group: &Group) -> Option<String>;

    /// A decision as reports show it.
    fn report(
        &self,
        state: &Self::State,
        number: usize,
        member: &Self::Member,
        record: &Self::Record,
        decision: &Self::Decision,
    ) -> DecisionReport;

    /// Why a decision ended its job, as one sentence.
    fn last_words(&self, state: &Self::State, decision: &Self::Decision) -> String;
}
