//! The last run of a member, as far as the record and every column of policies depend on it.

use crate::history::{RecordFields, Run};
use crate::simulate::figures::Ending;
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::RunFacts;

/// The runs of a member so far, as far as the next one depends on them. Four bytes, since a stream holds one for every
/// unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LastRun(u32);

/// The bit of a member of which a run has ended.
const RAN: u32 = 1 << 31;
/// The bit of a member of which a second one has.
const RETRIED: u32 = 1 << 30;
/// The bit of a run with a time.
const TIMED: u32 = 1 << 29;
/// The lowest of the three bits of the outcome plus one; 0 is none. The bits below are the kind of failure, of which
/// there are fewer than 2^26 (`MAX_GROUPS`, and categories and codes).
const OUTCOME: u32 = 26;
/// The bits of the kind.
const KIND: u32 = (1 << OUTCOME) - 1;

/// The outcomes by their number in [`LastRun`].
const OUTCOMES: [Outcome; 4] =
    [Outcome::Succeeded, Outcome::Failed, Outcome::Unresolved, Outcome::Cancelled];

impl LastRun {
    /// The member after a further run has ended.
    pub(crate) fn after(self, run: &RunFacts) -> Self {
        let retried = if self.is_none() { 0 } else { RETRIED };
        let timed = if run.time.is_some() { TIMED } else { 0 };
        Self(RAN | retried | timed | run.end.kind & KIND)
            .with_outcome(Outcome::from(run.end.ending))
    }

    /// The member after a record that ends no run, but may decide how the member ends.
    pub(crate) fn after_event<F: RecordFields>(self, run: &Run<F>, ending: Ending) -> Self {
        self.with_outcome(recorded_outcome(run, ending))
    }

    /// The member with another outcome.
    pub(crate) fn with_outcome(self, outcome: Outcome) -> Self {
        let number =
            (1u32..).zip(OUTCOMES).find_map(|(number, it)| (it == outcome).then_some(number));
        // Three bits hold the outcome, of which 0 is none.
        Self(self.0 & !(7 << OUTCOME) | number.unwrap_or_default() << OUTCOME)
    }

    /// Whether no run has ended.
    pub(crate) fn is_none(self) -> bool {
        self.0 & RAN == 0
    }

    /// Whether a second run has ended.
    pub(crate) fn is_retry(self) -> bool {
        self.0 & RETRIED != 0
    }

    /// Whether the time of the last run is recorded.
    pub(crate) fn is_timed(self) -> bool {
        self.0 & TIMED != 0
    }

    /// The number of the kind of failure of the last run.
    pub(crate) fn kind(self) -> u32 {
        self.0 & KIND
    }

    /// The outcome on record of the member; `None` without a record.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        let number = (self.0 >> OUTCOME & 7) as usize;
        number.checked_sub(1).and_then(|number| OUTCOMES.get(number)).copied()
    }
}

/// The outcome of a member whose last record is of a run that ended so.
pub(crate) fn recorded_outcome<F: RecordFields>(run: &Run<F>, ending: Ending) -> Outcome {
    if run.own.is_ongoing() { Outcome::Unresolved } else { Outcome::from(ending) }
}
