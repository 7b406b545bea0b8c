//! The next gang of each queue, and the next gang to try.

use super::super::queue_jobs::{Grouping, QueueJobs, by_queue};
use super::running::Round;
use crate::job::{Job, JobIndex};
use crate::resources::Amounts;

/// The next gang of a queue; a job without a gang is a gang of one.
#[derive(Debug)]
pub(super) struct NextGang {
    pub(super) members: Vec<JobIndex>,
    pub(super) is_evicted: bool,
    /// The sum of the requests of its members.
    request: Amounts,
}

/// Fractions of fair shares are compared in these steps, since rounding errors must not decide between queues.
const EQUAL_WITHIN: f64 = 1e-12;

/// All queues, each with its next gang.
pub(super) struct QueueHeads {
    queues: Vec<QueueJobs>,
    next: Vec<Option<NextGang>>,
    has_dropped_new_jobs: bool,
}

impl QueueHeads {
    /// Creates the queues from evicted and queued jobs.
    pub(super) fn new(
        round: &mut Round<'_>,
        evicted: &[JobIndex],
        waiting: Vec<Vec<JobIndex>>,
    ) -> Self {
        let count = round.queues.len();
        let evicted = by_queue(round.settings, round.jobs, round.shapes, (count, evicted));
        let both = evicted.into_iter().zip(waiting);
        let queues = both.map(|(evicted, waiting)| QueueJobs::new(evicted, waiting)).collect();
        let mut all = Self { queues, next: Vec::new(), has_dropped_new_jobs: false };
        all.next.resize_with(count, || None);
        for queue in 0..count {
            all.refill(round, queue);
        }
        all
    }

    /// Removes the gang whose queue would have the smallest fraction of its fair share with it, and returns
    /// it with its queue. [`refill`](Self::refill) finds the queue's next gang.
    pub(super) fn take(&mut self, round: &Round<'_>) -> Option<(usize, NextGang)> {
        let cost = |queue: usize, gang: &NextGang| {
            let state = &round.queues[queue];
            let fraction = round.costs.cost(&state.allocated.plus(&gang.request)) / state.weight;
            (fraction / EQUAL_WITHIN).round()
        };
        let next = self.next.iter().enumerate();
        let costs = next.filter_map(|(queue, gang)| Some((cost(queue, gang.as_ref()?), queue)));
        // Among equal ones the first queue by name.
        let (_, queue) = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        Some((queue, self.next[queue].take()?))
    }

    /// Finds the next gang of a queue that has none.
    pub(super) fn refill(&mut self, round: &mut Round<'_>, queue: usize) {
        if self.next[queue].is_none() {
            let members = self.queues[queue]
                .next_gang(round.settings.queue_lookback, |job| round.grouping(job));
            self.next[queue] = members.map(|members| round.next_gang(members));
        }
    }

    /// Drops the new jobs of all queues; see [`drop_new_jobs_of`](Self::drop_new_jobs_of).
    pub(super) fn drop_new_jobs(&mut self, round: &mut Round<'_>) {
        if !self.has_dropped_new_jobs {
            self.has_dropped_new_jobs = true;
            for queue in 0..self.queues.len() {
                self.drop_new_jobs_of(round, queue);
            }
        }
    }

    /// Drops the new jobs of a queue, and replaces its next gang if that is new. If the gang was taken, the
    /// queue has none until the caller runs [`refill`](Self::refill).
    pub(super) fn drop_new_jobs_of(&mut self, round: &mut Round<'_>, queue: usize) {
        self.queues[queue].drop_queued();
        if self.next[queue].as_ref().is_some_and(|head| !head.is_evicted) {
            self.next[queue] = None;
            self.refill(round, queue);
        }
    }
}

impl Round<'_> {
    /// Returns how to group a job with others.
    fn grouping(&mut self, job: JobIndex) -> Grouping {
        let Job { gang, shape, .. } = self.jobs[job as usize];
        let is_evicted = self.evicted.contains_key(&job);
        match gang {
            Some(gang) if is_evicted => {
                Grouping::Member(gang, self.evicted_members.get(&gang).copied().unwrap_or(0))
            }
            Some(gang) => Grouping::Member(gang, self.gangs[gang].cardinality),
            None if is_evicted || self.avoided.contains_key(&job) => Grouping::Single,
            None => match &self.refused_shapes[shape] {
                Some(refusal) => {
                    self.refused.insert(job, refusal);
                    Grouping::Skip
                }
                None => Grouping::Single,
            },
        }
    }

    fn next_gang(&self, members: Vec<JobIndex>) -> NextGang {
        let mut request = self.settings.resources.zero();
        for member in &members {
            request.add(&self.shape(*member).request);
        }
        let is_evicted = members.iter().all(|job| self.evicted.contains_key(job));
        NextGang { members, is_evicted, request }
    }
}
