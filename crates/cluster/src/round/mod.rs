//! One scheduling round of one pool, as Armada's scheduler runs it (docs/scheduler.md, The order); `seed/` has the
//! round of the profile `seed`.
//!
//! 1. Preemptible jobs of queues above their protected share are evicted, with the rest of their gangs; they
//!    keep their nodes for now.
//! 2. Evicted and queued jobs are placed, gang by gang, from the queue with the lowest cost.
//! 3. Jobs on nodes that have a negative free amount at their priority are evicted, and placed again as far
//!    as they fit.
//! 4. Jobs that were evicted and not placed are preempted.
//!
//! Source: Armada at 207cc9e0, `internal/scheduler/scheduling/preempting_queue_scheduler.go`.

mod attempt;
mod candidates;
mod evict;
mod evicted;
mod fit_cache;
mod input;
mod limits;
mod node_group;
mod node_reasons;
mod outcome;
mod place;
mod preemptions;
mod queue_jobs;
mod queues;
mod recording;
mod refusal;
mod refusals;
mod running;
mod seed;
mod select;
#[cfg(test)]
mod tests;
mod trace;

pub use input::{QueueInput, RoundInput};
pub use node_group::{NodeGroup, NodeReason};
pub use outcome::{Method, Outcome, Placement, Preemption, PreemptionKind, QueueOutcome, RoundEnd};
pub use queue_jobs::{JobOrder, job_order};
pub use refusal::Refusal;
pub use refusals::Refusals;
pub use trace::{EvictionCause, PlacedMember, Trace, Trial, TrialResult, UnplacedMember};

use super::job::{JobIndex, Shape};
use super::requirements::Toleration;
use super::settings::Profile;
use super::share::Costs;
use candidates::{Candidates, Pass};
use evicted::EvictedJobs;
use fit_cache::{Fit, FitCache};
use limits::Limits;
use queue_jobs::{QueueJobs, by_queue};
use queues::queue_states;
use running::{JobStatus, Round};
use std::collections::{HashMap, HashSet};

/// Runs a round. Afterwards the nodes have the jobs that run after it.
pub fn run(input: RoundInput<'_>) -> Outcome {
    match input.settings.profile {
        Profile::Landed => Round::new(input).run().0,
        Profile::Seed => seed::run(input),
    }
}

/// Runs a round and records it. The record of a round of the profile `seed` is empty.
pub fn run_traced(input: RoundInput<'_>) -> (Outcome, Trace) {
    if input.settings.profile == Profile::Seed {
        return (seed::run(input), Trace::default());
    }
    let mut round = Round::new(input);
    round.trace = Some(Box::default());
    let (outcome, trace) = round.run();
    (outcome, trace.map(|trace| *trace).unwrap_or_default())
}

impl<'a> Round<'a> {
    fn new(input: RoundInput<'a>) -> Self {
        let settings = input.settings;
        let costs = Costs::new(settings, input.total.clone());
        let limits = Limits::new(settings, &input.total, input.tokens, &input.queues);
        let is_active = |queue: &QueueInput| queue.is_active;
        let (queues, waiting) = queue_states(settings, &costs, input.queues, is_active);
        Self {
            settings,
            jobs: input.jobs,
            shapes: input.shapes,
            gangs: input.gangs,
            nodes: input.nodes,
            costs,
            ordered: vec![settings.resources.zero(); queues.len()],
            queues,
            queued: waiting,
            limits,
            statuses: HashMap::new(),
            evicted_from: HashMap::new(),
            evicted: EvictedJobs::default(),
            displaced: HashMap::new(),
            priorities: input.priorities,
            avoided: input.avoided,
            guest_tolerations: HashMap::new(),
            placements: HashMap::new(),
            refused: Refusals::default(),
            refused_shapes: vec![None; input.shapes.len()],
            fit_cache: FitCache::default(),
            end: RoundEnd::default(),
            trace: None,
        }
    }

    fn run(mut self) -> (Outcome, Option<Box<Trace>>) {
        let first = self.evict_above_share();
        let queued = std::mem::take(&mut self.queued);
        let kept_or_new = self.place_all(&first, queued, Pass::Schedule);
        let mut preempted: HashSet<JobIndex> = first.into_iter().collect();
        let mut scheduled = HashSet::new();
        for job in kept_or_new {
            if !preempted.remove(&job) {
                scheduled.insert(job);
            }
        }
        let second = self.evict_oversubscribed();
        let mut withdrawn = HashSet::new();
        for job in &second {
            if scheduled.remove(job) {
                withdrawn.insert(*job);
            } else {
                preempted.insert(*job);
            }
        }
        // Without queued jobs, which were tried in the first pass.
        if !second.is_empty() {
            for job in
                self.place_all(&second, vec![Vec::new(); self.queues.len()], Pass::Reschedule)
            {
                if !preempted.remove(&job) {
                    scheduled.insert(job);
                }
                withdrawn.remove(&job);
            }
        }
        self.finish(&scheduled, &preempted, &withdrawn)
    }

    /// Places evicted and queued jobs; returns those that have a node.
    fn place_all(
        &mut self,
        evicted: &[JobIndex],
        queued: Vec<Vec<JobIndex>>,
        pass: Pass,
    ) -> Vec<JobIndex> {
        // Evictions since the last pass freed resources: a shape that was refused may fit now.
        self.refused_shapes.fill(None);
        let evicted = self.by_queue(evicted);
        let both = evicted.into_iter().zip(queued);
        let all = both.map(|(evicted, queued)| QueueJobs::new(evicted, queued)).collect();
        let mut candidates = Candidates::new(self, all, pass);
        let mut placed = Vec::new();
        while let Some(candidate) = candidates.take(self.settings.are_large_jobs_first) {
            let is_displaced = |job: &JobIndex| self.displaced.contains_key(job);
            if candidate.members.iter().any(is_displaced) {
                self.record_trial(&candidate, pass, None);
                candidates.refill(self, candidate.queue);
                continue;
            }
            let result = self.place_gang(&candidate);
            self.record_trial(&candidate, pass, Some(&result));
            candidates.refill(self, candidate.queue);
            match result {
                Ok(()) => placed.extend(candidate.members),
                Err(refusal) if refusal.ends_round() => {
                    // A limit of the round stops new jobs; evicted ones still have to return or be preempted.
                    self.end = RoundEnd::Limit(refusal);
                    candidates.refill_all_with_evicted(self);
                }
                Err(refusal) if refusal.ends_queue() => {
                    candidates.refill_with_evicted(self, candidate.queue);
                }
                Err(_) => {}
            }
        }
        self.record_lookback(&candidates, pass);
        placed
    }

    /// Groups jobs by queue, each group in the queue's order.
    fn by_queue(&self, jobs: &[JobIndex]) -> Vec<Vec<JobIndex>> {
        by_queue(self.settings, self.jobs, self.shapes, (self.queues.len(), jobs))
    }

    fn finish(
        mut self,
        scheduled: &HashSet<JobIndex>,
        preempted: &HashSet<JobIndex>,
        withdrawn: &HashSet<JobIndex>,
    ) -> (Outcome, Option<Box<Trace>>) {
        for job in preempted.iter().chain(withdrawn) {
            let request = &self.shapes[self.jobs[*job as usize].shape].request;
            if let Some(node) = self.evicted_from.get(job) {
                self.nodes.remove(*node, *job, request);
            }
        }
        scheduled.iter().chain(preempted).for_each(|job| self.refused.remove(*job));
        let placement = |job: &JobIndex| Some((*job, *self.placements.get(job)?));
        // Only jobs that stay placed: one that was withdrawn preempts nobody.
        let urgent = self.urgent_by_node(scheduled);
        let preemption = |job: &JobIndex| Some((*job, self.preemption(*job, &urgent)?));
        let queues = self.queues.iter().enumerate();
        let queues =
            queues.map(|(at, queue)| queue.outcome(&self.costs, self.limits.tokens_taken(at)));
        let outcome = Outcome {
            scheduled: scheduled.iter().filter_map(placement).collect(),
            preempted: preempted.iter().filter_map(preemption).collect(),
            queues: queues.collect(),
            refused: self.refused,
            end: self.end,
        };
        (outcome, self.trace)
    }

    fn shape(&self, job: JobIndex) -> &'a Shape {
        &self.shapes[self.jobs[job as usize].shape]
    }

    fn is_evicted(&self, job: JobIndex) -> bool {
        self.evicted_from.contains_key(&job)
    }

    /// Returns the number of members of a complete gang: for evicted jobs, the number of those that have not
    /// ended.
    fn cardinality(&self, job: JobIndex, gang: usize) -> usize {
        let gang = &self.gangs[gang];
        if self.is_evicted(job) { gang.members.len() } else { gang.cardinality }
    }

    /// Returns the priority that a job was placed at last, or that of its run.
    fn last_priority(&self, job: JobIndex) -> Option<i32> {
        let of_run = || self.jobs[job as usize].run.filter(|run| run.is_bound);
        self.priorities.get(&job).copied().or_else(|| Some(of_run()?.priority))
    }

    /// Refuses a job if its shape was refused before.
    fn is_refused_by_shape(&mut self, job: JobIndex) -> bool {
        let Some(refusal) = &self.refused_shapes[self.jobs[job as usize].shape] else {
            return false;
        };
        // Such a job fits other nodes than its shape does.
        if self.evicted_from.contains_key(&job) || self.avoided.contains_key(&job) {
            return false;
        }
        self.refused.insert(job, refusal);
        self.record_skipped(job);
        true
    }

    /// Counts a job as placed.
    fn add(&mut self, job: JobIndex) {
        let shape = self.shape(job);
        let Some(queue) = self.jobs[job as usize].queue else { return };
        self.queues[queue].add(shape.class, &shape.request);
        self.refused.remove(job);
        let status = if self.statuses.get(&job) == Some(&JobStatus::Evicted) {
            JobStatus::Returned
        } else {
            self.limits.add(&shape.request);
            JobStatus::Starting
        };
        self.statuses.insert(job, status);
    }

    /// Counts a job as not placed.
    fn withdraw(&mut self, job: JobIndex) {
        let shape = self.shape(job);
        let Some(queue) = self.jobs[job as usize].queue else { return };
        self.queues[queue].subtract(shape.class, &shape.request);
        match self.statuses.remove(&job) {
            Some(JobStatus::Starting) => self.limits.subtract(&shape.request),
            Some(JobStatus::Returned) => {}
            None | Some(JobStatus::Evicted) => {
                self.statuses.insert(job, JobStatus::Evicted);
            }
        }
    }

    fn fit(&mut self, job: JobIndex, tolerations: &[Toleration]) -> Fit {
        let shape = self.jobs[job as usize].shape;
        self.fit_cache.get(self.nodes, shape, &self.shapes[shape], tolerations)
    }
}
