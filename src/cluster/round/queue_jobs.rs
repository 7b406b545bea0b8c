//! The jobs of a queue in their order, gang by gang.
//!
//! Source: Armada, `internal/scheduler/jobdb/comparison.go` and `scheduling/queue_scheduler.go`.

use crate::cluster::job::{Job, JobIndex, Shape};
use crate::cluster::settings::{Profile, Settings};
use std::collections::HashMap;

/// The order of jobs within a queue: running ones first, then by class (profile `seed`: by their
/// starts), then by their priority, then the one that has run for longest, then by submission, then by
/// id.
pub type JobOrder = (bool, i64, u32, i64, i64, JobIndex);

/// The place of a job in its queue.
pub fn job_order(settings: &Settings, jobs: &[Job], shapes: &[Shape], job: JobIndex) -> JobOrder {
    let Job { run, shape, priority, submitted, .. } = &jobs[job as usize];
    let started = run.map_or(0, |run| run.started);
    let before_priority = match settings.profile {
        Profile::Landed => -i64::from(settings.classes[shapes[*shape].class].priority),
        Profile::Seed => started,
    };
    (run.is_none(), before_priority, *priority, started, *submitted, job)
}

/// Jobs of a queue, yielded gang by gang.
#[derive(Debug)]
pub(super) struct QueueJobs {
    /// Jobs in their order: evicted ones, then queued ones.
    jobs: Vec<JobIndex>,
    /// The number of evicted ones.
    evicted: usize,
    next: usize,
    /// Jobs seen that are not evicted.
    seen: usize,
    is_only_evicted: bool,
    /// Members of gangs that are not complete yet.
    partial: HashMap<usize, Vec<JobIndex>>,
}

/// How a job is yielded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// It is not.
    Skip,
    /// By itself.
    Single,
    /// With its gang (the first number), once this number of members (the second) has been found.
    Member(usize, usize),
}

impl QueueJobs {
    /// Whether the lookback limit is reached; 0 is no limit.
    pub(super) fn is_lookback_reached(&self, lookback: usize) -> bool {
        lookback != 0 && self.seen >= lookback
    }

    /// Evicted jobs and queued jobs, each in their order.
    pub(super) fn new(evicted: Vec<JobIndex>, queued: Vec<JobIndex>) -> Self {
        let count = evicted.len();
        let mut jobs = evicted;
        jobs.extend(queued);
        Self {
            jobs,
            evicted: count,
            next: 0,
            seen: 0,
            is_only_evicted: false,
            partial: HashMap::new(),
        }
    }

    /// Yields only evicted jobs from now on.
    pub(super) fn only_evicted(&mut self) {
        self.is_only_evicted = true;
    }

    /// The next complete gang; a job of no gang is one by itself. At most `lookback` queued jobs are
    /// looked at; 0 means all.
    pub(super) fn next_gang(
        &mut self,
        lookback: usize,
        mut step: impl FnMut(JobIndex) -> Step,
    ) -> Option<Vec<JobIndex>> {
        loop {
            let job = self.next_job(lookback)?;
            match step(job) {
                Step::Skip => {}
                Step::Single => return Some(vec![job]),
                Step::Member(gang, cardinality) => {
                    let partial = self.partial.entry(gang).or_default();
                    partial.push(job);
                    if partial.len() == cardinality {
                        return self.partial.remove(&gang);
                    }
                }
            }
        }
    }

    fn next_job(&mut self, lookback: usize) -> Option<JobIndex> {
        if self.is_lookback_reached(lookback) {
            self.is_only_evicted = true;
        }
        if self.is_only_evicted && self.next >= self.evicted {
            return None;
        }
        let job = *self.jobs.get(self.next)?;
        self.seen += usize::from(self.next >= self.evicted);
        self.next += 1;
        Some(job)
    }
}

/// Jobs by queue, each in its order there; those of queues that are not scheduled are left out.
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
        of_queue.sort_by_key(|job| job_order(settings, jobs, shapes, *job));
    }
    by_queue
}
