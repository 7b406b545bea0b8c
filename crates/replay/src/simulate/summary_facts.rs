//! The facts of runs, and of decisions about them, that summaries count.

use super::figures::{DecisionFacts, Ending};
use super::names::Labels;
use super::part::{Parts, PolicyNeeds};
use super::units::Units;
use crate::disruption::{Disruptions, RowId};
use crate::history::Run;

/// The facts that summaries count.
pub trait SummaryFacts: Units {
    /// The features of a failure that rules can match.
    fn labels<'r>(&self, _run: &'r Run<Self::Fields>) -> Labels<'r> {
        Labels::default()
    }

    /// The failure subcategory of a run, if rules list subcategories.
    fn subcategory<'r>(&self, _run: &'r Run<Self::Fields>) -> Option<&'r str> {
        None
    }

    /// How a run ended.
    fn ending(&self, run: &Run<Self::Fields>) -> Ending;

    /// The facts of a decision about a run that summaries count.
    fn facts(&self, run: &Run<Self::Fields>, decision: &Self::Decision) -> DecisionFacts;

    /// The parts of failures that the rules of each policy need, by the number of the policy; empty if they compare no part
    /// that a record may lack.
    fn needs(&self) -> &[PolicyNeeds] {
        &[]
    }

    /// The policies whose rules were compared with the failure of a decision, by their numbers.
    fn compared_policies<'s>(
        &'s self,
        _state: &'s Self::State,
        _member: usize,
        _decision: &Self::Decision,
    ) -> &'s [usize] {
        &[]
    }

    /// The parts that a failure has, of those that [`needs`](Self::needs) names.
    fn parts(&self, _state: &Self::State, _member: usize, _run: &Run<Self::Fields>) -> Parts {
        Parts::default()
    }

    /// The row of the table by which a run was disrupted; none if it was not.
    fn disruption(&self, _run: &Run<Self::Fields>, _table: &Disruptions) -> Option<RowId> {
        None
    }

    /// Whether a run succeeded although a container of it exceeded its memory.
    fn has_survived_memory(&self, _run: &Run<Self::Fields>) -> bool {
        false
    }
}
