//! A member of a unit while it is replayed: at which of its runs it stands, and how.

use super::outcome::{Contradiction, MemberOutcome, Outcome, contradiction};
use crate::engine::Recorded;
use crate::simulate::described::Tally;
use crate::simulate::summary::Granted;
use crate::units::Time;

/// Where a member stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has a recorded run that has not ended yet.
    Live,
    /// Its run has ended and is not judged yet.
    Pending,
    /// Its run has ended and is judged; another may follow.
    Kept,
    /// Its run goes on, and what is told of it is judged; its next record tells more.
    GoesOn,
    /// It was granted a run that is not on record.
    Missing,
    /// It is over.
    Over,
}

/// A member while it is replayed.
pub(super) struct Cursor {
    pub(super) run: usize,
    pub(super) standing: Standing,
    /// Runs up to that one which were not reached.
    pub(super) passed_over: Vec<usize>,
    /// The number of its queue.
    pub(super) queue: u32,
    /// The retry that its recorded run is, unless it is the first.
    pub(super) granted: Option<Granted>,
    /// The last decision about it.
    pub(super) last: Option<Tally>,
    pub(super) out: MemberOutcome,
}

/// Whether a run begins at a time or later.
pub(super) fn begins_at(record: &impl Recorded, now: Option<Time>) -> bool {
    record.started_at().zip(now).is_some_and(|(begun, now)| begun >= now)
}

impl Cursor {
    /// Before its first run has ended.
    pub(super) fn new(queue: u32) -> Self {
        let out = MemberOutcome::new();
        let (standing, passed_over) = (Standing::Live, Vec::new());
        Self { run: 0, standing, passed_over, queue, granted: None, last: None, out }
    }

    /// This record is to be judged: the end of the live run, or a later one that is of the unit.
    pub(super) fn ended(&mut self, run: usize) {
        if self.run != run {
            let judged = usize::from(self.standing != Standing::Live);
            self.passed_over.extend(self.run + judged..run);
            (self.run, self.granted) = (run, None);
        }
        self.standing = Standing::Pending;
    }

    /// It is over.
    pub(super) fn end(&mut self, outcome: Outcome, reason: String) {
        self.standing = Standing::Over;
        self.out.outcome = outcome;
        self.out.reason = reason;
    }

    /// Names what of its next run cannot have happened.
    pub(super) fn contradicted(
        &mut self,
        next: &impl Recorded,
        not_before: Option<Time>,
        avoided: &[String],
    ) {
        let what = contradiction(next.node(), next.started_at(), not_before, avoided);
        let run_index = next.run_index();
        self.out.contradictions.extend(what.map(|what| Contradiction { run_index, what }));
    }
}
