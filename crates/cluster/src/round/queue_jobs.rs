//! The jobs of a queue in their order, gang by gang.
//!
//! Source: Armada, `internal/scheduler/jobdb/comparison.go` and `scheduling/queue_scheduler.go`.

use crate::job::{Job, JobIndex, Shape};
use crate::settings::{Profile, Settings};
use document::steps;
use std::collections::HashMap;

/// The order of jobs within a queue: running jobs first, then by class (profile `seed`: by their starts),
/// then by their priority, then the job that has run for longest, then by submission. Jobs of one order are in that of
/// their ids.
pub type JobOrder = (bool, i64, u32, i64, i64);

/// Returns the position of a job in its queue's order.
pub fn job_order(settings: &Settings, jobs: &[Job], shapes: &[Shape], job: JobIndex) -> JobOrder {
    let Job { run, shape, priority, submitted, .. } = &jobs[job as usize];
    let started = run.map_or(0, |run| run.started);
    let before_priority = match settings.profile {
        Profile::Landed => -i64::from(settings.classes[shapes[*shape].class].priority),
        Profile::Seed => started,
    };
    (run.is_none(), before_priority, *priority, started, *submitted)
}

/// Iterates over the jobs of a queue, gang by gang.
#[derive(Debug)]
pub(super) struct QueueJobs {
    /// The jobs in their order: evicted ones, then queued ones.
    jobs: Vec<JobIndex>,
    /// The number of evicted jobs.
    evicted: usize,
    next: usize,
    /// The number of queued jobs that were considered.
    queued_seen: usize,
    has_dropped_queued: bool,
    /// The members of gangs that are not complete yet.
    partial: HashMap<usize, Vec<JobIndex>>,
}

/// The grouping of a job with others.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grouping {
    Skip,
    /// The job is a gang of one.
    Single,
    /// A member of the gang (the first number), which is complete with this number of members (the second).
    Member(usize, usize),
}

impl QueueJobs {
    /// Returns whether the lookback limit is reached; 0 is no limit.
    pub(super) fn is_lookback_reached(&self, lookback: usize) -> bool {
        lookback != 0 && self.queued_seen >= lookback
    }

    /// Creates the list from evicted jobs and queued jobs, each in their order.
    pub(super) fn new(evicted: Vec<JobIndex>, queued: Vec<JobIndex>) -> Self {
        let count = evicted.len();
        let mut jobs = evicted;
        jobs.extend(queued);
        Self {
            jobs,
            evicted: count,
            next: 0,
            queued_seen: 0,
            has_dropped_queued: false,
            partial: HashMap::new(),
        }
    }

    /// Drops the queued jobs: only evicted jobs follow.
    pub(super) fn drop_queued(&mut self) {
        self.has_dropped_queued = true;
    }

    /// Returns the next complete gang; a job without a gang is a gang of one. At most `lookback` queued jobs
    /// are considered; 0 means all.
    pub(super) fn next_gang(
        &mut self,
        lookback: usize,
        mut grouping: impl FnMut(JobIndex) -> Grouping,
    ) -> Option<Vec<JobIndex>> {
        loop {
            let job = self.next_job(lookback)?;
            match grouping(job) {
                Grouping::Skip => {}
                Grouping::Single => return Some(vec![job]),
                Grouping::Member(gang, cardinality) => {
                    let partial = self.partial.entry(gang).or_default();
                    partial.push(job);
                    // A gang is tried when its last member comes, as in Armada: before, it cannot be placed.
                    if partial.len() == cardinality {
                        return self.partial.remove(&gang);
                    }
                }
            }
        }
    }

    fn next_job(&mut self, lookback: usize) -> Option<JobIndex> {
        // Armada drops the queued jobs behind the limit; evicted ones come first and are all tried.
        if self.is_lookback_reached(lookback) {
            self.has_dropped_queued = true;
        }
        if self.has_dropped_queued && self.next >= self.evicted {
            return None;
        }
        let job = *self.jobs.get(self.next)?;
        self.queued_seen += usize::from(self.next >= self.evicted);
        self.next += 1;
        steps::count(1);
        Some(job)
    }
}

/// Groups jobs by queue, each group in the queue's order, without jobs of queues that are not scheduled.
pub(super) fn by_queue(
    settings: &Settings,
    jobs: &[Job],
    shapes: &[Shape],
    (queues, these): (usize, &[JobIndex]),
) -> Vec<Vec<JobIndex>> {
    let mut by_queue = vec![Vec::new(); queues];
    for job in these {
        if let Some(queue) = jobs[*job as usize].queue {
            by_queue[queue].push(*job);
        }
    }
    for of_queue in &mut by_queue {
        // By id among equal ones, so that the order does not depend on the caller.
        of_queue.sort_by_key(|job| (job_order(settings, jobs, shapes, *job), *job));
    }
    by_queue
}
