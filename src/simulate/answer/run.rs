//! A recorded run as the record and every column of policies count it, and the last run of a member.

use crate::history::{RecordFields, Run};
use crate::simulate::engine::Engine;
use crate::simulate::figures::Ending;
use crate::simulate::names::NameCache;
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::{Demand, Hours};
use crate::units::{Quantity, Time};

/// A recorded run that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedRun {
    /// How it ended.
    pub(crate) ending: Ending,
    /// Its hours.
    pub(crate) hours: Hours,
    /// Whether it requested cores.
    pub(crate) has_cpu: bool,
    /// Whether it requested devices.
    pub(crate) has_gpu: bool,
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
        unit: &<E::Fields as RecordFields>::Unit,
        run: &Run<E::Fields>,
    ) -> Option<Self> {
        if !run.own.is_attempt() || run.own.is_ongoing() {
            return None;
        }
        let demand = Demand::of(unit, run);
        let has = |amount: Option<Quantity>| amount.is_some_and(Quantity::is_positive);
        let (ending, time) = (engine.ending(run), run.time());
        Some(Self {
            ending,
            hours: Hours::new(run.length(), demand),
            has_cpu: has(demand.cpu),
            has_gpu: has(demand.gpu),
            time,
            // A run that succeeded has no failure, whatever its containers and conditions say.
            kind: match ending {
                Ending::Succeeded => names.success(|| engine.labels(run).outcome),
                _ => names.kind(&engine.labels(run)),
            },
        })
    }

    /// Whether it succeeded.
    pub(crate) fn has_succeeded(&self) -> bool {
        self.ending == Ending::Succeeded
    }
}

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
    pub(crate) fn after(self, run: &RecordedRun) -> Self {
        let retried = if self.is_none() { 0 } else { RETRIED };
        let timed = if run.time.is_some() { TIMED } else { 0 };
        Self(RAN | retried | timed | run.kind & KIND).with_outcome(Outcome::from(run.ending))
    }

    /// The member after a record that ends no run, but may decide how the member ends.
    pub(crate) fn after_event<E: Engine>(self, engine: &E, run: &Run<E::Fields>) -> Self {
        self.with_outcome(recorded_outcome(engine, run))
    }

    /// The member with another outcome.
    pub(crate) fn with_outcome(self, outcome: Outcome) -> Self {
        let number =
            (1u32..).zip(OUTCOMES).find_map(|(number, it)| (it == outcome).then_some(number));
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

/// The outcome of a member with this last record.
pub(crate) fn recorded_outcome<E: Engine>(engine: &E, run: &Run<E::Fields>) -> Outcome {
    if run.own.is_ongoing() { Outcome::Unresolved } else { Outcome::from(engine.ending(run)) }
}
