//! An engine's answer: verdicts, and their effects on the members of a unit.

use super::moment::{Fact, FactKind};
use crate::history::Run;
use document::units::{GoDuration, Time};

/// An engine's answer to a moment. The caller reuses one for all evaluations.
#[derive(Debug)]
pub struct Evaluation<D> {
    /// The verdicts; a member without one stays as it is.
    pub verdicts: Vec<Verdict<D>>,
    /// The end of the unit, if it ended.
    pub end: Option<End>,
    /// Whether to evaluate again at once, since something changed that may decide more.
    pub again: bool,
    /// When to evaluate next even if no run has ended.
    pub next: Option<Time>,
}

impl<D> Default for Evaluation<D> {
    fn default() -> Self {
        Self { verdicts: Vec::new(), end: None, again: false, next: None }
    }
}

impl<D> Evaluation<D> {
    /// Clears the answer and keeps its buffers.
    pub fn clear(&mut self) {
        self.verdicts.clear();
        (self.end, self.again, self.next) = (None, false, None);
    }

    /// Judges each ended run by itself, for engines whose decisions depend on no other run of the moment.
    pub fn judge_each<F>(
        &mut self,
        facts: &[Fact<'_, F>],
        mut judge: impl FnMut(&Run<F>) -> (Effect, Option<D>),
    ) {
        for fact in facts {
            // What is no end, such as a timer, is not judged by such engines.
            let FactKind::Ended(run) = fact.kind else { continue };
            let (effect, decision) = judge(run);
            if let Effect::End(end) = effect {
                self.end = Some(end);
            }
            self.verdicts.push(Verdict { member: fact.member, effect, decision });
        }
    }
}

/// The consequence of a moment for one member. A member may get several verdicts at a moment, one per level;
/// they apply in order.
#[derive(Debug)]
pub struct Verdict<D> {
    /// The member.
    pub member: usize,
    /// The effect on the member.
    pub effect: Effect,
    /// The decision, if there was one to make.
    pub decision: Option<D>,
}

/// The effect of a verdict on its member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The member runs again. A live run of it is stopped.
    Rerun {
        /// The wait, if the engine grants one.
        delay: Option<GoDuration>,
        /// The earliest start, if it is known.
        not_before: Option<Time>,
    },
    /// The member's run is over, and that of another member replaces it. A live run of it is stopped.
    Replace {
        /// The wait, if the engine grants one.
        delay: Option<GoDuration>,
        /// The earliest start, if it is known.
        not_before: Option<Time>,
        /// The other member; absent if its run is not recorded.
        by: Option<usize>,
    },
    /// The run that replaces another one no longer has to wait.
    Release,
    /// The member stays as it is, judged: an ended run is not followed by another unless a later verdict
    /// grants one; a run that was restarted in place is ongoing.
    Keep,
    /// The member ended.
    End(End),
}

/// The end of a member or of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// It succeeded.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// The ends that an engine judges together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedTogether {
    /// Those within one second, since Kubernetes records times in seconds and a controller that reconciles
    /// finds all of them. Ends without a time are judged one by one.
    Second,
    /// None: they are judged one by one, in order of time.
    Each,
    /// All of the unit: it is judged when no member is live any more, so that facts about live members are
    /// not needed.
    Unit,
}

/// The subject of one timeline in reports, which summaries count as one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedPer {
    /// A member: for Armada a job, also one of a gang.
    Member,
    /// A unit as a whole, with the decisions about all of its members.
    Unit,
}
