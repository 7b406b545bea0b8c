//! Evictions: from queues above their fair share, and from nodes with a negative free amount.
//!
//! Source: Armada, `internal/scheduler/scheduling/eviction.go` and `preempting_queue_scheduler.go`.

use super::candidates::{Candidates, Pass};
use super::evicted::EvictedJobs;
use super::queue_jobs::QueueJobs;
use super::running::Round;
use super::trace::{EvictionCause, EvictionTest};
use crate::job::JobIndex;
use crate::nodes::{EVICTED, Level};
use std::collections::BTreeSet;

impl Round<'_> {
    /// Evicts preemptible jobs of queues whose cost is above the protected part of their share.
    pub(super) fn evict_above_share(&mut self) -> Vec<JobIndex> {
        let eviction_tests: Vec<EvictionTest> = self
            .queues
            .iter()
            .map(|queue| {
                let share = if self.settings.is_uncapped_share_protected {
                    queue.shares.uncapped
                } else {
                    queue.shares.demand_capped.max(queue.shares.fair)
                };
                // The test is not `>`: 0/0 is NaN, which must count as not protected.
                let fraction = queue.cost_before / share;
                let is_protected = fraction <= self.settings.protected_fraction;
                EvictionTest { is_above: !is_protected }
            })
            .collect();
        let mut evicted = Vec::new();
        // In most rounds no queue is above its share, and the scan of all nodes can be skipped.
        let is_any_above = eviction_tests.iter().any(|eviction_test| eviction_test.is_above);
        let nodes = if is_any_above { self.nodes.by_id() } else { Vec::new() };
        for node in nodes {
            let jobs: Vec<JobIndex> = self.nodes.get(node).active_jobs().collect();
            for job in jobs {
                let queue = self.jobs[job as usize].queue;
                let class = &self.settings.classes[self.shape(job).class];
                if class.is_preemptible && queue.is_some_and(|queue| eviction_tests[queue].is_above)
                {
                    self.evict(node, job, EvictionCause::AboveShare, &mut evicted);
                }
            }
        }
        let evicted = self.complete_eviction(evicted);
        self.record_first_evictions(eviction_tests);
        evicted
    }

    /// Evicts preemptible jobs from nodes with a negative free amount at the jobs' level.
    pub(super) fn evict_oversubscribed(&mut self) -> Vec<JobIndex> {
        let mut evicted = Vec::new();
        for position in self.nodes.by_id() {
            let node = self.nodes.get(position);
            let is_negative = |level: &Level| node.free(*level).is_any_negative();
            let negative: Vec<Level> =
                (EVICTED + 1..self.nodes.levels()).filter(is_negative).collect();
            if negative.is_empty() {
                continue;
            }
            let jobs: Vec<JobIndex> = node.active_jobs().collect();
            for job in jobs {
                let is_preemptible = self.settings.classes[self.shape(job).class].is_preemptible;
                let level = self.last_priority(job).map(|priority| self.nodes.level(priority));
                let is_short = level.is_some_and(|level| negative.contains(&level));
                if is_preemptible && is_short && self.jobs[job as usize].queue.is_some() {
                    self.evict(position, job, EvictionCause::Oversubscribed, &mut evicted);
                }
            }
        }
        self.complete_eviction(evicted)
    }

    fn evict(
        &mut self,
        node: usize,
        job: JobIndex,
        cause: EvictionCause,
        evicted: &mut Vec<JobIndex>,
    ) {
        self.record_eviction(job, cause);
        let request = &self.shapes[self.jobs[job as usize].shape].request;
        self.nodes.evict(node, job, request);
        self.evicted_from.insert(job, node);
        evicted.push(job);
    }

    /// Evicts the other members of gangs, counts the evicted jobs, and sorts them.
    fn complete_eviction(&mut self, mut evicted: Vec<JobIndex>) -> Vec<JobIndex> {
        let gangs: BTreeSet<usize> =
            evicted.iter().filter_map(|job| self.jobs[*job as usize].gang).collect();
        for member in gangs.into_iter().flat_map(|gang| &self.gangs[gang].members) {
            let of_run = self.jobs[*member as usize].run.map(|run| run.node);
            let started = || self.placements.get(member).map(|placement| placement.node);
            let Some(node) = of_run.or_else(started) else { continue };
            if self.nodes.get(node).is_active(*member) {
                self.evict(node, *member, EvictionCause::Gang, &mut evicted);
            }
        }
        for job in &evicted {
            self.withdraw(*job);
        }
        self.order_evicted(&evicted);
        evicted
    }

    /// Sorts evicted jobs by the order in which they would return if no other job were placed.
    fn order_evicted(&mut self, evicted: &[JobIndex]) {
        self.evicted = EvictedJobs::default();
        self.ordered = self.queues.iter().map(|queue| queue.allocated.clone()).collect();
        let queues = self.by_queue(evicted);
        let queues = queues.into_iter().map(|jobs| QueueJobs::new(jobs, Vec::new())).collect();
        let mut candidates = Candidates::new(self, queues, Pass::Order);
        while let Some(candidate) = candidates.take(self.settings.are_large_jobs_first) {
            for job in &candidate.members {
                self.evicted.push(*job);
                let request = &self.shape(*job).request;
                self.ordered[candidate.queue].add(request);
            }
            candidates.refill(self, candidate.queue);
        }
    }
}
