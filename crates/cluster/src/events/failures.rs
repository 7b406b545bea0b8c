//! Failures in the event loop: runs that end by themselves, nodes that go down with their jobs, and gangs that end
//! with a member.

use super::change::Change;
use super::fleet::NodeChange;
use super::jobs::{Ended, Origin};
use super::simulation::Simulation;
use super::{EventKind, JobOutcome, NodeEvent, Observer};
use crate::failure::{AttemptEnd, Checkpoint, Circumstances, FailureKind};
use crate::job::JobIndex;
use crate::resources::{GPU, MEMORY};
use crate::spec::Nanoseconds;

impl Simulation<'_> {
    /// Returns when and how a run that starts at this time, with this work, ends by itself.
    pub(super) fn end_of_run(
        &self,
        origin: &Origin,
        job: JobIndex,
        (start, work): (Nanoseconds, Nanoseconds),
    ) -> (Nanoseconds, AttemptEnd) {
        let failures = &self.template(origin.template).failures;
        let circumstances = Circumstances {
            duration: Checkpoint::duration(failures.checkpoint, work, origin.saved > 0),
            memory: self.memory_factor(origin, job),
            gpu_failures_per_hour: self.gpu_failures_per_hour(origin, job),
            deadline: self.templates[origin.template].deadline,
        };
        let node = self.jobs.get(job).run.map(|run| (origin.pool, run.node));
        let source = self.template(origin.template).source;
        let is_stuck = |cause| {
            let until = self.stuck.get(&(source, cause, node.unwrap_or_default()));
            until.is_some_and(|until| start < *until)
        };
        let (running, end) = self.subject(origin).end(failures, circumstances, is_stuck);
        (start.saturating_add(running), end)
    }

    /// Returns the failures in an hour of the GPUs that a running job holds.
    #[expect(clippy::cast_precision_loss, reason = "times and numbers of GPUs")]
    fn gpu_failures_per_hour(&self, origin: &Origin, job: JobIndex) -> f64 {
        const HOUR: f64 = 3600e9;
        let job = self.jobs.get(job);
        let node = job.run.and_then(|run| self.fleet.find(origin.pool, run.node));
        let mtbf = node.and_then(|node| self.fleet.groups[node.group].failures.gpu_mtbf);
        let types = &self.settings().resources;
        let (Some(mtbf), Some(position)) = (mtbf, types.position(GPU)) else { return 0.0 };
        let gpus = types.base_units(&self.shapes[job.shape].request, position);
        gpus as f64 * HOUR / mtbf as f64
    }

    /// Returns the memory that a job has, as a factor on that of its template.
    #[expect(clippy::cast_precision_loss, reason = "amounts of memory")]
    fn memory_factor(&self, origin: &Origin, job: JobIndex) -> f64 {
        let Some(position) = self.settings().resources.position(MEMORY) else { return 1.0 };
        let has = self.shapes[self.jobs.get(job).shape].request.as_slice()[position];
        let requested = self.template(origin.template).shape.request.as_slice()[position];
        // Equal amounts give exactly 1, without the rounding of a quotient.
        if has == requested { 1.0 } else { has as f64 / requested as f64 }
    }

    /// Ends a run by itself.
    pub(super) fn end(&mut self, job: JobIndex, observer: &mut impl Observer) {
        // The end was drawn when the run was leased, so that the heap knows its time.
        match self.jobs.origin(job).end.1 {
            AttemptEnd::Success => self.succeed(job, observer),
            AttemptEnd::Failure(kind) => self.fail(job, kind, observer),
        }
    }

    fn succeed(&mut self, job: JobIndex, observer: &mut impl Observer) {
        if self.retries.is_some() {
            self.free(job);
            return self.end_run(self.event(EventKind::Succeeded, job), job, observer);
        }
        let event = self.event(EventKind::Succeeded, job);
        observer.event(event);
        self.settle(&Ended { job, event }, Some(JobOutcome::Succeeded), observer);
        self.free(job);
        self.end_job(job, JobOutcome::Succeeded);
        self.close_if_over(event.template);
    }

    /// Ends a run that has failed. Without retries the job fails, and the other members of its gang.
    fn fail(&mut self, job: JobIndex, kind: FailureKind, observer: &mut impl Observer) {
        self.stick(job, kind);
        if self.retries.is_some() {
            self.free(job);
            self.jobs.origin_mut(job).failure = Some(kind);
            return self.end_run(self.event(EventKind::Failed, job), job, observer);
        }
        let siblings = self.jobs.siblings(job);
        self.end_failed(job, EventKind::Failed, kind, observer);
        for sibling in siblings {
            if self.jobs.is_running(sibling) {
                // The planned end of its run has no effect now.
                self.live_changes -= 1;
            }
            self.end_failed(sibling, EventKind::Stopped, kind, observer);
        }
    }

    fn end_failed(
        &mut self,
        job: JobIndex,
        kind: EventKind,
        failure: FailureKind,
        observer: &mut impl Observer,
    ) {
        self.jobs.origin_mut(job).failure = Some(failure);
        let event = self.event(kind, job);
        observer.event(event);
        self.settle(&Ended { job, event }, Some(JobOutcome::Failed), observer);
        if !self.jobs.is_running(job) {
            let order = self.order(job);
            if let Some(queue) = self.jobs.get(job).queue {
                self.queues[queue].queued.remove(&order, job);
            }
        }
        self.free(job);
        self.end_job(job, JobOutcome::Failed);
        self.abandon_dependents(event.template);
        self.close_if_over(event.template);
    }

    /// Drops the templates that depend on one of which a job has failed.
    pub(super) fn abandon_dependents(&mut self, position: usize) {
        // A stack instead of recursion: chains of dependencies may be long.
        let mut open = std::mem::take(&mut self.templates[position].dependents);
        while let Some(position) = open.pop() {
            let state = &mut self.templates[position];
            if !std::mem::replace(&mut state.is_given_up, true) {
                self.open_templates -= 1;
                open.extend(&self.templates[position].dependents);
            }
        }
    }

    /// Lets a cause stick to the node of a run that it has failed, if it does. A failure by a cause that sticks
    /// already does not renew it: the node would never recover.
    fn stick(&mut self, job: JobIndex, kind: FailureKind) {
        let origin = self.jobs.origin(job);
        let (FailureKind::Cause(cause), Some(run)) = (kind, self.jobs.get(job).run) else { return };
        let failure = &self.template(origin.template).failures.causes[cause];
        let Some(stickiness) = failure.stickiness else { return };
        if self.subject(&origin).sticks(failure) {
            let until = self.now.saturating_add(stickiness.duration);
            let node = (origin.pool, run.node);
            let source = self.template(origin.template).source;
            // A longer stickiness that began earlier stays.
            let known = self.stuck.entry((source, cause, node)).or_default();
            *known = until.max(*known);
            self.plan_ends_again(job, source, node);
        }
    }

    /// Plans the ends of the runs on a node that have not started, since a cause sticks to it now.
    fn plan_ends_again(&mut self, failed: JobIndex, source: usize, (pool, node): (usize, usize)) {
        let others = self.pools[pool].nodes.get(node).active_jobs().filter(|job| *job != failed);
        let others: Vec<JobIndex> = others.filter(|job| self.jobs.is_running(*job)).collect();
        for job in others {
            let origin = self.jobs.origin(job);
            let leased = self.jobs.get(job).run.map_or(self.now, |run| run.started);
            let start = leased.saturating_add(origin.pending);
            // A run that has started was tested for the cause when it did; causes stick to the jobs
            // of one template in the file.
            if start < self.now || self.template(origin.template).source != source {
                continue;
            }
            let end = self.end_of_run(&origin, job, (start, origin.work));
            if end.0 != origin.end.0 {
                // The end that was planned has no effect now.
                self.live_changes -= 1;
                self.push(end.0, Change::End { job, attempt: origin.attempt });
            }
            self.jobs.origin_mut(job).end = end;
        }
    }

    /// Applies a change of nodes. The jobs on a node that goes down fail, except those that end at this moment by
    /// a cause that comes first.
    pub(super) fn apply_to_nodes(&mut self, change: NodeChange, observer: &mut impl Observer) {
        if let NodeChange::Return { node } = change {
            let node = self.node_position(node);
            observer.node(NodeEvent { time: self.now, node, failure: None });
        }
        let down = self.change_nodes(change);
        // Nodes that are lost together never take each other's jobs.
        for (number, kind) in &down {
            self.take_down(*number, *kind);
        }
        for (number, kind) in down {
            let (pool, position) = self.node_position(number);
            let node = (pool, position);
            observer.node(NodeEvent { time: self.now, node, failure: Some(kind) });
            let jobs: Vec<JobIndex> = self.pools[pool].nodes.get(position).active_jobs().collect();
            for job in jobs {
                // The failure of another job on the node may have stopped its gang.
                if self.jobs.is_running(job) {
                    self.end_with_node(job, kind, observer);
                }
            }
            // After its jobs have ended, which still refer to it.
            self.remove_node(number);
        }
    }

    fn end_with_node(&mut self, job: JobIndex, kind: FailureKind, observer: &mut impl Observer) {
        // The planned end of its run has no effect after this one.
        self.live_changes -= 1;
        let (time, end) = self.jobs.origin(job).end;
        let is_first = time == self.now && end < AttemptEnd::Failure(kind);
        if is_first { self.end(job, observer) } else { self.fail(job, kind, observer) }
    }
}
