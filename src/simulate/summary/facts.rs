//! What a summary is told: of runs, of waits, of retries that were granted.

use super::hours::Demand;
use super::storm::Minute;
use crate::engine::Effect;
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

/// A retry that was granted and is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// The rule that granted it.
    pub rule: Option<usize>,
    /// The minute in which its wait ends, where that is known.
    pub waited: Option<Minute>,
}
