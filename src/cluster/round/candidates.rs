//! The order in which gangs are tried: within a queue, and across queues.
//!
//! Source: Armada, `internal/scheduler/scheduling/queue_scheduler.go` and `jobdb/comparison.go`.

use super::Round;
use crate::cluster::job::{Job, JobIndex, Run, Shape};
use crate::cluster::settings::Settings;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

/// The order of jobs within a queue: running ones first, then by class, then by their priority, then
/// the one that has run for longest, then by submission, then by id.
pub type JobOrder = (bool, Reverse<i32>, u32, i64, i64, JobIndex);

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

impl QueueJobs {
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

    fn next_job(&mut self, lookback: usize) -> Option<JobIndex> {
        if lookback != 0 && self.seen >= lookback {
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

/// The next gang of a queue, with what decides when it is its turn.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) queue: usize,
    pub(super) members: Vec<JobIndex>,
    pub(super) is_evicted: bool,
    /// The lowest priority of its members' classes, or that they were scheduled at.
    priority: i32,
    /// The queue's weighted cost with the gang, and without.
    proposed: f64,
    current: f64,
    size: f64,
    budget: f64,
}

impl Candidate {
    /// The queue's weighted cost without the gang and with it, and its weighted share.
    pub(super) fn costs(&self) -> (f64, f64, f64) {
        (self.current, self.proposed, self.budget)
    }
}

/// The priorities that candidates can be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PriorityOf {
    /// That of the class.
    Class,
    /// That at which the job runs, which is lower on away nodes.
    Run,
}

/// The purposes of a pass through the queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// New and evicted jobs are placed.
    Schedule,
    /// Jobs that were evicted a second time are placed.
    Reschedule,
    /// Evicted jobs are put into the order in which they would be placed.
    Order,
}

/// All queues, each with its next gang.
#[derive(Debug)]
pub(super) struct Candidates {
    queues: Vec<QueueJobs>,
    heads: Vec<Option<Candidate>>,
    pass: Pass,
    is_only_evicted: bool,
}

impl Candidates {
    pub(super) fn new(round: &mut Round<'_>, queues: Vec<QueueJobs>, pass: Pass) -> Self {
        let mut all = Self { heads: Vec::new(), queues, pass, is_only_evicted: false };
        all.heads = (0..all.queues.len()).map(|queue| all.head(round, queue)).collect();
        all
    }

    /// The gang whose turn it is.
    pub(super) fn first(&self, are_large_first: bool) -> Option<&Candidate> {
        let heads = self.heads.iter().flatten();
        heads.min_by(|a, b| order(a, b, are_large_first))
    }

    /// Takes the gang whose turn it is out of its queue. Its queue's next gang is found by
    /// [`refill`](Self::refill), once the gang has been judged.
    pub(super) fn take(&mut self, are_large_first: bool) -> Option<Candidate> {
        let queue = self.first(are_large_first)?.queue;
        self.heads[queue].take()
    }

    /// Finds the next gang of a queue.
    pub(super) fn refill(&mut self, round: &mut Round<'_>, queue: usize) {
        self.heads[queue] = self.head(round, queue);
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
        self.queues[queue].is_only_evicted = true;
        let is_evicted = self.heads[queue].as_ref().is_some_and(|head| head.is_evicted);
        if !is_evicted {
            self.heads[queue] = self.head(round, queue);
        }
    }

    /// By queue: whether all of the jobs were looked at that may be.
    pub(super) fn are_lookbacks_reached(&self, lookback: usize) -> Vec<bool> {
        let is_reached = |queue: &QueueJobs| lookback != 0 && queue.seen >= lookback;
        self.queues.iter().map(is_reached).collect()
    }

    fn head(&mut self, round: &mut Round<'_>, queue: usize) -> Option<Candidate> {
        let members = self.next_gang(round, queue)?;
        Some(round.candidate(queue, members, self.pass))
    }

    /// The next complete gang of a queue; a job of no gang is one by itself.
    fn next_gang(&mut self, round: &mut Round<'_>, queue: usize) -> Option<Vec<JobIndex>> {
        let lookback = if self.pass == Pass::Order { 0 } else { round.settings.queue_lookback };
        loop {
            let job = self.queues[queue].next_job(lookback)?;
            if self.pass != Pass::Order && round.is_refused_by_shape(job) {
                continue;
            }
            let Some(gang) = round.jobs[job as usize].gang else { return Some(vec![job]) };
            let partial = self.queues[queue].partial.entry(gang).or_default();
            partial.push(job);
            if partial.len() == round.cardinality(job, gang) {
                return self.queues[queue].partial.remove(&gang);
            }
        }
    }
}

/// The order across queues: higher priority first, then by cost, then by the queue's name, whose order
/// is that of the positions.
fn order(a: &Candidate, b: &Candidate, are_large_first: bool) -> Ordering {
    let by_cost = || {
        if !are_large_first {
            return a.proposed.total_cmp(&b.proposed);
        }
        let is_within = |one: &Candidate| one.proposed <= one.budget;
        match (is_within(a), is_within(b)) {
            (true, true) => a.current.total_cmp(&b.current).then(b.size.total_cmp(&a.size)),
            (false, false) => a.proposed.total_cmp(&b.proposed),
            (a, b) => b.cmp(&a),
        }
    };
    b.priority.cmp(&a.priority).then_with(by_cost).then_with(|| a.queue.cmp(&b.queue))
}

/// The place of a job in its queue.
pub fn job_order(settings: &Settings, jobs: &[Job], shapes: &[Shape], job: JobIndex) -> JobOrder {
    let given = &jobs[job as usize];
    let class = &settings.classes[shapes[given.shape].class];
    let started = given.run.map_or(0, |run| run.started);
    let is_queued = given.run.is_none();
    (is_queued, Reverse(class.priority), given.priority, started, given.submitted, job)
}

impl Round<'_> {
    pub(super) fn job_order(&self, job: JobIndex) -> JobOrder {
        job_order(self.settings, self.jobs, self.shapes, job)
    }

    fn candidate(&self, queue: usize, members: Vec<JobIndex>, pass: Pass) -> Candidate {
        let by = if pass == Pass::Reschedule { PriorityOf::Run } else { PriorityOf::Class };
        let mut request = self.settings.resources.zero();
        for member in &members {
            request.add(&self.shape(*member).request);
        }
        let state = &self.queues[queue];
        let allocated = if pass == Pass::Order { &state.ordered } else { &state.allocated };
        let weight = state.weight;
        let priority = members.iter().map(|job| self.compared_priority(*job, by)).min();
        Candidate {
            queue,
            is_evicted: members.iter().all(|job| self.is_evicted(*job)),
            priority: priority.unwrap_or(i32::MAX),
            proposed: self.costs.cost(&allocated.plus(&request)) / weight,
            current: self.costs.cost(allocated) / weight,
            // Weights are fractions: the same gang counts for more in a queue of more weight.
            size: self.costs.cost(&request) * weight,
            budget: state.shares.demand_capped / weight,
            members,
        }
    }

    fn compared_priority(&self, job: JobIndex, by: PriorityOf) -> i32 {
        let run: Option<Run> = self.jobs[job as usize].run;
        let class = self.settings.classes[self.shape(job).class].priority;
        match (by, run) {
            (PriorityOf::Run, Some(run)) => run.priority,
            _ => class,
        }
    }
}
