//! Which jobs have to find their place anew.

use super::gang::Candidate;
use super::model::{add, subtract};
use super::order::{By, Stream, first, job_order};
use super::shares::cost;
use super::state::State;
use std::collections::BTreeSet;

impl State<'_> {
    /// Evicts the preemptible jobs of queues above their share, with their gangs.
    pub fn evict_for_balance(&mut self) -> Vec<usize> {
        let mut all = Vec::new();
        for node in 0..self.bound.len() {
            for bound in &self.bound[node] {
                let Some(queue) = self.pool.jobs[bound.job].queue else { continue };
                if self.pool.class(bound.job).is_preemptible && !self.is_protected(queue) {
                    all.push(bound.job);
                }
            }
        }
        self.evict(&all)
    }

    fn is_protected(&self, queue: usize) -> bool {
        let settings = &self.pool.settings;
        let shares = &self.shares[queue];
        let mut fair = shares.demand_capped.max(shares.fair);
        if settings.is_uncapped_share_protected {
            fair = shares.uncapped;
        }
        cost(self.pool, &self.allocation(queue)) / fair <= settings.protected_fraction
    }

    /// Evicts the preemptible jobs of every priority at which a node has promised too much, with their gangs.
    pub fn evict_for_capacity(&mut self) -> Vec<usize> {
        let mut all = Vec::new();
        for node in 0..self.bound.len() {
            for bound in &self.bound[node] {
                let job = bound.job;
                if bound.is_evicted || self.pool.jobs[job].queue.is_none() {
                    continue;
                }
                let free = self.free(node, self.priority(job));
                if self.pool.class(job).is_preemptible && free.iter().any(|amount| *amount < 0) {
                    all.push(job);
                }
            }
        }
        self.evict(&all)
    }

    fn evict(&mut self, jobs: &[usize]) -> Vec<usize> {
        let mut all = BTreeSet::new();
        for job in jobs {
            all.extend(self.pool.gang_members(*job));
        }
        let mut evicted = Vec::new();
        for (node, bounds) in self.bound.iter_mut().enumerate() {
            for bound in bounds.iter_mut().filter(|bound| all.contains(&bound.job)) {
                if !bound.is_evicted {
                    bound.is_evicted = true;
                    self.home.insert(bound.job, node);
                    evicted.push(bound.job);
                }
            }
        }
        for job in &evicted {
            let request = &self.pool.jobs[*job].request;
            subtract(self.allocated_of(*job), request);
        }
        self.order_evicted(&evicted);
        evicted
    }

    /// The evicted jobs of a queue, in order. Their gangs are complete when all that is left of them is there.
    pub fn evicted_candidates(&self, queue: usize, evicted: &[usize]) -> Vec<Candidate> {
        let of_queue = evicted.iter().filter(|job| self.pool.jobs[**job].queue == Some(queue));
        let mut jobs: Vec<usize> = of_queue.copied().collect();
        jobs.sort_by_key(|job| job_order(self.pool, *job));
        let candidate = |job| Candidate {
            job,
            is_evicted: true,
            cardinality: self.pool.gang_members(job).len(),
        };
        jobs.into_iter().map(candidate).collect()
    }

    /// Fixes the order in which evicted jobs would return, as if all of them fitted.
    fn order_evicted(&mut self, evicted: &[usize]) {
        self.evicted.clear();
        let queues = 0..self.pool.queues.len();
        let mut allocations: Vec<_> = queues.clone().map(|queue| self.allocation(queue)).collect();
        let mut streams: Vec<Stream> = queues
            .map(|queue| Stream::new(queue, self.evicted_candidates(queue, evicted), Vec::new(), 0))
            .collect();
        for stream in &mut streams {
            stream.fetch(self);
        }
        while let Some(at) = first(self, &streams, By::Class, &allocations) {
            let members = streams[at].next.take().expect("a gang");
            for member in members {
                add(&mut allocations[streams[at].queue], &self.pool.jobs[member.job].request);
                self.evicted.push(member.job);
            }
            streams[at].fetch(self);
        }
    }
}
