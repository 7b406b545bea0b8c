//! The next gang of each queue, and the next gang to try.

use super::super::queue_jobs::{QueueJobs, Step, by_queue};
use super::Round;
use crate::cluster::job::{Job, JobIndex};
use crate::cluster::resources::Amounts;

/// The next gang of a queue; a job of no gang is one by itself.
#[derive(Debug)]
pub(super) struct NextGang {
    pub(super) members: Vec<JobIndex>,
    pub(super) is_evicted: bool,
    /// The sum of the requests of its members.
    request: Amounts,
}

/// All queues, each with its next gang.
pub(super) struct Heads {
    queues: Vec<QueueJobs>,
    next: Vec<Option<NextGang>>,
    is_only_evicted: bool,
}

impl Heads {
    /// Evicted and queued jobs.
    pub(super) fn new(
        round: &mut Round<'_>,
        evicted: &[JobIndex],
        waiting: Vec<Vec<JobIndex>>,
    ) -> Self {
        let count = round.queues.len();
        let evicted = by_queue(round.settings, round.jobs, round.shapes, (count, evicted));
        let both = evicted.into_iter().zip(waiting);
        let queues = both.map(|(evicted, waiting)| QueueJobs::new(evicted, waiting)).collect();
        let mut all = Self { queues, next: Vec::new(), is_only_evicted: false };
        all.next.resize_with(count, || None);
        for queue in 0..count {
            all.refill(round, queue);
        }
        all
    }

    /// Takes the gang whose queue would have the smallest fraction of its fair share with it; returns
    /// the queue too. The queue's next gang is found by [`refill`](Self::refill).
    pub(super) fn take(&mut self, round: &Round<'_>) -> Option<(usize, NextGang)> {
        let cost = |queue: usize, gang: &NextGang| {
            let state = &round.queues[queue];
            round.costs.cost(&state.allocated.plus(&gang.request)) / state.weight
        };
        let next = self.next.iter().enumerate();
        let costs = next.filter_map(|(queue, gang)| Some((cost(queue, gang.as_ref()?), queue)));
        let (_, queue) = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        Some((queue, self.next[queue].take()?))
    }

    /// Finds the next gang of a queue that has none.
    pub(super) fn refill(&mut self, round: &mut Round<'_>, queue: usize) {
        if self.next[queue].is_none() {
            let members =
                self.queues[queue].next_gang(round.settings.queue_lookback, |job| round.step(job));
            self.next[queue] = members.map(|members| round.next_gang(members));
        }
    }

    /// Yields only evicted jobs from now on.
    pub(super) fn only_evicted(&mut self, round: &mut Round<'_>) {
        if !self.is_only_evicted {
            self.is_only_evicted = true;
            for queue in 0..self.queues.len() {
                self.only_evicted_of(round, queue);
            }
        }
    }

    /// Yields only evicted jobs of a queue from now on.
    pub(super) fn only_evicted_of(&mut self, round: &mut Round<'_>, queue: usize) {
        self.queues[queue].only_evicted();
        if self.next[queue].as_ref().is_some_and(|head| !head.is_evicted) {
            self.next[queue] = None;
            self.refill(round, queue);
        }
    }
}

impl Round<'_> {
    /// How a job of a queue is yielded.
    fn step(&mut self, job: JobIndex) -> Step {
        let Job { gang, shape, .. } = self.jobs[job as usize];
        let is_evicted = self.evicted.contains_key(&job);
        match gang {
            Some(gang) if is_evicted => {
                Step::Member(gang, self.evicted_members.get(&gang).copied().unwrap_or(0))
            }
            Some(gang) => Step::Member(gang, self.gangs[gang].cardinality),
            None if is_evicted => Step::Single,
            None => match &self.refused_shapes[shape] {
                Some(refusal) => {
                    self.refused.insert(job, refusal);
                    Step::Skip
                }
                None => Step::Single,
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
