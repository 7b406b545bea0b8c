//! The record of a round: all trials of gangs, in order, with their results.
//!
//! Only `explain round` records a round; without a record each step costs one branch.

mod reasons;

pub use reasons::{NodeGroup, NodeReason};

use super::candidates::{Candidate, Candidates, Pass};
use super::place::Attempt;
use super::select::Uniform;
use super::{Placement, Refusal, Round};
use crate::cluster::job::JobIndex;
use std::collections::HashMap;
use std::rc::Rc;

/// The record of a round.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The trials of gangs, in order. A job without a gang is a gang of one.
    pub trials: Vec<Trial>,
    /// The evictions of running jobs, in order.
    pub evictions: Vec<Eviction>,
    /// The number of evictions in the first pass.
    first_evictions: usize,
    /// The cost of each queue as a fraction of its share, and whether its jobs are evicted.
    pub eviction_tests: Vec<EvictionTest>,
    /// The jobs that were not tried, and the job of the same shape that had been refused.
    pub skipped: Vec<(JobIndex, JobIndex)>,
    /// Whether the lookback limit of each queue was reached.
    pub lookbacks_reached: Vec<bool>,
    /// The current trial.
    current: Current,
    /// The first refused job of each shape.
    refused_shapes: HashMap<usize, JobIndex>,
    /// The nodes of gangs that were refused since the nodes last changed.
    unchanged: HashMap<UnplacedKey, Rc<[NodeGroup]>>,
}

/// The shapes of the members up to the one without a node, and the value of the gang's label.
type UnplacedKey = (Vec<usize>, Option<String>);

/// A trial of a gang.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The position of its queue.
    pub queue: usize,
    /// The members.
    pub members: Vec<JobIndex>,
    /// Whether it was running, and was evicted.
    pub is_evicted: bool,
    /// Whether it was tried after the second eviction.
    pub is_second_pass: bool,
    /// The cost of its queue without it, over the queue's weight.
    pub cost: f64,
    /// The cost of its queue with it, over the queue's weight.
    pub cost_with: f64,
    /// The demand-capped share of its queue, over the queue's weight.
    pub budget: f64,
    /// The result.
    pub result: TrialResult,
}

/// The result of a trial.
#[derive(Debug, Clone)]
pub enum TrialResult {
    /// All members have a node.
    PlacedMember(Vec<PlacedMember>),
    /// No member has a node. Refusals for lack of a node have the member that had none.
    Refused(Refusal, Option<UnplacedMember>),
    /// Another job replaced it, so it was not tried.
    Displaced,
}

/// A member that has a node.
#[derive(Debug, Clone)]
pub struct PlacedMember {
    /// The job.
    pub job: JobIndex,
    /// The placement.
    pub placement: Placement,
    /// The evicted jobs that it displaced: those on its node, and the other members of their gangs, on any
    /// node.
    pub displaced: Vec<JobIndex>,
}

/// A member that has no node.
#[derive(Debug, Clone)]
pub struct UnplacedMember {
    /// The job.
    pub job: JobIndex,
    /// The number of members before it that had a node; the maximum over all values of the gang's label.
    pub fitted: usize,
    /// The nodes by the reason for which it cannot use them.
    pub nodes: Vec<NodeGroup>,
}

/// The eviction of a running job.
#[derive(Debug, Clone, Copy)]
pub struct Eviction {
    /// The job.
    pub job: JobIndex,
    /// The cause.
    pub cause: EvictionCause,
}

/// The causes of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionCause {
    /// The queue of the job has more than the protected part of its share.
    AboveShare,
    /// The node of the job has a negative free amount at its priority.
    Oversubscribed,
    /// Another member of its gang was evicted.
    Gang,
}

/// The test whether jobs of a queue are evicted.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvictionTest {
    /// Whether the queue's cost over its share is above the protected fraction.
    pub is_above: bool,
}

/// The current trial so far.
#[derive(Debug, Clone, Default)]
struct Current {
    placed: Vec<PlacedMember>,
    unplaced: Option<UnplacedMember>,
}

impl Trace {
    /// Returns the evictions from queues above their share, and of the gangs of these jobs.
    pub fn first_evictions(&self) -> &[Eviction] {
        self.evictions.get(..self.first_evictions).unwrap_or_default()
    }
}

impl Round<'_> {
    /// Records the end of the first eviction.
    pub(super) fn record_first_evictions(&mut self, eviction_tests: Vec<EvictionTest>) {
        if let Some(trace) = &mut self.trace {
            trace.first_evictions = trace.evictions.len();
            trace.eviction_tests = eviction_tests;
        }
    }

    /// Records the result of a trial, or with `None` that the gang was displaced before.
    pub(super) fn record_trial(
        &mut self,
        gang: &Candidate,
        pass: Pass,
        result: Option<&Result<(), Refusal>>,
    ) {
        let Some(trace) = &mut self.trace else { return };
        let current = std::mem::take(&mut trace.current);
        let result = match result {
            None => TrialResult::Displaced,
            Some(Ok(())) => TrialResult::PlacedMember(current.placed),
            Some(Err(refusal)) => TrialResult::Refused(refusal.clone(), current.unplaced),
        };
        let (cost, cost_with, budget) = gang.costs();
        trace.trials.push(Trial {
            queue: gang.queue,
            members: gang.members.clone(),
            is_evicted: gang.is_evicted,
            is_second_pass: pass == Pass::Reschedule,
            cost,
            cost_with,
            budget,
            result,
        });
    }

    /// Records that no other job of a shape is tried.
    pub(super) fn record_refused_shape(&mut self, shape: usize, job: JobIndex) {
        if let Some(trace) = &mut self.trace {
            trace.refused_shapes.entry(shape).or_insert(job);
        }
    }

    /// Records that a job was not tried because of its shape.
    pub(super) fn record_skipped(&mut self, job: JobIndex) {
        if let Some(trace) = &mut self.trace
            && let Some(first) = trace.refused_shapes.get(&self.jobs[job as usize].shape)
        {
            trace.skipped.push((job, *first));
        }
    }

    /// Records an eviction.
    pub(super) fn record_eviction(&mut self, job: JobIndex, cause: EvictionCause) {
        if let Some(trace) = &mut self.trace {
            trace.evictions.push(Eviction { job, cause });
        }
    }

    /// Records which queues reached their lookback limit.
    pub(super) fn record_lookback(&mut self, candidates: &Candidates, pass: Pass) {
        if let (Some(trace), Pass::Schedule) = (&mut self.trace, pass) {
            trace.lookbacks_reached =
                candidates.are_lookbacks_reached(self.settings.queue_lookback);
        }
    }

    /// Records the placements of a gang.
    pub(super) fn record_placed(&mut self, attempt: &Attempt) {
        let Some(trace) = &mut self.trace else { return };
        trace.unchanged.clear();
        let placed = attempt.placed.iter().map(|(job, choice)| PlacedMember {
            job: *job,
            placement: choice.placement,
            displaced: attempt
                .displaced
                .iter()
                .filter(|(_, by)| by == job)
                .map(|(displaced, _)| *displaced)
                .collect(),
        });
        trace.current.placed = placed.collect();
    }

    /// Records why a member of a gang has no node, after `fitted` others had one.
    pub(super) fn record_unplaced(
        &mut self,
        members: &[JobIndex],
        fitted: usize,
        uniform: Option<Uniform<'_>>,
    ) {
        let (Some(trace), Some(job)) = (&self.trace, members.get(fitted).copied()) else { return };
        let shapes = members.iter().take(fitted + 1).map(|job| self.jobs[*job as usize].shape);
        let key = (shapes.collect(), uniform.map(|uniform| uniform.value.to_owned()));
        let known = trace.unchanged.get(&key).filter(|_| !self.is_evicted(job)).cloned();
        let nodes = known.unwrap_or_else(|| self.reasons(job, uniform).into());
        let is_evicted = self.is_evicted(job);
        let Some(trace) = &mut self.trace else { return };
        if !is_evicted {
            trace.unchanged.insert(key, Rc::clone(&nodes));
        }
        let unplaced = &mut trace.current.unplaced;
        let unplaced = unplaced.get_or_insert(UnplacedMember { job, fitted, nodes: Vec::new() });
        if fitted > unplaced.fitted {
            (unplaced.job, unplaced.fitted) = (job, fitted);
        }
        for group in nodes.iter() {
            reasons::merge(&mut unplaced.nodes, group.clone());
        }
    }
}
