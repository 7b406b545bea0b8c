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
    /// What few have, so that those that wait take no room for it.
    pub(super) more: Option<Box<More>>,
}

/// What more there may be to a grant.
#[derive(Debug)]
pub(super) struct More {
    /// Nodes that it has to avoid.
    pub(super) avoided: Vec<String>,
    pub(super) before: Before,
}

impl Grant {
    /// One that nothing more is to be said of, unless there is.
    pub(super) fn with(self, avoided: &[String], before: Before) -> Self {
        let plain = avoided.is_empty() && matches!(before, Before::Ended);
        let more = || Box::new(More { avoided: avoided.to_vec(), before });
        Self { more: (!plain).then(more), ..self }
    }

    /// Nodes that it has to avoid.
    pub(super) fn avoided(&self) -> &[String] {
        self.more.as_ref().map_or(&[], |more| &more.avoided)
    }

    /// Whether a record may tell of the run before it still.
    pub(super) fn is_not_yet(&self, record: &impl Recorded) -> bool {
        self.more.as_ref().is_some_and(|more| more.before.may_be(record))
    }

    /// No more is told of the run before it.
    pub(super) fn ended(&mut self) {
        if let Some(more) = &mut self.more {
            more.before = Before::Ended;
        }
    }
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
    fn may_be(self, record: &impl Recorded) -> bool {
        match self {
            Self::Ended => false,
            Self::Stopped(at) => !begins_at(record, at),
        }
    }
}
