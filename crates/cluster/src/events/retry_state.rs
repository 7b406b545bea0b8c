//! The decisions about ended runs, and the state of the units between their runs.

use super::jobs::{Ended, Renumbering};
use crate::job::JobIndex;
use crate::retry::{Decider, Requeue};
use crate::spec::Nanoseconds;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// How runs that have ended are decided about, and where jobs that run again are queued.
pub struct Retries<'a> {
    /// Decides.
    pub decider: Box<dyn Decider + 'a>,
    /// The position in the queue.
    pub requeue: Requeue,
}

/// Jobs that run again, after their retryAfter. Of equal times, those decided about earlier come first.
pub(super) type Waiting = (Nanoseconds, u64, Vec<JobIndex>);

/// The decisions, and the state of the units between their runs.
pub(super) struct RetryState<'a> {
    pub(super) decider: Box<dyn Decider + 'a>,
    pub(super) requeue: Requeue,
    /// The ends of the runs of gangs of which a member still runs, by gang, in their order.
    pub(super) generations: HashMap<usize, Vec<Ended>>,
    pub(super) waiting: BinaryHeap<Reverse<Waiting>>,
}

impl<'a> RetryState<'a> {
    pub(super) fn new(retries: Retries<'a>) -> Self {
        let Retries { decider, requeue } = retries;
        Self { decider, requeue, generations: HashMap::new(), waiting: BinaryHeap::new() }
    }

    /// Returns the earliest time at which a job may be queued again.
    pub(super) fn next(&self) -> Option<Nanoseconds> {
        self.waiting.peek().map(|Reverse((time, ..))| *time)
    }

    /// Returns whether members of a gang have ended while others still run.
    pub(super) fn has_generation(&self, gang: usize) -> bool {
        self.generations.contains_key(&gang)
    }

    /// Gives the jobs and gangs new positions.
    pub(super) fn renumber(&mut self, renumbering: &Renumbering) {
        let of = |job: JobIndex| renumbering.job(job).unwrap_or(job);
        let generations = std::mem::take(&mut self.generations).into_iter();
        let generations = generations.filter_map(|(gang, mut ends)| {
            for ended in &mut ends {
                ended.job = of(ended.job);
            }
            Some((renumbering.gang(gang)?, ends))
        });
        self.generations = generations.collect();
        let waiting = std::mem::take(&mut self.waiting).into_vec().into_iter();
        let waiting = waiting.map(|Reverse((time, sequence, mut jobs))| {
            for job in &mut jobs {
                *job = of(*job);
            }
            Reverse((time, sequence, jobs))
        });
        self.waiting = waiting.collect();
    }
}
