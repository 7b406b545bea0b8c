//! What can be read of a simulation: its events, its nodes and pools, and the jobs that have not ended.

use super::jobs::Origin;
use super::{Event, EventKind, OpenJob, Simulation, Spent};
use crate::cluster::failure::{Checkpoint, FailureKind, NodeFailures};
use crate::cluster::job::{JobIndex, Run};
use crate::cluster::spec::{CLUSTER_LABEL, Nanoseconds};

impl Simulation<'_> {
    /// Returns the number of rounds so far, counted by pool.
    #[cfg(feature = "internals")]
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

    /// Returns the names of the clusters of a pool's nodes, in the order of the nodes.
    pub fn node_clusters(&self, pool: usize) -> impl Iterator<Item = &str> {
        let nodes = &self.pools[pool].nodes;
        let cluster = |node| nodes.get(node).spec.labels.get(CLUSTER_LABEL);
        (0..nodes.len()).map(move |node| cluster(node).map(String::as_str).unwrap_or_default())
    }

    /// Returns whether the jobs of a template fit no node, so that they are never submitted.
    pub fn is_unschedulable(&self, template: usize) -> bool {
        self.templates[template].is_unschedulable
    }

    /// Returns the longest time that runs of a template may take.
    pub fn deadline(&self, template: usize) -> Option<Nanoseconds> {
        self.templates[template].deadline
    }

    /// Returns the jobs that are queued or running, with the reason for which the last round refused them.
    pub fn open_jobs(&self) -> impl Iterator<Item = OpenJob<'_>> {
        self.jobs.open().map(|job| OpenJob {
            event: self.event(EventKind::Submitted, job),
            refusal: self.last_refused.iter().find_map(|refused| refused.get(job)),
        })
    }

    /// Returns an event of a job, now.
    pub(super) fn event(&self, kind: EventKind, job: JobIndex) -> Event {
        let origin = *self.jobs.origin(job);
        let job = self.jobs.get(job);
        Event {
            time: self.now,
            kind,
            template: origin.template,
            number: origin.number,
            attempt: origin.attempt,
            node: job.run.map(|run| (origin.pool, run.node)),
            submitted: job.submitted,
            first_submitted: origin.first_submitted,
            last_preempted: origin.last_preempted,
            leased: job.run.map(|run| run.started),
            pending: origin.pending,
            preemption: origin.preemption,
            failure: origin.failure,
            spent: self.spent(kind, &origin, job.run),
        }
    }

    /// Returns how the time of a run was spent, by the event that ends it.
    fn spent(&self, kind: EventKind, origin: &Origin, run: Option<Run>) -> Spent {
        let elapsed = run.map_or(0, |run| self.now - run.started);
        let pending = elapsed.min(origin.pending);
        let running = elapsed - pending;
        let none = Spent::default();
        match kind {
            EventKind::Submitted | EventKind::Leased => none,
            // What earlier runs had as overhead is lost with the job.
            EventKind::Failed | EventKind::Stopped => {
                let earlier = origin.overhead;
                Spent { lost: elapsed.saturating_add(earlier), overhead: -earlier, ..none }
            }
            EventKind::Succeeded => {
                let useful = origin.work.min(running);
                Spent { useful, overhead: elapsed - useful, ..none }
            }
            EventKind::Preempted => {
                let checkpoint = self.template(origin.template).failures.checkpoint;
                let progress = Checkpoint::progress(checkpoint, origin.work, false, running);
                // The job that replaces it begins anew.
                let lost = progress.kept + progress.lost;
                Spent { lost, overhead: elapsed - lost, ..none }
            }
        }
    }
}
