//! The data of a unit that most units of a stream do not need: a requested time, and the timeline.

use super::timeline::Timeline;
use crate::units::Time;

/// The data of the few units that need it.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// When the engine evaluates next although no run has ended.
    pub(super) wake: Option<Time>,
    pub(super) timeline: Option<Timeline>,
}
