//! A recorded run as the record and every column of policies count it, and the last run of a member.

use crate::history::{RecordFields, Run};
use crate::simulate::decision_facts::Ending;
use crate::simulate::engine::Engine;
use crate::simulate::names::NameCache;
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::Demand;
use crate::units::{GoDuration, Time};

/// A recorded run that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedRun {
    /// How it ended.
    pub(crate) ending: Ending,
    /// How long it ran, if that is recorded.
    pub(crate) length: Option<GoDuration>,
    /// The resources that its job requested.
    pub(crate) demand: Demand,
    /// When it ended, else when it started.
    pub(crate) time: Option<Time>,
    /// The number of its kind of failure.
    pub(crate) kind: u32,
}

impl RecordedRun {
    /// The run of a record; `None` if the record is an event, or reports a part of a run.
    pub(crate) fn new<E: Engine>(
        engine: &E,
        names: &mut NameCache<'_>,
        demand: Demand,
        run: &Run<E::Fields>,
    ) -> Option<Self> {
        if !run.own.is_attempt() || run.own.is_ongoing() {
            return None;
        }
        let kind = names.kind(&engine.labels(run));
        let (ending, length, time) = (engine.ending(run), run.length(), run.time());
        Some(Self { ending, length, demand, time, kind })
    }

    /// Whether it succeeded.
    pub(crate) fn has_succeeded(&self) -> bool {
        self.ending == Ending::Succeeded
    }
}

/// The last run of a member so far. Four bytes, since a stream holds one for every unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LastRun(u32);

/// The bit of a run that is not the member's first.
const RETRY: u32 = 1 << 31;
/// The bit of a run with a time.
const TIMED: u32 = 1 << 30;
/// The lowest of the three bits of the outcome plus one; 0 is no run. The bits below are the kind of failure, of which
/// there are fewer than 2^27 (`MAX_GROUPS`, and categories and codes).
const OUTCOME: u32 = 27;

/// The outcomes by their number in [`LastRun`].
const OUTCOMES: [Outcome; 4] =
    [Outcome::Succeeded, Outcome::Failed, Outcome::Unresolved, Outcome::Cancelled];

impl LastRun {
    /// The member after a further run.
    pub(crate) fn after(self, run: &RecordedRun) -> Self {
        let outcome = Outcome::from(run.ending);
        let number =
            (1u32..).zip(OUTCOMES).find_map(|(number, it)| (it == outcome).then_some(number));
        let retry = if self.is_none() { 0 } else { RETRY };
        let timed = if run.time.is_some() { TIMED } else { 0 };
        let kind = run.kind & ((1 << OUTCOME) - 1);
        Self(retry | timed | number.unwrap_or_default() << OUTCOME | kind)
    }

    /// Whether there is no run.
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it is not the member's first run.
    pub(crate) fn is_retry(self) -> bool {
        self.0 & RETRY != 0
    }

    /// Whether its time is recorded.
    pub(crate) fn is_timed(self) -> bool {
        self.0 & TIMED != 0
    }

    /// The number of its kind of failure.
    pub(crate) fn kind(self) -> u32 {
        self.0 & ((1 << OUTCOME) - 1)
    }

    /// The outcome on record of a member with this last run; `None` without a run.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        let number = (self.0 >> OUTCOME & 7) as usize;
        number.checked_sub(1).and_then(|number| OUTCOMES.get(number)).copied()
    }
}
