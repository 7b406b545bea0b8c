//! What a summary is told: of runs, of waits, of retries that were granted.

use super::hours::Demand;
use super::storm::Minute;
use crate::simulate::engine::{DecisionCounts, Effect};
use crate::units::{GoDuration, Time};

/// What a summary is told of a recorded run.
#[derive(Debug, Clone, Copy)]
pub struct RunFacts {
    /// The number of its queue.
    pub queue: u32,
    /// The number of its category.
    pub category: u32,
    /// The number of the kind of failure it is, where no rule caught it.
    pub group: Option<u32>,
    /// When it ended, else when it began.
    pub time: Option<Time>,
    /// How long it ran.
    pub length: Option<GoDuration>,
    /// How it ended.
    pub ending: Ending,
    /// What its job asked for.
    pub demand: Demand,
}

/// How a run ended, as far as summaries tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It did its work.
    Succeeded,
    /// It failed, or was not heard of any more.
    Failed,
    /// It was preempted, returned, cancelled or stopped.
    Other,
}

/// How long a granted retry waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waited {
    /// So long.
    pub delay: Option<GoDuration>,
    /// The minute in which its wait ends, where that is known.
    pub until: Option<Minute>,
}

impl Waited {
    /// What an effect makes a retry wait.
    pub fn by(effect: Effect) -> Self {
        match effect {
            Effect::Rerun { delay, not_before, .. } => {
                Self { delay, until: not_before.map(Minute::of) }
            }
            _ => Self::default(),
        }
    }
}

/// A granted retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// The number of the rule that granted it.
    pub rule: Option<u32>,
    /// The minute in which its wait ends, if that is known.
    pub waited: Option<Minute>,
}

impl Granted {
    /// A retry that a rule granted, to start no earlier than a time.
    pub(crate) fn new(rule: Option<u32>, not_before: Option<Time>) -> Self {
        Self { rule, waited: not_before.map(Minute::of) }
    }
}

/// The last decision about a unit: what is counted if it ends the unit. It is part of the state of every
/// unfinished unit, and so small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastDecision {
    code: &'static str,
    rule: u32,
}

/// Stands for no rule.
const NO_RULE: u32 = u32::MAX;

impl LastDecision {
    /// What is counted of a decision.
    pub(crate) fn of(counts: &DecisionCounts) -> Self {
        let rule = counts.rule.and_then(|rule| u32::try_from(rule).ok());
        Self { code: counts.code, rule: rule.unwrap_or(NO_RULE) }
    }

    /// The short code.
    pub(crate) fn code(self) -> &'static str {
        self.code
    }

    /// The number of the rule that decided, if one did.
    pub(crate) fn rule(self) -> Option<u32> {
        Some(self.rule).filter(|rule| *rule != NO_RULE)
    }
}
