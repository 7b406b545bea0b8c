//! A run that was granted and is not met yet.

use crate::engine::Recorded;
use crate::simulate::replay::cursor::begins_at;
use crate::simulate::summary::Minute;
use crate::units::Time;

/// A run that was granted and is not met yet.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) rule: Option<usize>,
    pub(super) waited: Option<Minute>,
    pub(super) not_before: Option<Time>,
    /// Nodes that it has to avoid.
    pub(super) avoided: Vec<String>,
    pub(super) before: Before,
}

/// The run before one that was granted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before {
    /// No more is told of it.
    Ended,
    /// It went on, and was stopped then, if that is known. A record of an earlier beginning tells
    /// of it.
    Stopped(Option<Time>),
}

impl Before {
    /// Whether a record may tell of it still.
    pub(super) fn may_be(self, record: &impl Recorded) -> bool {
        match self {
            Self::Ended => false,
            Self::Stopped(at) => !begins_at(record, at),
        }
    }
}
