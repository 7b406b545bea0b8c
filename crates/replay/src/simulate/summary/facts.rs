//! The facts that a summary counts: of runs, of waits, of granted retries and of decisions.

use super::hours::{Demand, Hours};
use super::storm::Minute;
use crate::disruption::RowId;
use crate::history::{RecordFields, Run};
use crate::simulate::evaluation::Effect;
use crate::simulate::figures::{DecisionFacts, Ending};
use document::units::{GoDuration, Quantity, Time};
use std::cell::Cell;

/// The facts of a recorded run, which are the same for all engines.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// The number of its queue.
    pub queue: u32,
    /// The facts of how it ended.
    pub end: EndFacts,
    /// The number of the features by which a rule could match it, once that is known.
    pub group: Cell<Option<u32>>,
    /// When it ended; if that is not recorded, when it started.
    pub time: Option<Time>,
    pub hours: Hours,
    /// Whether it requested cores.
    pub has_cpu: bool,
    /// Whether it requested devices.
    pub has_gpu: bool,
}

impl RunFacts {
    pub(crate) fn has_succeeded(&self) -> bool {
        self.end.ending == Ending::Succeeded
    }

    /// The facts of a run of a unit in the queue of a number, which ended so.
    pub(crate) fn new<F: RecordFields>(
        queue: u32,
        unit: &F::Unit,
        run: &Run<F>,
        end: EndFacts,
    ) -> Self {
        let demand = Demand::of(unit, run);
        let has = |amount: Option<Quantity>| amount.is_some_and(Quantity::is_positive);
        Self {
            queue,
            end,
            group: Cell::new(end.group),
            time: run.time(),
            hours: Hours::new(run.length(), demand),
            has_cpu: has(demand.cpu),
            has_gpu: has(demand.gpu),
        }
    }
}

/// The facts of how a run ended, which depend neither on its times nor on its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EndFacts {
    /// How it ended.
    pub ending: Ending,
    /// The number of its kind of failure.
    pub kind: u32,
    /// The number of its category.
    pub category: u32,
    /// The number of the features by which a rule could match it, if that was asked for.
    pub group: Option<u32>,
    /// The row of the table by which it was disrupted, if it was.
    pub disruption: Option<RowId>,
    /// Whether it succeeded although a container of it exceeded its memory.
    pub survived_memory: bool,
}

/// How long a granted retry waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryWait {
    /// The wait, if the engine grants one.
    pub delay: Option<GoDuration>,
    /// The minute in which the wait ends, if that is known.
    pub until: Option<Minute>,
}

impl RetryWait {
    /// The wait of the retry that an effect grants; the default for other effects.
    pub fn of(effect: Effect) -> Self {
        match effect {
            Effect::Rerun { delay, not_before } | Effect::Replace { delay, not_before, .. } => {
                Self { delay, until: not_before.map(Minute::of) }
            }
            _ => Self::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantedRetry {
    /// The number of the rule that granted it.
    pub rule: Option<u32>,
    /// Its number in its job, from 1; 0 for a run of a member that runs again with its unit.
    pub number: u32,
    /// The number of the node of the run before it, if that is recorded.
    pub node: Option<u32>,
    /// The minute in which its wait ends, if that is known.
    pub wait_end: Option<Minute>,
    /// The run before it.
    pub after: LastFailure,
}

/// The category and the day of the last decided run, by which a job and the retry after it are counted. Eight bytes,
/// since a stream holds one for every unfinished unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastFailure {
    /// The number of the category; [`u32::MAX`] before the first decision.
    // A value of the number stands for none: two `Option`s would make it sixteen bytes.
    category: u32,
    /// The day, counted from 1970; [`i32::MIN`] if it is not known.
    day: i32,
}

impl Default for LastFailure {
    fn default() -> Self {
        Self { category: u32::MAX, day: i32::MIN }
    }
}

impl LastFailure {
    /// The category and the day of a run.
    pub(crate) fn new(run: &RunFacts) -> Self {
        let day = run.time.and_then(|time| i32::try_from(day_of(time)).ok());
        Self { category: run.end.category, day: day.unwrap_or(i32::MIN) }
    }

    /// The number of the category; none before the first decision.
    pub(super) fn category(self) -> Option<u32> {
        Some(self.category).filter(|category| *category != u32::MAX)
    }

    /// The day, counted from 1970, if it is known.
    pub(super) fn day(self) -> Option<i64> {
        Some(self.day).filter(|day| *day != i32::MIN).map(i64::from)
    }
}

/// The day of a time in UTC, counted from 1970.
pub(super) fn day_of(time: Time) -> i64 {
    const DAY: i64 = 86_400;
    // Rounded down, so that days before 1970 are whole ones too.
    time.epoch_seconds().div_euclid(DAY)
}

/// The last decision about a unit: what is counted if it ends the unit. Small, since a stream holds one for
/// every unfinished unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastDecision {
    code: &'static str,
    rule: u32,
}

/// In [`LastDecision`], no rule: an `Option` would take four more bytes a unit.
const NO_RULE: u32 = u32::MAX;

impl LastDecision {
    /// The part of a decision that is counted if it ends its unit.
    pub(crate) fn of(facts: &DecisionFacts) -> Self {
        let rule = facts.rule.and_then(|rule| u32::try_from(rule).ok());
        Self { code: facts.code, rule: rule.unwrap_or(NO_RULE) }
    }

    pub(crate) fn code(self) -> &'static str {
        self.code
    }

    /// Whether a deadline of a Job passed.
    pub(crate) fn is_past_deadline(self) -> bool {
        self.code == "fail_deadline"
    }

    /// The number of the rule that decided, if one did.
    pub(crate) fn rule(self) -> Option<u32> {
        Some(self.rule).filter(|rule| *rule != NO_RULE)
    }
}
