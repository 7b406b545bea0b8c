//! Retries in the event loop: units of which no run goes on are decided about, and jobs that run again wait outside
//! of their queues until they may be queued.
//!
//! Contract: docs/cluster-failures.md, Retries.

use super::jobs::{Ended, JobState};
use super::retry_state::{Retries, RetryState};
use super::simulation::Simulation;
use super::{Event, EventKind, JobOutcome, Observer};
use crate::job::JobIndex;
use crate::retry::{Next, Requeue, RunDecision, RunGrant, UnitDecision, UnitId};
use crate::spec::Nanoseconds;
use std::cmp::Reverse;

/// Far more than the longest simulated time: what is subtracted from the times of jobs that are queued before others.
const BEFORE_ALL: Nanoseconds = 1 << 62;

impl<'a> Simulation<'a> {
    /// Lets retries follow the ends of runs. Without this, a failed job fails, and a preempted one is submitted again
    /// as a new job.
    #[must_use]
    pub fn with_retries(mut self, retries: Retries<'a>) -> Self {
        self.retries = Some(RetryState::new(retries));
        self
    }
}

impl Simulation<'_> {
    /// Ends a run whose resources are free. The unit is decided about, unless a member of its gang still runs.
    pub(super) fn end_run(&mut self, event: Event, job: JobIndex, observer: &mut impl Observer) {
        let gang = self.jobs.get(job).gang;
        let ended = self.take_run(event, job);
        // Other ends are reported with their decision, which a gang makes when its last member has ended.
        if event.kind == EventKind::Succeeded {
            observer.event(event);
        }
        let Some(gang) = gang else { return self.decide(vec![ended], observer) };
        let mut ends = vec![ended];
        if event.kind != EventKind::Succeeded {
            for sibling in self.jobs.siblings(job) {
                // The planned end of its run has no effect now.
                self.live_changes -= 1;
                self.free(sibling);
                // The record of a stopped member has the failure of the one that stopped it.
                self.jobs.origin_mut(sibling).failure = event.failure;
                let stopped = self.event(EventKind::Stopped, sibling);
                ends.push(self.take_run(stopped, sibling));
            }
        }
        let cardinality = self.jobs.gangs()[gang].cardinality;
        let Some(retries) = &mut self.retries else { return };
        let generation = retries.generations.entry(gang).or_default();
        generation.extend(ends);
        // Members that succeeded earlier are in the generation already.
        if generation.len() == cardinality {
            let ends = std::mem::take(generation);
            retries.generations.remove(&gang);
            self.decide(ends, observer);
        }
    }

    /// Removes the run of a job that an event has ended.
    fn take_run(&mut self, event: Event, job: JobIndex) -> Ended {
        self.jobs.set_state(job, JobState::Ended);
        self.jobs.get_mut(job).run = None;
        let origin = self.jobs.origin_mut(job);
        origin.unsettled = event.allocated();
        Ended { job, event }
    }

    /// Decides about a unit of which no run goes on, and applies the decision.
    fn decide(&mut self, mut ends: Vec<Ended>, observer: &mut impl Observer) {
        let unit = self.unit(&ends[0]);
        let Some(retries) = &mut self.retries else { return };
        let decision = if ends.iter().all(|ended| ended.event.kind == EventKind::Succeeded) {
            // The state of a unit that is over is never needed again.
            retries.decider.forget(unit);
            let (decisions, succeeded) = (vec![None; ends.len()], vec![true; ends.len()]);
            UnitDecision { decisions, next: Next::Over(succeeded) }
        } else {
            let events: Vec<_> = ends.iter().map(|ended| ended.event).collect();
            let decision = retries.decider.decide(unit, &events);
            self.refuse_unschedulable(unit, &ends, decision)
        };
        for (ended, decision) in ends.iter_mut().zip(&decision.decisions) {
            ended.event.decision = *decision;
            if ended.event.kind != EventKind::Succeeded {
                observer.event(ended.event);
            }
        }
        match decision.next {
            Next::Over(succeeded) => self.end_unit(&ends, &succeeded, observer),
            Next::Again { retry_after, grants } => {
                self.rerun(&ends, retry_after, &grants, observer);
            }
        }
    }

    fn unit(&self, ended: &Ended) -> UnitId {
        let template = self.template(ended.event.template);
        // Consecutive numbers of a template form a gang, so that the quotient numbers the gangs.
        let members = template.gang.as_ref().map_or(1, |gang| gang.cardinality);
        let members = u32::try_from(members).unwrap_or(u32::MAX);
        (ended.event.template, ended.event.number / members)
    }

    /// Changes a decision to run again into failure if no node could ever take the jobs.
    fn refuse_unschedulable(
        &mut self,
        unit: UnitId,
        ends: &[Ended],
        decision: UnitDecision,
    ) -> UnitDecision {
        let Next::Again { grants, .. } = &decision.next else { return decision };
        if self.can_ever_start(ends, grants) {
            return decision;
        }
        if let Some(retries) = &mut self.retries {
            retries.decider.forget(unit);
        }
        let changed = |decision: &Option<RunDecision>| {
            decision.map(|it| RunDecision { rule: it.rule, ..RunDecision::UNSCHEDULABLE })
        };
        let succeeded = ends.iter().map(|ended| ended.event.kind == EventKind::Succeeded);
        UnitDecision {
            decisions: decision.decisions.iter().map(changed).collect(),
            next: Next::Over(succeeded.collect()),
        }
    }

    /// Ends the jobs of a unit.
    fn end_unit(&mut self, ends: &[Ended], succeeded: &[bool], observer: &mut impl Observer) {
        let template = ends[0].event.template;
        for (ended, has_succeeded) in ends.iter().zip(succeeded) {
            let outcome = if *has_succeeded { JobOutcome::Succeeded } else { JobOutcome::Failed };
            self.settle(ended, Some(outcome), observer);
            self.end_job(ended.job, outcome);
        }
        if succeeded.contains(&false) {
            self.abandon_dependents(template);
        }
        self.close_if_over(template);
    }

    /// Lets the jobs of a unit wait for their next runs.
    fn rerun(
        &mut self,
        ends: &[Ended],
        retry_after: Nanoseconds,
        grants: &[RunGrant],
        observer: &mut impl Observer,
    ) {
        let last = ends.iter().map(|ended| ended.event.time).max();
        for (ended, grant) in ends.iter().zip(grants) {
            self.settle(ended, None, observer);
            self.apply_grant(ended, grant);
            let origin = self.jobs.origin_mut(ended.job);
            origin.last_ended = last;
            origin.waiting_since = retry_after;
            origin.granted = ended.event.decision;
        }
        let mut jobs: Vec<JobIndex> = ends.iter().map(|ended| ended.job).collect();
        // By job, so that the order of ends within the gang does not decide who is queued first.
        jobs.sort_unstable();
        self.count_backing_off(&jobs, 1);
        self.live_changes += 1;
        // The sequence of events breaks ties of waits that end at the same time.
        let sequence = self.sequence;
        self.sequence += 1;
        if let Some(retries) = &mut self.retries {
            retries.waiting.push(Reverse((retry_after, sequence, jobs)));
        }
    }

    /// Queues the jobs whose wait is over.
    pub(super) fn queue_waiting(&mut self, observer: &mut impl Observer) {
        while let Some(retries) = &mut self.retries
            && retries.next().is_some_and(|time| time <= self.now)
            && let Some(Reverse((_, _, jobs))) = retries.waiting.pop()
        {
            let requeue = retries.requeue;
            self.live_changes -= 1;
            self.count_backing_off(&jobs, -1);
            for job in jobs {
                self.queue_again(job, requeue, observer);
            }
        }
    }

    /// Counts jobs as waiting, or not any more, for their queue.
    fn count_backing_off(&mut self, jobs: &[JobIndex], sign: i32) {
        for job in jobs {
            if let Some(queue) = self.jobs.get(*job).queue {
                let number = &mut self.queues[queue].backing_off;
                *number = number.saturating_add_signed(sign);
            }
        }
    }

    fn queue_again(&mut self, job: JobIndex, requeue: Requeue, observer: &mut impl Observer) {
        let job = match requeue {
            Requeue::Original | Requeue::Front => job,
            Requeue::Back => self.move_to_back(job),
        };
        let origin = self.jobs.origin_mut(job);
        origin.attempt = origin.attempt.saturating_add(1);
        (origin.failure, origin.preemption) = (None, None);
        let first_submitted = origin.first_submitted;
        if requeue == Requeue::Front {
            // Jobs are ordered by their time of submission; among those in front the first submission decides.
            self.jobs.get_mut(job).submitted = first_submitted - BEFORE_ALL;
        }
        self.jobs.set_state(job, JobState::Queued);
        self.jobs.join_gang(job);
        self.queue(job);
        observer.event(self.event(EventKind::Requeued, job));
    }

    /// Makes a job the one that was created last, so that it comes after all others that were submitted until now.
    fn move_to_back(&mut self, job: JobIndex) -> JobIndex {
        let moved = self.jobs.copy(job);
        self.jobs.set_state(job, JobState::Over);
        self.jobs.get_mut(moved).submitted = self.now;
        for pool in &mut self.pools {
            if let Some(avoided) = pool.avoided.remove(&job) {
                pool.avoided.insert(moved, avoided);
            }
        }
        moved
    }
}
