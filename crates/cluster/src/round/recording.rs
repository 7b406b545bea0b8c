//! The recording of a round.

use super::attempt::{Attempt, Uniform};
use super::candidates::{Candidate, Candidates, Pass};
use super::node_group::merge;
use super::refusal::Refusal;
use super::running::Round;
use super::trace::{
    Eviction, EvictionCause, EvictionTest, PlacedMember, Trial, TrialResult, UnplacedMember,
};
use crate::job::JobIndex;
use std::rc::Rc;

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
        // Most rounds are not recorded.
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
            merge(&mut unplaced.nodes, group.clone());
        }
    }
}
