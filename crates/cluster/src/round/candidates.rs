//! The order in which gangs are tried across queues.
//!
//! Source: Armada, `internal/scheduler/scheduling/queue_scheduler.go`.

use super::queue_jobs::{Grouping, QueueJobs};
use super::running::Round;
use crate::job::{JobIndex, Run};
use std::cmp::Ordering;

/// The next gang of a queue, with the values that determine its order.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) queue: usize,
    pub(super) members: Vec<JobIndex>,
    pub(super) is_evicted: bool,
    /// The lowest priority of its members: of their classes, or at which they were scheduled.
    priority: i32,
    /// The queue's weighted cost with the gang, and without it.
    proposed: f64,
    current: f64,
    size: f64,
    budget: f64,
}

impl Candidate {
    /// Returns the queue's weighted cost without the gang and with it, and its weighted share.
    pub(super) fn costs(&self) -> (f64, f64, f64) {
        (self.current, self.proposed, self.budget)
    }
}

/// The priorities that candidates can be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrioritySource {
    /// The priority of the class.
    Class,
    /// The priority at which the job runs, which is lower on away nodes.
    Run,
}

/// The purposes of a pass through the queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Places new and evicted jobs.
    Schedule,
    /// Places jobs that were evicted a second time.
    Reschedule,
    /// Sorts evicted jobs into the order in which they would be placed.
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
        all.heads = (0..all.queues.len()).map(|queue| all.find_head(round, queue)).collect();
        all
    }

    /// Returns the next gang to try.
    pub(super) fn first(&self, are_large_first: bool) -> Option<&Candidate> {
        let heads = self.heads.iter().flatten();
        heads.min_by(|a, b| order(a, b, are_large_first))
    }

    /// Removes the next gang to try. [`refill`](Self::refill) finds the next gang of its queue, after this
    /// gang has been tried.
    pub(super) fn take(&mut self, are_large_first: bool) -> Option<Candidate> {
        let queue = self.first(are_large_first)?.queue;
        self.heads[queue].take()
    }

    /// Finds the next gang of a queue.
    pub(super) fn refill(&mut self, round: &mut Round<'_>, queue: usize) {
        self.heads[queue] = self.find_head(round, queue);
    }

    /// Drops the new jobs of all queues, and finds each queue's next gang among the evicted jobs.
    pub(super) fn refill_all_with_evicted(&mut self, round: &mut Round<'_>) {
        if !self.is_only_evicted {
            self.is_only_evicted = true;
            for queue in 0..self.queues.len() {
                self.refill_with_evicted(round, queue);
            }
        }
    }

    /// Drops the new jobs of a queue. If its next gang is new, or if it has none, finds one among the evicted
    /// jobs. Callers refill the queue before, so that a queue without a gang has ended.
    pub(super) fn refill_with_evicted(&mut self, round: &mut Round<'_>, queue: usize) {
        self.queues[queue].drop_queued();
        let is_evicted = self.heads[queue].as_ref().is_some_and(|head| head.is_evicted);
        if !is_evicted {
            self.heads[queue] = self.find_head(round, queue);
        }
    }

    /// Returns by queue whether the lookback limit is reached; 0 means no limit.
    pub(super) fn are_lookbacks_reached(&self, lookback: usize) -> Vec<bool> {
        self.queues.iter().map(|queue| queue.is_lookback_reached(lookback)).collect()
    }

    fn find_head(&mut self, round: &mut Round<'_>, queue: usize) -> Option<Candidate> {
        let members = self.next_gang(round, queue)?;
        Some(round.candidate(queue, members, self.pass))
    }

    /// Returns the next complete gang of a queue, without jobs of refused shapes.
    fn next_gang(&mut self, round: &mut Round<'_>, queue: usize) -> Option<Vec<JobIndex>> {
        let is_ordering = self.pass == Pass::Order;
        // An order of evicted jobs has to contain all of them.
        let lookback = if is_ordering { 0 } else { round.settings.queue_lookback };
        self.queues[queue].next_gang(lookback, |job| {
            if !is_ordering && round.is_refused_by_shape(job) {
                return Grouping::Skip;
            }
            let gang = round.jobs[job as usize].gang;
            gang.map_or(Grouping::Single, |gang| {
                Grouping::Member(gang, round.cardinality(job, gang))
            })
        })
    }
}

/// Compares gangs of different queues: higher priority first, then by cost, then by the queue's name, whose
/// order is that of the positions.
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

impl Round<'_> {
    fn candidate(&self, queue: usize, members: Vec<JobIndex>, pass: Pass) -> Candidate {
        // In the second pass all candidates have run or were placed, also at the lower priority of away nodes.
        let by = if pass == Pass::Reschedule { PrioritySource::Run } else { PrioritySource::Class };
        let mut request = self.settings.resources.zero();
        for member in &members {
            request.add(&self.shape(*member).request);
        }
        let state = &self.queues[queue];
        let allocated = if pass == Pass::Order { &self.ordered[queue] } else { &state.allocated };
        let weight = state.weight;
        let priority = members.iter().map(|job| self.compared_priority(*job, by)).min();
        Candidate {
            queue,
            is_evicted: members.iter().all(|job| self.is_evicted(*job)),
            priority: priority.unwrap_or(i32::MAX),
            proposed: self.costs.cost(&allocated.plus(&request)) / weight,
            current: self.costs.cost(allocated) / weight,
            // The weight is a factor: the same gang counts as larger in a queue of more weight.
            size: self.costs.cost(&request) * weight,
            budget: state.shares.demand_capped / weight,
            members,
        }
    }

    fn compared_priority(&self, job: JobIndex, by: PrioritySource) -> i32 {
        let run: Option<Run> = self.jobs[job as usize].run;
        let class = self.settings.classes[self.shape(job).class].priority;
        match (by, run) {
            (PrioritySource::Run, Some(run)) => run.priority,
            _ => class,
        }
    }
}
