//! The rounds of the event loop: their times and their effects.

use super::Observer;
use super::change::Change;
use super::jobs::{JobState, Origin};
use super::retry_state::RetryState;
use super::simulation::Simulation;
use crate::job::{JobIndex, Run};
use crate::round::{Outcome, Preemption};
use crate::spec::Nanoseconds;
use std::cmp::Reverse;

impl Simulation<'_> {
    /// Returns the time of the first round at which anything may have changed, if this one changes nothing.
    fn next_round(&self) -> Nanoseconds {
        let period = self.scheduling.period;
        let planned = self.heap.peek().map(|Reverse((time, ..))| *time);
        let waiting = self.retries.as_ref().and_then(RetryState::next);
        let next = planned.into_iter().chain(waiting).min().unwrap_or(self.now);
        // Rounded up: rounds are at multiples of the period, also if some of them are skipped.
        let periods = (next - self.now).saturating_add(period - 1) / period;
        self.now.saturating_add(period.saturating_mul(periods.max(1)))
    }

    /// Runs a round of every pool, unless it can change nothing, and plans the next one.
    pub(super) fn round(&mut self, observer: &mut impl Observer) {
        // Jobs whose wait ends at this moment take part in the round.
        self.queue_waiting(observer);
        // A round with random evictions may have an effect although the last one had none.
        let is_certain = !self.settings().has_random_rounds();
        if self.is_steady && is_certain && self.options.is_fast_forward {
            self.push(self.next_round(), Change::Round);
            return;
        }
        // First, as in Armada: the ends of the runs that this round leases come after it in the order of planning.
        self.push(self.now.saturating_add(self.scheduling.period), Change::Round);
        self.successors.clear();
        // Here no round holds numbers of jobs, which change.
        self.compact();
        self.last_refused.clear();
        let (mut preempted, mut leased, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
        for pool in 0..self.pools.len() {
            self.rounds += 1;
            let outcome = self.run_pool(pool);
            self.take_tokens(&outcome);
            let by_queue = |job: &JobIndex| (self.jobs.get(*job).queue, *job);
            let mut lost: Vec<JobIndex> = outcome.preempted.keys().copied().collect();
            // The outcome is a map without order; in Armada the order is random.
            lost.sort_by_key(by_queue);
            let mut won: Vec<JobIndex> = outcome.scheduled.keys().copied().collect();
            won.sort_by_key(by_queue);
            for job in &lost {
                self.stop(*job, &outcome);
            }
            for job in &won {
                self.start(*job, pool, &outcome);
            }
            preempted.extend(lost);
            leased.extend(won);
            outcomes.push(outcome);
        }
        // After all pools: a job that one pool refused may have been placed by another.
        for (pool, outcome) in outcomes.iter().enumerate() {
            self.observe(pool, outcome, observer);
        }
        self.last_refused.extend(outcomes.into_iter().map(|outcome| outcome.refused));
        // At time 0, further jobs may still be submitted at the same time.
        self.is_steady = self.now > 0 && preempted.is_empty() && leased.is_empty();
        // As changes of this moment, so that preemptions precede leases in the events.
        for job in preempted {
            self.push(self.now, Change::Preempt(job));
        }
        for job in leased {
            self.push(self.now, Change::Lease(job));
        }
    }

    /// Counts a running job as preempted.
    fn stop(&mut self, job: JobIndex, outcome: &Outcome) {
        self.jobs.set_state(job, JobState::Ended);
        let preemption = outcome.preempted.get(&job);
        let is_for_retry = preemption.is_some_and(|it| self.is_for_retry(it, outcome));
        let origin = self.jobs.origin_mut(job);
        origin.preemption = preemption.map(|preemption| preemption.kind);
        origin.is_preempted_for_retry = is_for_retry;
        if let Some(queue) = self.jobs.get(job).queue {
            let Origin { pool, attempt, .. } = self.jobs.origin(job);
            self.pools[pool].running[queue] -= 1;
            self.pools[pool].running_retries[queue] -= u32::from(attempt > 0);
        }
        // The planned end of its run has no effect now.
        self.live_changes -= 1;
        self.forget(job);
    }

    /// Returns whether a preemption is for a job that runs again: the one that took the resources if it is known, else
    /// any that starts on the node.
    fn is_for_retry(&self, preemption: &Preemption, outcome: &Outcome) -> bool {
        let is_retry = |job: JobIndex| self.jobs.origin(job).granted.is_some();
        let starts = outcome.scheduled.iter();
        match preemption.by {
            Some(job) => is_retry(job),
            None => starts
                .filter(|(_, placement)| placement.node == preemption.node)
                .any(|(job, _)| is_retry(*job)),
        }
    }

    /// Counts a queued job as running.
    fn start(&mut self, job: JobIndex, pool: usize, outcome: &Outcome) {
        let Some(placement) = outcome.scheduled.get(&job) else { return };
        let order = self.order(job);
        if let Some(queue) = self.jobs.get(job).queue {
            self.queues[queue].queued.remove(&order, job);
            self.pools[pool].running[queue] += 1;
            let is_retry = self.jobs.origin(job).attempt > 0;
            self.pools[pool].running_retries[queue] += u32::from(is_retry);
        }
        self.jobs.get_mut(job).run = Some(Run {
            node: placement.node,
            priority: placement.priority,
            started: self.now,
            is_bound: true,
        });
        self.jobs.set_state(job, JobState::Running);
        self.jobs.origin_mut(job).pool = pool;
    }
}
