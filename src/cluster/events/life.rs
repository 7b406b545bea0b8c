//! The life of jobs: planned, submitted, leased, done or preempted, and submitted again.

use super::draw::{Draw, draw};
use super::{Change, JobState, Origin, Simulation, index};
use crate::cluster::job::{Gang, Job, JobIndex};
use crate::cluster::round::job_order;
use crate::cluster::spec::Nanoseconds;

impl Simulation<'_> {
    /// Creates the jobs of a template, which are submitted at a time.
    pub(super) fn plan(&mut self, position: usize, time: Nanoseconds) {
        let template = self.template(position);
        let first = index(self.jobs.len());
        for number in 0..template.number {
            let gang = template.gang.as_ref().map(|gang| {
                if (number as usize).is_multiple_of(gang.cardinality) {
                    self.gangs.push(Gang {
                        cardinality: gang.cardinality,
                        uniformity_label: Some(gang.uniformity_label.clone()),
                        members: Vec::new(),
                    });
                }
                self.gangs.len() - 1
            });
            self.create(position, number, 0, gang, time);
        }
        if template.number > 0 {
            self.push(time, Change::Submit { first, count: template.number });
        }
    }

    pub(super) fn create(
        &mut self,
        position: usize,
        number: u32,
        attempt: u32,
        gang: Option<usize>,
        submitted: Nanoseconds,
    ) {
        let template = self.template(position);
        self.jobs.push(Job {
            queue: Some(template.queue),
            shape: self.shape_of[position],
            priority: template.priority,
            submitted,
            gang,
            run: None,
        });
        let state = JobState::Planned;
        self.origins.push(Origin { template: position, number, attempt, state, pool: 0 });
    }

    pub(super) fn submit(&mut self, job: JobIndex) {
        self.is_steady = false;
        let given = &self.jobs[job as usize];
        let template = self.template(self.origins[job as usize].template);
        let request = &self.shapes[given.shape].request;
        let queue = &mut self.queues[template.queue];
        queue.demand.get_or_insert_with(|| self.settings.resources.zero()).add(request);
        let order = job_order(self.settings, &self.jobs, &self.shapes, job);
        queue.queued.insert(order, job);
        if let Some(gang) = given.gang {
            self.gangs[gang].members.push(job);
        }
        self.origins[job as usize].state = JobState::Queued;
    }

    pub(super) fn lease(&mut self, job: JobIndex) {
        let origin = self.origins[job as usize];
        let template = self.template(origin.template);
        let of = (origin.template, origin.number, origin.attempt);
        let pending = draw(self.workload.seed, Draw::Pending, of);
        let work = draw(self.workload.seed, Draw::RunTime, of);
        let mut run_time = template.run_time;
        if template.gang.is_some() {
            // Members of a gang end together.
            run_time.tail_mean = 0;
        }
        let duration = self.clusters.pending_delay.at(pending).saturating_add(run_time.at(work));
        self.push(self.now.saturating_add(duration), Change::Succeed(job));
    }

    pub(super) fn succeed(&mut self, job: JobIndex) {
        let origin = self.origins[job as usize];
        let given = &self.jobs[job as usize];
        let shape = &self.shapes[given.shape];
        let template = self.template(origin.template);
        if let Some(run) = given.run {
            let pool = &mut self.pools[origin.pool];
            pool.nodes.remove(run.node, job, &shape.request);
            pool.allocated[template.queue][shape.class].subtract(&shape.request);
        }
        self.release_demand(job);
        self.origins[job as usize].state = JobState::Over;
        self.forget(job);
        self.succeeded[origin.template] += 1;
        if self.succeeded[origin.template] == template.number {
            self.open_templates -= 1;
            self.complete(origin.template);
        }
    }

    /// Submits the templates that waited for this one alone.
    pub(super) fn complete(&mut self, position: usize) {
        for dependent in std::mem::take(&mut self.dependents[position]) {
            let missing = &mut self.missing_dependencies[dependent];
            *missing -= 1;
            if *missing == 0 {
                let template = self.template(dependent);
                let delay = template.earliest_submission.max(template.after_dependencies);
                self.plan(dependent, self.now.saturating_add(delay));
            }
        }
    }

    /// Submits a preempted job again, as a new job at the back of its queue.
    pub(super) fn resubmit(&mut self, job: JobIndex) {
        self.is_steady = false;
        self.release_demand(job);
        let origin = self.origins[job as usize];
        let of = (origin.template, origin.number, origin.attempt);
        let delay = self.clusters.resubmission_delay;
        let delay = delay.at(draw(self.workload.seed, Draw::Resubmission, of));
        let time = self.now.saturating_add(delay);
        let gang = self.jobs[job as usize].gang.map(|gang| self.successor(gang));
        let first = index(self.jobs.len());
        self.create(origin.template, origin.number, origin.attempt + 1, gang, time);
        self.push(time, Change::Submit { first, count: 1 });
    }

    /// The gang that replaces a preempted one.
    pub(super) fn successor(&mut self, gang: usize) -> usize {
        if let Some(known) = self.successors.get(&gang) {
            return *known;
        }
        let new = Gang { members: Vec::new(), ..self.gangs[gang].clone() };
        self.gangs.push(new);
        let position = self.gangs.len() - 1;
        self.successors.insert(gang, position);
        position
    }

    pub(super) fn release_demand(&mut self, job: JobIndex) {
        let given = &self.jobs[job as usize];
        let request = &self.shapes[given.shape].request;
        if let Some(demand) = given.queue.and_then(|queue| self.queues[queue].demand.as_mut()) {
            demand.subtract(request);
        }
    }

    /// Forgets what is known of a job that is over.
    pub(super) fn forget(&mut self, job: JobIndex) {
        for pool in &mut self.pools {
            pool.priorities.remove(&job);
        }
        if let Some(gang) = self.jobs[job as usize].gang {
            self.gangs[gang].members.retain(|member| *member != job);
        }
    }
}
