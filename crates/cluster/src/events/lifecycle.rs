//! The lifecycle of jobs: submitted, leased, succeeded or preempted, and submitted again; [`super::failures`] has their
//! failures.

use super::change::{Change, Planned, Resubmission};
use super::draw::DrawPurpose;
use super::jobs::{Ended, JobState, Origin, Renumbering};
use super::simulation::Simulation;
use super::{Event, EventKind, JobOutcome, Observer};
use crate::failure::AttemptSubject;
use crate::job::{Gang, Job, JobIndex};
use crate::round::{JobOrder, job_order};
use crate::spec::Nanoseconds;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

impl Simulation<'_> {
    /// Plans the submission of a template's jobs.
    pub(super) fn plan(&mut self, position: usize, time: Nanoseconds) {
        if self.template(position).number > 0 {
            self.push(time, Change::Submit { template: position });
        }
    }

    /// Submits the jobs of a template.
    pub(super) fn submit_template(&mut self, position: usize, observer: &mut impl Observer) {
        let template = self.template(position);
        let mut gang = None;
        for number in 0..template.number {
            if let Some(of_template) = &template.gang
                // Consecutive jobs form a gang; a template has whole gangs only.
                && (number as usize).is_multiple_of(of_template.cardinality)
            {
                gang = Some(self.jobs.add_gang(Gang {
                    cardinality: of_template.cardinality,
                    uniformity_label: Some(Arc::clone(&of_template.uniformity_label)),
                    members: Vec::new(),
                }));
            }
            observer.event(self.submit(Origin::new(position, number, self.now), gang));
        }
    }

    /// Submits a preempted job again, as a new job at the back of its queue.
    pub(super) fn resubmit(&mut self, job: Resubmission, observer: &mut impl Observer) {
        let origin = Origin {
            attempt: job.attempt,
            waiting_since: self.now,
            last_ended: Some(job.preempted),
            overhead: job.overhead,
            ..Origin::new(job.template, job.number, job.first_submitted)
        };
        observer.event(self.submit(origin, job.gang));
    }

    fn submit(&mut self, origin: Origin, gang: Option<usize>) -> Event {
        let template = self.template(origin.template);
        let shape = self.templates[origin.template].shape;
        let job = Job {
            queue: Some(template.queue),
            shape,
            priority: template.priority,
            submitted: self.now,
            gang,
            run: None,
        };
        let job = self.jobs.add(job, origin);
        self.queue(job);
        self.event(EventKind::Submitted, job)
    }

    /// Adds a job to its queue, and to the demand of the queue.
    pub(super) fn queue(&mut self, job: JobIndex) {
        // A new job may be placed: the next round must not be skipped.
        self.is_steady = false;
        let order = self.order(job);
        let settings = self.settings();
        let number = self.template(self.jobs.template(job)).queue;
        let queue = &mut self.queues[number];
        let none = || vec![settings.resources.zero(); settings.classes.len()];
        let shape = &self.shapes[self.jobs.get(job).shape];
        queue.demand.get_or_insert_with(none)[shape.class].add(&shape.request);
        queue.queued.insert(order, job);
    }

    pub(super) fn order(&self, job: JobIndex) -> JobOrder {
        job_order(self.settings(), self.jobs.all(), &self.shapes, job)
    }

    pub(super) fn lease(&mut self, job: JobIndex) {
        let held = self.held(job);
        let origin = self.jobs.origin(job);
        let template = self.template(origin.template);
        let subject = self.subject(&origin);
        let mut run_time = template.run_time;
        if template.gang.is_some() {
            // Members of a gang end together.
            run_time.tail_mean = 0;
        }
        // Drawn by purpose and attempt: a draw that is added elsewhere does not change this one.
        let pending = self.clusters.pending_delay.at(subject.number(DrawPurpose::Pending));
        let pending = pending.saturating_add(held);
        // A job that runs again has the same work; one that is submitted again has new work.
        let attempt = if self.retries.is_some() { 0 } else { subject.attempt };
        let of_work = AttemptSubject { attempt, ..subject };
        let work = run_time.at(of_work.number(DrawPurpose::RunTime)) - origin.saved;
        let (time, end) = self.end_of_run(&origin, job, (self.now.saturating_add(pending), work));
        let origin = self.jobs.origin_mut(job);
        (origin.pending, origin.held) = (pending, held);
        (origin.work, origin.end) = (work, (time, end));
        let attempt = origin.attempt;
        // The attempt tells a planned end that is outdated from that of a later run of the job.
        self.push(time, Change::End { job, attempt });
    }

    /// Ends a job, and counts it for its template.
    pub(super) fn end_job(&mut self, job: JobIndex, outcome: JobOutcome) {
        self.jobs.set_state(job, JobState::Over);
        self.jobs.forget_progress(job);
        for pool in &mut self.pools {
            pool.avoided.remove(&job);
        }
        let state = &mut self.templates[self.jobs.template(job)];
        match outcome {
            JobOutcome::Succeeded => state.succeeded += 1,
            JobOutcome::Failed => state.failed += 1,
        }
    }

    /// Releases the resources of a job, and its demand.
    pub(super) fn free(&mut self, job: JobIndex) {
        self.is_steady = false;
        let origin = self.jobs.origin(job);
        let ended = self.jobs.get(job);
        let shape = &self.shapes[ended.shape];
        let queue = self.template(origin.template).queue;
        if let Some(run) = ended.run {
            let pool = &mut self.pools[origin.pool];
            pool.nodes.remove(run.node, job, &shape.request);
            pool.allocated[queue][shape.class].subtract(&shape.request);
            pool.leased.subtract(&shape.request);
            pool.running[queue] -= 1;
            pool.running_retries[queue] -= u32::from(origin.attempt > 0);
        }
        self.release_demand(job);
        self.forget(job);
    }

    /// Closes a template all of whose jobs are over. If all of them succeeded, those that depend on it follow.
    pub(super) fn close_if_over(&mut self, position: usize) {
        let state = &self.templates[position];
        if state.succeeded + state.failed == self.template(position).number {
            let has_succeeded = state.failed == 0;
            self.open_templates -= 1;
            if has_succeeded {
                self.complete(position);
            }
        }
    }

    pub(super) fn subject(&self, origin: &Origin) -> AttemptSubject {
        AttemptSubject {
            seed: self.options.seed,
            template: self.templates[origin.template].key,
            number: origin.number,
            attempt: origin.attempt,
        }
    }

    /// Submits the templates whose only missing dependency was this one.
    fn complete(&mut self, position: usize) {
        for dependent in std::mem::take(&mut self.templates[position].dependents) {
            let state = &mut self.templates[dependent];
            state.missing_dependencies -= 1;
            if state.missing_dependencies == 0 && !state.is_given_up {
                let template = self.template(dependent);
                let delay = template.earliest_submission.max(template.after_dependencies);
                self.plan(dependent, self.now.saturating_add(delay));
            }
        }
    }

    /// Drops a template whose jobs fit no node, and all templates that depend on it.
    pub(super) fn give_up(&mut self, position: usize) {
        let mut open = vec![position];
        while let Some(position) = open.pop() {
            let state = &mut self.templates[position];
            if !std::mem::replace(&mut state.is_given_up, true) {
                open.extend(&state.dependents);
            }
        }
    }

    /// Handles the preemption of a job: it is decided about, or submitted again as a new job.
    pub(super) fn preempt(&mut self, job: JobIndex, observer: &mut impl Observer) {
        self.is_steady = false;
        self.release_demand(job);
        let event = self.preemption(job);
        if self.retries.is_some() {
            return self.end_run(event, job, observer);
        }
        observer.event(event);
        let spent = self.settle(&Ended { job, event }, None, observer);
        self.jobs.set_state(job, JobState::Over);
        let origin = self.jobs.origin(job);
        let delay = self.clusters.resubmission_delay;
        let delay = delay.at(self.subject(&origin).number(DrawPurpose::Resubmission));
        // Everything of the old job that the new one needs: the old one may be removed from memory
        // before it is submitted.
        let again = Resubmission {
            template: origin.template,
            number: origin.number,
            attempt: origin.attempt.saturating_add(1),
            gang: self.jobs.get(job).gang.map(|gang| self.successor(gang)),
            first_submitted: origin.first_submitted,
            preempted: self.now,
            overhead: origin.overhead.saturating_add(spent.overhead),
        };
        self.push(self.now.saturating_add(delay), Change::Resubmit(again));
    }

    /// Returns the gang that replaces a preempted one.
    fn successor(&mut self, gang: usize) -> usize {
        if let Some(successor) = self.successors.get(&gang) {
            return *successor;
        }
        let new = Gang { members: Vec::new(), ..self.jobs.gangs()[gang].clone() };
        let position = self.jobs.add_gang(new);
        self.successors.insert(gang, position);
        position
    }

    pub(super) fn release_demand(&mut self, job: JobIndex) {
        let ended = self.jobs.get(job);
        let shape = &self.shapes[ended.shape];
        if let Some(demand) = ended.queue.and_then(|queue| self.queues[queue].demand.as_mut()) {
            demand[shape.class].subtract(&shape.request);
        }
    }

    /// Removes what rounds know of a job whose run has ended.
    pub(super) fn forget(&mut self, job: JobIndex) {
        for pool in &mut self.pools {
            pool.priorities.remove(&job);
        }
        self.jobs.leave_gang(job);
    }

    /// Removes finished jobs from memory, once they are the majority.
    pub(super) fn compact(&mut self) {
        if !self.jobs.is_sparse() {
            return;
        }
        // A gang of which a job is still to be submitted again has no members now, but must keep its number.
        let awaited = |change: &Reverse<Planned>| match change.0.3 {
            Change::Resubmit(job) => job.gang,
            _ => None,
        };
        let awaited: HashSet<usize> = self.heap.iter().filter_map(awaited).collect();
        let renumbering = self.jobs.remove_finished(|gang| awaited.contains(&gang));
        let heap = std::mem::take(&mut self.heap).into_vec();
        let changes = heap.into_iter().filter_map(|Reverse((time, rank, sequence, change))| {
            Some(Reverse((time, rank, sequence, renumber_change(change, &renumbering)?)))
        });
        self.heap = changes.collect();
        for pool in &mut self.pools {
            pool.renumber(&renumbering);
        }
        if let Some(retries) = &mut self.retries {
            retries.renumber(&renumbering);
        }
        for queue in &mut self.queues {
            queue.queued.renumber(|job| renumbering.job(job));
        }
    }
}

/// Gives a planned change new positions; returns `None` for the end of a run that is over.
fn renumber_change(change: Change, renumbering: &Renumbering) -> Option<Change> {
    Some(match change {
        Change::Submit { .. } | Change::Round | Change::Token | Change::Node(_) => change,
        Change::Resubmit(job) => Change::Resubmit(Resubmission {
            gang: job.gang.and_then(|gang| renumbering.gang(gang)),
            ..job
        }),
        Change::Lease(job) => Change::Lease(renumbering.job(job)?),
        Change::End { job, attempt } => Change::End { job: renumbering.job(job)?, attempt },
        Change::Preempt(job) => Change::Preempt(renumbering.job(job)?),
    })
}
