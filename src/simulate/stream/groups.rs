//! Phase two without policies: the groups of the retries on record.

use super::record::Record;
use super::shard::Unit;
use super::unit_step::StepContext;
use super::worker::Worker;
use crate::history::Run;
use crate::simulate::answer::{RecordedRun, RetryPlace};
use crate::simulate::engine::Engine;
use crate::units::Time;

impl<E: Engine> StepContext<'_, E> {
    /// Counts a run by its queue, node, day and number. `unit` is as it was before the run, with this number of runs, the
    /// last of which ended at a time that may not be known.
    // Out of line: no replay of policies needs it.
    #[inline(never)]
    pub(super) fn count_groups(
        &self,
        worker: &mut Worker<'_, E>,
        record: &Record<'_, E::Fields>,
        unit: &Unit,
        (run, recorded): (&Run<E::Fields>, &RecordedRun),
        (number, run_end): (u32, Option<Time>),
    ) {
        if unit.last.is_none() {
            return;
        }
        let queue = worker.template(self.engines, self.kinds, unit.kind).0.queue;
        let node = worker.contexts.first_mut().and_then(|context| context.node(record.node, run));
        let after = run_end.filter(|_| unit.last.is_timed());
        let place = RetryPlace { queue, node, number, after };
        if let Some(groups) = &mut worker.record.groups {
            groups.add(place, recorded);
        }
    }
}
