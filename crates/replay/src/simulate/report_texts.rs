//! The texts of reports about a unit and the decisions about it.

use super::evaluation::End;
use super::figures::{FollowingRuns, RuleLabel};
use super::names::Group;
use super::report::DecisionReport;
use super::units::Units;
use crate::history::{Member, Run};

/// The names, decisions and reasons that reports contain, in the system's own words.
pub trait ReportTexts: Units {
    /// The engine's name in reports: `v1`.
    fn name(&self) -> &str;

    /// All rules and defaults, in order.
    fn rules(&self) -> Vec<RuleLabel>;

    /// The names of the policies that apply to a member.
    fn effective_policies(&self, member: &Member<Self::Fields>) -> Vec<String>;

    /// A rule that would match a kind of failure, as policies write it. `after` counts the recorded runs after
    /// failures of the kind; if they do not suffice for an action, the rule has a placeholder in its place.
    fn suggest(&self, _group: &Group, _after: FollowingRuns) -> Option<String> {
        None
    }

    /// A decision as reports show it.
    fn report(
        &self,
        state: &Self::State,
        number: usize,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
        decision: &Self::Decision,
    ) -> DecisionReport;

    /// The reason why a decision ended its job, as one sentence.
    fn end_reason(&self, state: &Self::State, decision: &Self::Decision) -> String;

    /// The system's own name for how a unit ended; none where it has no other.
    fn unit_outcome(&self, _state: &Self::State, _end: Option<End>) -> Option<String> {
        None
    }

    /// The reason why a unit has no end although all its records are read; as a sentence without a final period.
    fn open_reason(&self, _state: &Self::State) -> Option<String> {
        None
    }

    /// The reason why a unit succeeded, if it is another than the success of all its recorded runs; as a sentence
    /// without a final period.
    fn success_reason(&self, _state: &Self::State) -> Option<String> {
        None
    }
}
