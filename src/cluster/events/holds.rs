//! The resources that the pods of preempted runs hold until they are gone. Rounds do not see them: a run that needs them
//! is leased and starts later, as in Armada, whose scheduler frees the resources at once.

use super::{Event, EventKind, Simulation};
use crate::cluster::job::JobIndex;
use crate::cluster::nodes::EVICTED;
use crate::cluster::resources::Amounts;
use crate::cluster::spec::Nanoseconds;
use std::collections::HashMap;

/// By pool and node: the resources of pods, and the times at which they are gone.
#[derive(Debug, Default)]
pub(super) struct Holds(HashMap<(usize, usize), Vec<(Nanoseconds, Amounts)>>);

impl Holds {
    /// Drops the pods of a node that goes down.
    pub(super) fn clear(&mut self, node: (usize, usize)) {
        self.0.remove(&node);
    }
}

impl Simulation<'_> {
    /// Returns the preemption of a job, with the time at which its pod is gone. A pod that has not started is gone at
    /// once.
    pub(super) fn preemption(&mut self, job: JobIndex) -> Event {
        let event = self.event(EventKind::Preempted, job);
        let origin = *self.jobs.origin(job);
        let start = event.leased.unwrap_or(self.now).saturating_add(origin.pending);
        let termination = self.template(origin.template).failures.termination;
        let least = self.scheduling.grace.min.as_nanos();
        let exit =
            if start <= self.now { self.subject(&origin).exit(termination, least) } else { 0 };
        let gone = self.now.saturating_add(exit);
        let is_held = self.workload.grace_holds_node && exit > 0;
        if let Some(node) = event.node.filter(|_| is_held) {
            let request = self.shapes[self.jobs.get(job).shape].request.clone();
            self.holds.0.entry(node).or_default().push((gone, request));
        }
        // Time after the end of the simulation is not counted.
        let until = gone.min(self.options.until.max(self.now));
        let hold = if is_held { until - self.now } else { 0 };
        Event { gone: Some(gone), hold, ..event }
    }

    /// Returns for how long a job that is leased now waits until the pods of preempted runs have left enough room for
    /// all jobs of its node.
    pub(super) fn held(&mut self, job: JobIndex) -> Nanoseconds {
        let Some(run) = self.jobs.get(job).run else { return 0 };
        let node = (self.jobs.origin(job).pool, run.node);
        let now = self.now;
        let Some(holds) = self.holds.0.get_mut(&node) else { return 0 };
        holds.retain(|(gone, _)| *gone > now);
        holds.sort_by_key(|(gone, _)| *gone);
        // All running jobs take from the level above that of evicted ones.
        let mut free = self.pools[node.0].nodes.get(node.1).free(EVICTED + 1).clone();
        for (_, request) in &*holds {
            free.subtract(request);
        }
        let mut held = 0;
        for (gone, request) in &*holds {
            if !free.is_any_negative() {
                break;
            }
            free.add(request);
            held = *gone - now;
        }
        held
    }
}
