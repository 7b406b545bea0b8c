//! What an engine needs beyond [`Streaming`] for its streams to be summed up.

use crate::engine::{Armada, Decision, Glance, Streaming};
use crate::history::{Job, RunRecord};
use crate::simulate::armada;
use crate::simulate::described::{Described, Tally};
use crate::simulate::names::Labels;
use crate::simulate::summary::Ending;
use std::borrow::Cow;

/// An engine over run records whose streams can be summed up.
pub trait Streamed:
    Described<Member = Job, Record = RunRecord, Memory: Send>
    + for<'t> Streaming<Run<'t> = RunRecord<Cow<'t, str>>>
    + Sync
{
    /// What a run looks like from outside.
    fn run_labels<'r>(run: &'r RunRecord<Cow<'_, str>>) -> Labels<'r>;

    /// How a run ended.
    fn run_ending(run: &RunRecord<Cow<'_, str>>) -> Ending;

    /// Whether the policies found nothing, so that a default may decide.
    fn uncaught(found: Self::Found) -> bool;

    /// What a summary counts of a decision.
    fn glance_tally(&self, glance: &Self::Glance, decision: &Self::Decision) -> Tally;
}

impl Streamed for Armada {
    fn run_labels<'r>(run: &'r RunRecord<Cow<'_, str>>) -> Labels<'r> {
        armada::labels(run)
    }

    fn run_ending(run: &RunRecord<Cow<'_, str>>) -> Ending {
        armada::ending(run.outcome)
    }

    fn uncaught(found: Self::Found) -> bool {
        found.is_none()
    }

    fn glance_tally(&self, glance: &Glance, decision: &Decision) -> Tally {
        armada::tally(self, glance.outcome(), decision)
    }
}
