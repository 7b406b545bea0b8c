//! The data of a unit that most units of a stream do not need: a requested time, and the timeline.

use crate::simulate::outcome::Contradiction;
use crate::simulate::report::DecisionReport;
use document::units::Time;

/// The data of the few units that need it.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// When the engine evaluates next although no run has ended.
    pub(super) wake: Option<Time>,
    pub(super) timeline: Option<Timeline>,
}

/// The parts of a unit's outcome that only timelines contain.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// Why its member ended.
    pub(super) member_reason: String,
    /// Why the last decision was made.
    pub(super) last_reason: String,
    pub(super) retries: u64,
    pub(super) not_reached: u64,
    pub(super) cut_off: u64,
    pub(super) contradictions: Vec<Contradiction>,
    pub(super) decisions: Vec<DecisionReport>,
}
