//! The interface of every system's engine.
//!
//! An engine judges *units*: for Armada a job or a gang, for JobSet the set with its child Jobs, for Iris a
//! job with its tasks. The replay passes it the facts that are pending at a moment; the engine updates its own
//! state of the unit and returns verdicts. The replay interprets a verdict only through its
//! [`Effect`](super::Effect). The reading of histories uses [`Units`], summaries use [`SummaryFacts`] and
//! reports [`ReportTexts`].

use super::evaluation::{Evaluation, JudgedTogether};
use super::moment::{Matched, Moment};
use super::report_texts::ReportTexts;
use super::summary_facts::SummaryFacts;
use super::units::Units;
use crate::history::Run;
use armada_retry::engine::NodeList;
use document::units::Time;

/// A system's engine over some policies.
pub trait Engine: Units + SummaryFacts + ReportTexts {
    /// Working memory of a thread: buffers that no unit owns.
    type Memory: Default + Send;

    /// The ends that are judged together.
    const JUDGED_TOGETHER: JudgedTogether;
    /// Whether it uses [`Moment::draw`].
    const DRAWS: bool = false;

    /// Whether decisions depend on the nodes of runs.
    fn reads_nodes(&self) -> bool {
        false
    }

    /// When to evaluate a unit of which no run has ended yet.
    fn wake(&self, _state: &Self::State) -> Option<Time> {
        None
    }

    /// The first rule that matches how a run ended. It depends on the policies of the unit, but on nothing else of its
    /// state, so that runs are compared with rules before they reach their units. None if the engine does not tell, or
    /// if a decision depends on more than the rule and what [`RecordFields::describe`](crate::history::RecordFields::describe) tells.
    fn matched(
        &self,
        _state: &Self::State,
        _memory: &mut Self::Memory,
        _run: &Run<Self::Fields>,
    ) -> Option<Matched> {
        None
    }

    /// Judges a moment and updates the state.
    fn evaluate(
        &self,
        state: &mut Self::State,
        memory: &mut Self::Memory,
        moment: &Moment<'_, Self::Fields>,
        answer: &mut Evaluation<Self::Decision>,
    );

    /// The nodes that the run granted by a decision avoids, until the next evaluation; `None` if it avoids none.
    fn avoided<'s>(
        &self,
        _state: &'s Self::State,
        _member: usize,
        _decision: &Self::Decision,
    ) -> Option<&'s NodeList> {
        None
    }

    /// The memory in bytes that the run granted by a decision has; `None` without growth.
    fn memory(&self, _decision: &Self::Decision) -> Option<u64> {
        None
    }
}
