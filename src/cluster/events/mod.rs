//! The event loop: what happens to a workload on a cluster, in the order of time.
//!
//! Events are ordered by time, then by when they were made. A round first plans the next one, so that
//! a job that ends at the moment of a round ends before it, unless its run takes exactly one period.
//!
//! Source: Armada, `internal/scheduler/simulator/simulator.go`; what it leaves to chance has a fixed
//! order here: pools by name, preempted jobs by queue and id, templates by position.

mod life;
mod pool;
#[cfg(test)]
mod tests;

use super::draw;
use super::job::{Gang, Job, JobIndex, Run, Shape};
use super::settings::Settings;
use super::spec::{ClusterSpec, JobTemplate, Nanoseconds, Workload};
use pool::Pool;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: Nanoseconds,
    /// What.
    pub kind: EventKind,
    /// The job.
    pub job: JobIndex,
    /// The position of its template.
    pub template: usize,
    /// The node of its run: the positions of the pool and of the node in it.
    pub node: Option<(usize, usize)>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// It was submitted.
    Submitted,
    /// It got a node.
    Leased,
    /// It lost its node.
    Preempted,
    /// It did its work.
    Succeeded,
}

/// A change that is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// `count` jobs are submitted, from `first` on.
    Submit {
        first: JobIndex,
        count: u32,
    },
    /// The scheduler runs.
    Round,
    Lease(JobIndex),
    Succeed(JobIndex),
    Preempt(JobIndex),
}

/// A job, and what the loop knows of it.
#[derive(Debug, Clone, Copy)]
struct Origin {
    template: usize,
    /// Its number among the jobs of its template, and how often that was submitted before.
    number: u32,
    attempt: u32,
    state: JobState,
    /// The pool that it runs in.
    pool: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobState {
    Planned,
    Queued,
    Running,
    Over,
}

/// Simulation parameters.
#[derive(Debug, Clone, Copy)]
pub struct LoopOptions {
    /// The time between rounds.
    pub period: Nanoseconds,
    /// When the simulation ends in any case.
    pub until: Nanoseconds,
    /// Whether rounds that can change nothing are skipped.
    pub is_fast_forward: bool,
}

/// A workload on a cluster.
pub struct Simulation<'a> {
    settings: &'a Settings,
    clusters: &'a ClusterSpec,
    workload: &'a Workload,
    options: LoopOptions,
    pools: Vec<Pool>,
    jobs: Vec<Job>,
    origins: Vec<Origin>,
    gangs: Vec<Gang>,
    /// The gangs that replace preempted ones.
    successors: HashMap<usize, usize>,
    shapes: Vec<Shape>,
    /// The shape of each template.
    shape_of: Vec<usize>,
    succeeded: Vec<u32>,
    /// The number of dependencies that each template waits for, and the templates that wait for it.
    missing_dependencies: Vec<usize>,
    dependents: Vec<Vec<usize>>,
    open_templates: usize,
    queues: Vec<QueueState>,
    heap: BinaryHeap<Reverse<(Nanoseconds, u64, Change)>>,
    sequence: u64,
    now: Nanoseconds,
    is_steady: bool,
    rounds: u64,
}

/// A queue's jobs.
#[derive(Debug, Clone)]
struct QueueState {
    /// The demand of its jobs, queued and running, in all pools; none before its first submission.
    demand: Option<super::resources::Amounts>,
    queued: BTreeMap<super::round::JobOrder, JobIndex>,
}

impl<'a> Simulation<'a> {
    /// A simulation before its first event.
    pub fn new(
        settings: &'a Settings,
        clusters: &'a ClusterSpec,
        workload: &'a Workload,
        options: LoopOptions,
    ) -> Self {
        let (mut shapes, mut known) = (Vec::new(), HashMap::new());
        let shape_of = workload.templates.iter().map(|template| {
            *known.entry(template.shape.clone()).or_insert_with(|| {
                shapes.push(template.shape.clone());
                shapes.len() - 1
            })
        });
        let shape_of = shape_of.collect();
        let missing = workload.templates.iter().map(|template| template.dependencies.len());
        let mut dependents = vec![Vec::new(); workload.templates.len()];
        for (position, template) in workload.templates.iter().enumerate() {
            for dependency in &template.dependencies {
                dependents[*dependency].push(position);
            }
        }
        let queue = QueueState { demand: None, queued: BTreeMap::new() };
        let mut simulation = Self {
            settings,
            clusters,
            workload,
            options,
            pools: Pool::all(settings, clusters, workload.queues.len()),
            jobs: Vec::new(),
            origins: Vec::new(),
            gangs: Vec::new(),
            successors: HashMap::new(),
            shapes,
            shape_of,
            succeeded: vec![0; workload.templates.len()],
            missing_dependencies: missing.collect(),
            dependents,
            open_templates: workload.templates.len(),
            queues: vec![queue; workload.queues.len()],
            heap: BinaryHeap::new(),
            sequence: 0,
            now: 0,
            is_steady: false,
            rounds: 0,
        };
        for (position, template) in workload.templates.iter().enumerate() {
            if template.dependencies.is_empty() {
                simulation.plan(position, template.earliest_submission);
            }
        }
        simulation.push(0, Change::Round);
        simulation
    }

    /// Runs until every job is over or the time is. Every event is passed to `record` in its order.
    pub fn run(&mut self, mut record: impl FnMut(Event)) {
        while let Some(Reverse((time, _, change))) = self.heap.pop() {
            if time > self.options.until {
                return;
            }
            self.now = time;
            match change {
                Change::Submit { first, count } => {
                    for job in first..first + count {
                        self.submit(job);
                        record(self.event(EventKind::Submitted, job));
                    }
                }
                Change::Round => self.round(),
                Change::Lease(job) => {
                    self.lease(job);
                    record(self.event(EventKind::Leased, job));
                }
                Change::Succeed(job) => {
                    self.is_steady = false;
                    if self.origins[job as usize].state == JobState::Running {
                        record(self.event(EventKind::Succeeded, job));
                        self.succeed(job);
                    }
                }
                Change::Preempt(job) => {
                    record(self.event(EventKind::Preempted, job));
                    self.resubmit(job);
                }
            }
        }
    }

    /// The number of rounds so far, counted by pool.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The id of a node.
    pub fn node_id(&self, (pool, node): (usize, usize)) -> &str {
        &self.pools[pool].nodes.get(node).spec.id
    }

    /// The gang of a job.
    pub fn gang(&self, job: JobIndex) -> Option<usize> {
        self.jobs[job as usize].gang
    }

    fn event(&self, kind: EventKind, job: JobIndex) -> Event {
        let origin = self.origins[job as usize];
        let run = self.jobs[job as usize].run;
        let node = run.map(|run| (origin.pool, run.node));
        Event { time: self.now, kind, job, template: origin.template, node }
    }

    fn push(&mut self, time: Nanoseconds, change: Change) {
        self.heap.push(Reverse((time, self.sequence, change)));
        self.sequence += 1;
    }

    fn template(&self, position: usize) -> &'a JobTemplate {
        &self.workload.templates[position]
    }

    fn round(&mut self) {
        if self.open_templates > 0 {
            self.push(self.now.saturating_add(self.options.period), Change::Round);
        }
        if self.is_steady && self.options.is_fast_forward {
            return;
        }
        let (mut preempted, mut leased) = (Vec::new(), Vec::new());
        for position in 0..self.pools.len() {
            self.rounds += 1;
            let outcome = self.run_pool(position);
            let by_queue = |job: &JobIndex| (self.jobs[*job as usize].queue, *job);
            let mut lost: Vec<JobIndex> = outcome.preempted.keys().copied().collect();
            lost.sort_by_key(by_queue);
            let mut won: Vec<JobIndex> = outcome.scheduled.keys().copied().collect();
            won.sort_by_key(by_queue);
            for job in &lost {
                self.origins[*job as usize].state = JobState::Over;
                self.forget(*job);
            }
            for job in &won {
                let placement = outcome.scheduled[job];
                let order = super::round::job_order(self.settings, &self.jobs, &self.shapes, *job);
                let queue = self.jobs[*job as usize].queue.unwrap_or(0);
                self.queues[queue].queued.remove(&order);
                self.jobs[*job as usize].run = Some(Run {
                    node: placement.node,
                    priority: placement.priority,
                    started: self.now,
                    is_bound: true,
                });
                let origin = &mut self.origins[*job as usize];
                (origin.state, origin.pool) = (JobState::Running, position);
            }
            preempted.extend(lost);
            leased.extend(won);
        }
        // At the beginning jobs of time 0 may still be to come.
        let is_unchanged = preempted.is_empty() && leased.is_empty();
        self.is_steady = self.now > 0 && is_unchanged && !self.settings.has_random_rounds();
        for job in preempted {
            self.push(self.now, Change::Preempt(job));
        }
        for job in leased {
            self.push(self.now, Change::Lease(job));
        }
    }
}

fn index(position: usize) -> JobIndex {
    JobIndex::try_from(position).unwrap_or(JobIndex::MAX)
}
