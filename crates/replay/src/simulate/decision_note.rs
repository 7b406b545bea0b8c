//! Notes of single decisions: what tests of policies compare and explain, beyond the rows of a timeline.

use super::engine::Engine;
use super::figures::DecisionFacts;
use super::report::DecisionReport;

/// A decision, with the run that it is about and the state of its unit before it.
#[derive(Debug)]
pub struct DecisionNote<S> {
    /// The number of the member.
    pub member: usize,
    /// The index of the run.
    pub run_index: u32,
    /// The facts that summaries count.
    pub facts: DecisionFacts,
    /// The decision.
    pub report: DecisionReport,
    /// The state of the unit before the moment was judged.
    pub before: S,
}

/// The notes of a unit so far.
pub(super) struct DecisionNotes<E: Engine> {
    pub(super) all: Vec<DecisionNote<E::State>>,
    /// The state before the moment that is judged.
    before: Option<E::State>,
}

impl<E: Engine> Default for DecisionNotes<E> {
    fn default() -> Self {
        Self { all: Vec::new(), before: None }
    }
}

impl<E: Engine> DecisionNotes<E> {
    /// Keeps the state before a moment.
    pub(super) fn keep(&mut self, state: &E::State) {
        self.before = Some(state.clone());
    }

    /// Takes a note of a decision about a run of a member.
    pub(super) fn add(
        &mut self,
        (member, run_index): (usize, u32),
        facts: DecisionFacts,
        report: &DecisionReport,
    ) {
        let report = report.clone();
        let before = self.before.clone();
        self.all.extend(before.map(|before| DecisionNote {
            member,
            run_index,
            facts,
            report,
            before,
        }));
    }
}
