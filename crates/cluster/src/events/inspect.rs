//! The readable state of a simulation: its events, its nodes and pools, and the jobs that have not ended.

use super::jobs::{JobState, Origin};
use super::simulation::Simulation;
use super::{Event, EventKind, OpenJob, OpenState};
use crate::failure::{FailureKind, NodeFailures};
use crate::job::JobIndex;
use crate::resources::{Amounts, MEMORY};
use crate::spec::Nanoseconds;

impl Simulation<'_> {
    /// Returns the number of rounds so far, counted by pool.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the names of the pools, in the order of their positions.
    pub fn pool_names(&self) -> impl Iterator<Item = &str> {
        self.pools.iter().map(|pool| pool.name.as_str())
    }

    /// Returns the sums of a pool's capacity over time, in nanoseconds, by resource. Nodes that are down have none.
    pub fn capacity_sums(&self, pool: usize, end: Nanoseconds) -> Vec<i128> {
        self.pools[pool].capacity_sums(end)
    }

    /// Returns by pool the number of nodes, and of those that can fail.
    pub fn pool_fleets(&self) -> impl Iterator<Item = (usize, usize)> {
        let can_fail = |pool| self.fleet.nodes.iter().filter(move |node| node.pool == pool).count();
        self.pools.iter().enumerate().map(move |(at, pool)| (pool.nodes.len(), can_fail(at)))
    }

    /// Returns the kinds of failure that come from nodes, in their order.
    pub fn node_failure_kinds(&self) -> Vec<FailureKind> {
        let any = |has: fn(&NodeFailures) -> bool| {
            self.fleet.groups.iter().any(|group| has(group.failures))
        };
        let kinds = [
            (FailureKind::Gpu, any(|it| it.gpu_mtbf.is_some())),
            (FailureKind::Node, any(|it| it.lifetime.is_some())),
            (FailureKind::Spot, any(|it| it.spot.is_some())),
        ];
        kinds.into_iter().filter_map(|(kind, can_occur)| can_occur.then_some(kind)).collect()
    }

    /// Returns the ids of a pool's nodes, in the order of their positions.
    pub fn node_ids(&self, pool: usize) -> impl Iterator<Item = &str> {
        let nodes = &self.pools[pool].nodes;
        (0..nodes.len()).map(|node| nodes.get(node).spec.id.as_str())
    }

    /// Returns whether the jobs of a template fit no node, so that they are never submitted.
    pub fn is_unschedulable(&self, template: usize) -> bool {
        self.templates[template].is_unschedulable
    }

    /// Returns the longest time that runs of a template may take.
    pub fn deadline(&self, template: usize) -> Option<Nanoseconds> {
        self.templates[template].deadline
    }

    /// Returns the jobs that are not over when the simulation ends, with the reason for which the last round refused them.
    pub fn open_jobs(&self, end: Nanoseconds) -> impl Iterator<Item = OpenJob<'_>> {
        self.jobs.open().map(move |job| {
            let event = Event { time: end, ..self.event(EventKind::Submitted, job) };
            let origin = self.jobs.origin(job);
            let held = event.allocated().max(origin.unsettled);
            OpenJob {
                unfinished: origin.saved.saturating_add(held),
                held,
                state: self.open_state(job),
                refusal: self.last_refused.iter().find_map(|refused| refused.get(job)),
                event,
            }
        })
    }

    fn open_state(&self, job: JobIndex) -> OpenState {
        let is_undecided = |gang| self.retries.as_ref().is_some_and(|it| it.has_generation(gang));
        match self.jobs.state(job) {
            JobState::Ended if self.jobs.get(job).gang.is_some_and(is_undecided) => {
                OpenState::Running
            }
            JobState::Ended => OpenState::BackingOff,
            _ if self.jobs.get(job).run.is_some() => OpenState::Running,
            _ => OpenState::Queued,
        }
    }

    /// Returns the memory of a shape above that of a job's template.
    fn more_memory(&self, origin: &Origin, shape: usize) -> i64 {
        let Some(position) = self.settings().resources.position(MEMORY) else { return 0 };
        let of = |request: &Amounts| request.as_slice()[position];
        of(&self.shapes[shape].request) - of(&self.template(origin.template).shape.request)
    }

    /// Returns an event of a job, now.
    pub(super) fn event(&self, kind: EventKind, job: JobIndex) -> Event {
        let origin = self.jobs.origin(job);
        let job = self.jobs.get(job);
        Event {
            time: self.now,
            kind,
            template: origin.template,
            number: origin.number,
            attempt: origin.attempt,
            node: job.run.map(|run| (origin.pool, run.node)),
            waiting_since: origin.waiting_since,
            first_submitted: origin.first_submitted,
            last_ended: origin.last_ended,
            leased: job.run.map(|run| run.started),
            pending: origin.pending,
            held: origin.held,
            gone: None,
            hold: 0,
            preemption: origin.preemption,
            failure: origin.failure,
            more_memory: self.more_memory(&origin, job.shape),
            is_for_retry: origin.is_preempted_for_retry,
            granted: origin.granted,
            decision: None,
        }
    }
}
