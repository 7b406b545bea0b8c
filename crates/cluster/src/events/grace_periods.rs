//! Preempted runs whose pods hold resources in their grace period, and runs that wait for them.

use super::simulation::Simulation;
use super::{Event, EventKind};
use crate::job::JobIndex;
use crate::nodes::EVICTED;
use crate::resources::Amounts;
use crate::spec::Nanoseconds;

/// A change of the room on a node: its time, whether resources are freed or taken, and which.
type RoomChange<'a> = (Nanoseconds, bool, &'a Amounts);

impl Simulation<'_> {
    /// Returns the preemption of a job, with the time at which its pod is gone: when it exits, or its node goes down. A
    /// pod that has not started is gone at once.
    pub(super) fn preemption(&mut self, job: JobIndex) -> Event {
        let event = self.event(EventKind::Preempted, job);
        let exit = self.now.saturating_add(self.exit(&event, job));
        let down = event.node.and_then(|node| self.fleet.next_down(node, exit));
        let gone = down.unwrap_or(exit);
        let is_held = self.workload.grace_holds_node && gone > self.now;
        if let Some(node) = event.node.filter(|_| is_held) {
            let request = self.shapes[self.jobs.get(job).shape].request.clone();
            self.holds.add(node, gone, request);
        }
        // Time after the end of the simulation is not counted.
        let until = gone.min(self.options.until.max(self.now));
        let hold = if is_held { until - self.now } else { 0 };
        Event { gone: Some(gone), hold, ..event }
    }

    /// Returns the time from the preemption of a run until its pod exits.
    fn exit(&self, preempted: &Event, job: JobIndex) -> Nanoseconds {
        let origin = self.jobs.origin(job);
        let start = preempted.leased.unwrap_or(self.now).saturating_add(origin.pending);
        // Without a process there is nothing to wait for.
        if start > self.now {
            return 0;
        }
        let termination = self.template(origin.template).failures.termination;
        self.subject(&origin).exit(termination, self.scheduling.grace.min.as_nanos())
    }

    /// Returns for how long a job that is leased now waits until the pods of preempted runs have left enough room for it,
    /// and for the jobs that were leased before it.
    pub(super) fn held(&mut self, job: JobIndex) -> Nanoseconds {
        let Some(run) = self.jobs.get(job).run else { return 0 };
        let node = (self.jobs.origin(job).pool, run.node);
        let now = self.now;
        let Some(pods) = self.holds.pods.get_mut(&node) else { return 0 };
        pods.retain(|(gone, _)| *gone > now);
        let (mut free, mut changes) = self.room(job, node);
        // By time, so that what is free at a time is the sum of all changes up to it.
        changes.sort_by_key(|(time, ..)| *time);
        let mut start = (!free.is_any_negative()).then_some(now);
        // Changes of one moment count together: a pod that goes frees its room for one that starts then.
        for at_a_time in changes.chunk_by(|a, b| a.0 == b.0) {
            for (_, is_freed, request) in at_a_time {
                if *is_freed { free.add(request) } else { free.subtract(request) }
            }
            // A later lack of room starts the wait anew: the room has to last.
            start = if free.is_any_negative() { None } else { start.or(Some(at_a_time[0].0)) };
        }
        start.map_or(0, |start| start - now)
    }

    /// Returns the room on a node with a job that is leased to it now, and how it changes.
    fn room(&self, job: JobIndex, node: (usize, usize)) -> (Amounts, Vec<RoomChange<'_>>) {
        let of_node = self.pools[node.0].nodes.get(node.1);
        // All running jobs take from the level above that of evicted ones.
        let mut free = of_node.free(EVICTED + 1).clone();
        let mut changes = Vec::new();
        for (gone, request) in self.holds.pods.get(&node).into_iter().flatten() {
            free.subtract(request);
            changes.push((*gone, true, request));
        }
        for other in of_node.active_jobs().filter(|other| *other != job) {
            let request = &self.shapes[self.jobs.get(other).shape].request;
            if self.is_leased_after(other, job) {
                free.add(request);
            } else if let Some(start) = self.room_since(other).filter(|start| *start > self.now) {
                free.add(request);
                changes.push((start, false, request));
            }
        }
        (free, changes)
    }

    /// Returns whether a job got its node in the same round as another, and is leased after it.
    fn is_leased_after(&self, other: JobIndex, job: JobIndex) -> bool {
        let order = |job: JobIndex| (self.jobs.get(job).queue, job);
        let is_new = self.jobs.get(other).run.is_some_and(|run| run.started == self.now);
        is_new && order(other) > order(job)
    }

    /// Returns the time from which a job that was leased has room on its node.
    fn room_since(&self, job: JobIndex) -> Option<Nanoseconds> {
        let run = self.jobs.get(job).run?;
        Some(run.started.saturating_add(self.jobs.origin(job).held))
    }
}
