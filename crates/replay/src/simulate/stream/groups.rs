//! Phase two without policies: the groups of the retries on record.

use super::record::Record;
use super::shard::Unit;
use super::worker::Worker;
use crate::history::Run;
use crate::simulate::answer::RetryPlace;
use crate::simulate::engine::Engine;
use crate::simulate::summary::RunFacts;
use document::units::Time;

/// Counts a run by its queue, node, day and number. `unit` is as it was before the run, with this number of runs, the
/// last of which ended at a time that may not be known.
// Out of line: no replay of policies needs it.
#[inline(never)]
pub(super) fn count_groups<E: Engine>(
    worker: &mut Worker<'_, E>,
    record: &Record<'_, E::Fields>,
    unit: &Unit,
    (run, facts): (&Run<E::Fields>, &RunFacts),
    (number, run_end): (u32, Option<Time>),
) {
    if unit.last.is_none() {
        return;
    }
    let node = worker.contexts.first_mut().and_then(|context| context.node(record.node, run));
    let after = run_end.filter(|_| unit.last.is_timed());
    let place = RetryPlace { queue: facts.queue, node, number, after };
    if let Some(groups) = &mut worker.record.groups {
        groups.add(place, facts);
    }
}
