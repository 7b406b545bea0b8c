//! The rules between a job's runs, and those of a run by itself once its job is known.

use super::fields::RunFields;
use super::reader::GraceBounds;
use super::record::Outcome;
use crate::units::{GoDuration, Time};

/// The runs of a job before some run, as far as a rule goes by them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Prior {
    /// The latest time known.
    pub(crate) latest: Option<Time>,
    /// The number of the last run.
    pub(crate) last_index: Option<u32>,
}

/// A field, and why its value breaks a rule.
pub(crate) type Fault = (&'static str, String);

impl Prior {
    /// The rule that the next run breaks between it and the runs before.
    pub(crate) fn fault(self, time: Option<Time>, finished: bool, index: u32) -> Option<Fault> {
        if let (Some(latest), Some(time)) = (self.latest, time)
            && time < latest
        {
            let key = if finished { "finishedAt" } else { "startedAt" };
            let message =
                format!("time goes backwards: {time} comes after {latest} of the run before");
            return Some((key, message));
        }
        let last = self.last_index.filter(|last| index <= *last)?;
        let message = format!("runIndex {index} does not grow: the run before has {last}");
        Some(("runIndex", message))
    }

    /// The same with a run of this time and number behind it.
    pub(crate) fn then(self, time: Option<Time>, index: u32) -> Self {
        Self { latest: time.or(self.latest), last_index: Some(index) }
    }
}

/// The rule that a run breaks whose end comes before its beginning.
pub(super) fn ends_before_it_starts(start: Option<Time>, end: Option<Time>) -> Option<Fault> {
    let (start, end) = start.zip(end).filter(|(start, end)| end < start)?;
    Some(("finishedAt", format!("the run finishes at {end}, before it starts at {start}")))
}

impl<S> RunFields<S> {
    /// The rule that a run breaks, given the runs before it and whether its job is in a gang.
    pub(crate) fn fault(&self, prior: Prior, bounds: GraceBounds, gang: bool) -> Option<Fault> {
        let run = &self.run;
        let between = prior.fault(run.time(), run.finished_at.is_some(), run.run_index);
        between.or_else(|| self.fault_alone(bounds, gang))
    }

    /// The rule that a run breaks whatever came before it.
    pub(crate) fn fault_alone(&self, bounds: GraceBounds, gang: bool) -> Option<Fault> {
        if let Some(message) = self.grace_fault(bounds) {
            return Some(("terminationGracePeriodSeconds", message));
        }
        if self.run.outcome == Outcome::Stopped && !gang {
            let message = "a run is Stopped only with its gang, and this job has none";
            return Some(("outcome", message.to_owned()));
        }
        None
    }

    fn grace_fault(&self, bounds: GraceBounds) -> Option<String> {
        let grace = self.run.termination_grace.filter(|grace| *grace != GoDuration::ZERO)?;
        let (min, max) = (bounds.min, bounds.max);
        if grace < min {
            return Some(format!("the grace period {grace} is less than the minimum, {min}"));
        }
        let max = max.filter(|max| grace > *max)?;
        Some(format!("the grace period {grace} is more than the maximum, {max}"))
    }
}
