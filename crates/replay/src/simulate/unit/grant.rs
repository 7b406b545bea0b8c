//! Retries that were granted and whose recorded run was not pushed yet.

use crate::history::Run;
use crate::simulate::summary::Minute;
use armada_retry::engine::NodeList;
use document::units::Time;

/// The meaning of the next recorded run.
#[derive(Debug)]
pub(super) enum NextRun {
    /// A run to judge: the first, or more of an ongoing one.
    Any,
    /// The run that was granted.
    Granted(Grant),
    /// More of an ongoing run that the unit's end stopped.
    Stopped,
    /// A run that is not reached.
    None,
}

/// A granted run that was not pushed yet.
#[derive(Debug)]
pub(super) struct Grant {
    /// The number of the rule that granted the run, if one did.
    rule: u32,
    /// The number of the node of the run before, if it is recorded.
    node: u32,
    pub(super) wait: Wait,
    /// Set for few grants only; boxed, since every unfinished unit of a stream holds a grant.
    extras: Option<Box<GrantExtras>>,
}

/// The wait of a granted run, as far as it is known. As large as a time that may be absent, since every unfinished unit
/// of a stream holds one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wait {
    /// It ends at this time.
    Until(Time),
    /// It ends at this time, and it is not known when it began: it is not counted.
    UntilOnly(Time),
    /// The run before ended at this time; the engine granted no wait, or its end is not known.
    After(Time),
    /// No time is known.
    Unknown,
}

impl Wait {
    /// The wait after the end of a run, with the earliest start of the granted one, which may be a retry.
    pub(super) fn new(not_before: Option<Time>, run_end: Option<Time>, is_retry: bool) -> Self {
        match (not_before, run_end) {
            (Some(end), Some(_)) => Self::Until(end),
            (Some(end), None) => Self::UntilOnly(end),
            (None, Some(run_end)) if is_retry => Self::After(run_end),
            (None, _) => Self::Unknown,
        }
    }

    /// The earliest start of the granted run, if that is known.
    pub(super) fn not_before(self) -> Option<Time> {
        match self {
            Self::Until(end) | Self::UntilOnly(end) => Some(end),
            Self::After(_) | Self::Unknown => None,
        }
    }

    /// The last minute of the wait: that of the failure where its end is not known.
    pub(super) fn last_minute(self) -> Option<Minute> {
        match self {
            Self::Until(end) | Self::After(end) => Some(Minute::of(end)),
            Self::UntilOnly(_) | Self::Unknown => None,
        }
    }
}

/// In [`Grant`], no number: an `Option` would take four more bytes.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct GrantExtras {
    /// Nodes that the run avoids.
    avoided: NodeList,
    /// When the ongoing run before it was stopped: records of an earlier start report that run.
    stop_time: Option<StopTime>,
}

/// When an ongoing run was stopped, if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopTime(pub(super) Option<Time>);

impl GrantExtras {
    #[cold]
    fn new(avoided: Option<&NodeList>, stop_time: Option<StopTime>) -> Self {
        Self { avoided: avoided.cloned().unwrap_or_default(), stop_time }
    }
}

impl Grant {
    pub(super) fn new(
        rule: Option<u32>,
        node: Option<u32>,
        wait: Wait,
        avoided: Option<&NodeList>,
        stop_time: Option<StopTime>,
    ) -> Self {
        let is_plain = avoided.is_none() && stop_time.is_none();
        let extras = (!is_plain).then(|| Box::new(GrantExtras::new(avoided, stop_time)));
        let (rule, node) = (rule.unwrap_or(NONE), node.unwrap_or(NONE));
        Self { rule, node, wait, extras }
    }

    /// The number of the rule that granted the run, if one did.
    pub(super) fn rule(&self) -> Option<u32> {
        Some(self.rule).filter(|rule| *rule != NONE)
    }

    /// The number of the node of the run before, if it is recorded.
    pub(super) fn node(&self) -> Option<u32> {
        Some(self.node).filter(|node| *node != NONE)
    }

    /// The nodes that the run avoids.
    pub(super) fn avoided(&self) -> Option<&NodeList> {
        Some(&self.extras.as_ref()?.avoided)
    }

    /// Whether a record reports the run before the granted one.
    pub(super) fn is_before<F>(&self, run: &Run<F>) -> bool {
        let stop_time = self.extras.as_ref().and_then(|extras| extras.stop_time);
        stop_time.is_some_and(|StopTime(at)| !run.starts_at(at))
    }

    /// Takes every further record for the granted run: the run before it has had its last one.
    pub(super) fn clear_stop_time(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.stop_time = None;
        }
    }
}
